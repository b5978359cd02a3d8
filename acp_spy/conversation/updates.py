"""What is kept of the updates that stream by: how many, when none was due, whose words."""

from msgspec import UNSET, UnsetType

from acp_spy.conversation.chunk import ROLES
from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import REMEMBERED, MixedMessage, Session, Stray
from acp_spy.protocol import events as ev
from acp_spy.wire.frame import Frame

# Updates that put nothing before the user's eyes.
_SILENT = ("usage_update", "session_info_update")
_CHUNKS = {role: name for name, role in ROLES.items()}


def note_update(session: Session, frame: Frame, event: ev.Event) -> None:
    """Take in that the agent sent `event` in `session`."""
    said = event if isinstance(event, ev.Said) else None
    turn = session.turn
    if turn is not None:
        turn.updates += 1
        kind = _CHUNKS.get(said.role, "") if said else type(event).__name__
        turn.last = frame.seq, frame.t, kind
        if said.role != "user" if said else not _is_silent(event):
            turn.shown += 1
    elif said or isinstance(event, ev.ToolCallChanged):
        if session.stray is None:
            session.stray = Stray(frame.seq, frame.t, event)
        else:
            session.stray.count += 1
    if session.closed and session.after_close is None:
        session.after_close = frame.seq
    if said and isinstance(said.message_id, str):
        _note_message(session, frame, said.message_id, is_users=said.role == "user")


def note_text(session: Session, frame: Frame, message: str | UnsetType, name: str) -> None:
    """Take in the same of a piece of text in an open turn; `name` is the update's."""
    turn = session.turns[-1]
    is_users = name == "user_message_chunk"
    turn.updates += 1
    turn.last = frame.seq, frame.t, name
    if not is_users:
        turn.shown += 1
    if message is not UNSET:
        known = session.messages.get(message)
        if known is None or known[0] != is_users:
            _note_message(session, frame, message, is_users=is_users)


def _note_message(session: Session, frame: Frame, message: str, *, is_users: bool) -> None:
    """Note whose message this is, and the first id that both have."""
    known = session.messages.get(message)
    if known is None:
        remember(session.messages, message, (is_users, frame.seq), most=REMEMBERED)
    elif known[0] != is_users and session.mixed_message is None:
        session.mixed_message = MixedMessage(message, frame.seq, known[1])


def _is_silent(event: ev.Event) -> bool:
    return isinstance(event, ev.OtherUpdate) and event.name in _SILENT
