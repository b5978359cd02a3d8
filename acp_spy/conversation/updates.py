"""What is kept of the updates that stream by: how many, when none was due, whose words."""

from msgspec import UNSET, UnsetType

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import (
    REMEMBERED,
    MixedMessage,
    Repeat,
    Session,
    Speech,
    Stray,
    Turn,
)
from acp_spy.protocol import events as ev
from acp_spy.wire.frame import Frame

# Updates that put nothing before the user's eyes.
_SILENT = ("usage_update", "session_info_update")
_LONG = 40  # characters; the same words in a shorter text may be meant
_MOST_TEXT = 16_384  # characters that are kept of what is said
_MARGIN = 8  # spaces and line ends around a text
_NAMES = {"agent": "agent_message_chunk", "thought": "agent_thought_chunk"}


def note_update(session: Session, frame: Frame, event: ev.Event) -> None:
    """Take in that the agent sent `event` in `session`."""
    said = event if isinstance(event, ev.Said) else None
    turn = session.turn
    if turn is not None:
        if not turn.updates:
            turn.first_update_at = frame.t
        turn.updates += 1
        if not _is_silent(event):
            _note_speech(turn, frame, said)
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


def note_text(
    session: Session, frame: Frame, message: str | UnsetType, name: str, text: str
) -> None:
    """Take in the same of a piece of text in an open turn; `name` is the update's."""
    turn = session.turns[-1]
    is_users = name == "user_message_chunk"
    if not turn.updates:
        turn.first_update_at = frame.t
    turn.updates += 1
    if is_users:
        turn.speech = None
    else:
        turn.shown += 1
        speech = turn.speech
        if speech is None or speech.name != name or len(text) >= _LONG:
            _note_said(turn, frame.seq, name, text)
        elif speech.size < _MOST_TEXT:  # most frames of a conversation end here
            speech.parts.append(text)
            speech.size += len(text)
            speech.last_seq = frame.seq
        else:
            speech.parts = [text]
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


def _note_speech(turn: Turn, frame: Frame, said: ev.Said | None) -> None:
    """Note what the agent says; whatever else it does ends its speech."""
    text = said.content.get("text") if said and isinstance(said.content, dict) else None
    if said is not None and said.role != "user" and isinstance(text, str):
        _note_said(turn, frame.seq, _NAMES.get(said.role, said.role), text)
    else:
        turn.speech = None


def _note_said(turn: Turn, seq: int, name: str, text: str) -> None:
    """Note a text, and whether it is what was said just before: the last piece, or all of it."""
    speech = turn.speech
    if speech is None or speech.name != name:
        turn.speech = Speech(name, seq, seq, [text], len(text))
        return
    if len(text) >= _LONG:
        is_whole = len(speech.parts) > 1 and _is_all(speech, text)
        if is_whole or speech.parts[-1] == text:
            _note_repeat(turn, seq, text, is_whole=is_whole)
            speech.last_seq = seq
            return  # a third time is a repeat as well
    speech.last_seq = seq
    if speech.size < _MOST_TEXT:
        speech.parts.append(text)
        speech.size += len(text)
    else:
        speech.parts = [text]


def _is_all(speech: Speech, text: str) -> bool:
    """Return whether `text` is all that was said, apart from spaces around it."""
    return abs(speech.size - len(text)) <= _MARGIN and "".join(speech.parts).strip() == text.strip()


def _note_repeat(turn: Turn, seq: int, text: str, *, is_whole: bool) -> None:
    speech = turn.speech
    if turn.repeat is not None:
        turn.repeat.count += 1
    elif speech is not None:
        first = speech.seq if is_whole else speech.last_seq
        turn.repeat = Repeat(seq, first, text[:_LONG], is_whole)


def _is_silent(event: ev.Event) -> bool:
    return isinstance(event, ev.OtherUpdate) and event.name in _SILENT
