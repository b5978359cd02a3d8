"""What is kept of the updates that stream by: how many, when none was due, whose words."""

from typing import Any

from msgspec import UNSET

from acp_spy.conversation.chunk import ROLES
from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import (
    REMEMBERED,
    MixedMessage,
    Repeat,
    Repetition,
    Run,
    Session,
    Speech,
    Stray,
    Turn,
)
from acp_spy.protocol import events as ev
from acp_spy.wire.frame import Frame

# Updates that put nothing before the user's eyes.
_SILENT = ("usage_update", "session_info_update")
_CHUNKS = {role: name for name, role in ROLES.items()}
_USERS = _CHUNKS["user"]
_LONG = 40  # characters; the same words in a shorter text may be meant
_SHORT = 16  # characters of a text that was sent in pieces, and then again as one
_WORDS = 3  # of such a text, at least: a line of dashes is drawn in pieces, too
_HEAD = 2 * _LONG  # what is kept of the beginning of a text
_PAIRS = 4  # chunks in a row that come twice; fewer may be meant
_TELLING = 3  # characters of such a chunk, without spaces: `aabbccdd` may come one by one
_GROWN = 3  # chunks in a row that contain the one before
_MARGIN = 4  # spaces and line ends around a text


def note_update(session: Session, frame: Frame, event: ev.Event) -> None:
    """Take in that the agent sent `event` in `session`."""
    said = event if type(event) is ev.Said else None
    if session.turns:
        turn = session.turns[-1]
        if not turn.updates:
            turn.first_update_at = frame.t
        turn.updates += 1
        if said:
            name = _CHUNKS.get(said.role, "")
            turn.last = frame, name
            _note_said(turn, frame.seq, name, _text_of(said.content))
        else:
            turn.last = frame, type(event).__name__
            if type(event) is ev.OtherUpdate and event.name in _SILENT:
                turn.silent += 1
            else:
                turn.speech = None
    elif said or isinstance(event, ev.ToolCallChanged):
        if session.stray is None:
            session.stray = Stray(frame.seq, frame.t, event)
        else:
            session.stray.count += 1
    if session.closed and session.after_close is None:
        session.after_close = frame.seq
    if said and isinstance(said.message_id, str):
        _note_message(session, frame, said.message_id, is_users=said.role == "user")


def note_text(frame: Frame, run: Run, text: str) -> None:
    """
    Take in the same of a piece of text in an open turn, or outside of any (`stray_run`).

    Most frames are one, and nearly all of them go on with the text before: those call nothing.
    """
    session = run.session
    if not session.turns:
        if session.stray is not None:
            session.stray.count += 1
        return
    turn = session.turns[-1]
    turn.updates += 1
    turn.last = frame, run.name
    speech, size = turn.speech, len(text)
    if (
        speech is None
        or speech.run is not run
        or size >= _LONG
        or size + _MARGIN >= speech.size
        or text == speech.last
        or speech.grown
        or (text[: speech.last_size] == speech.last and speech.last_size >= _SHORT)
    ):
        if turn.first_update_at is None:
            turn.first_update_at = frame.t
        _note_said(turn, frame.seq, run.name, text, run)
        if run.message is not UNSET:
            _note_message(session, frame, run.message, is_users=run.name == _USERS)
        return
    if speech.size < _LONG:
        speech.head += text
    speech.last, speech.last_size, speech.last_seq = text, size, frame.seq
    speech.size += size


def _note_message(session: Session, frame: Frame, message: str, *, is_users: bool) -> None:
    """Note whose message this is, and the first id that both have."""
    known = session.messages.get(message)
    if known is None:
        remember(session.messages, message, (is_users, frame.seq), most=REMEMBERED)
    elif known[0] != is_users and session.mixed_message is None:
        session.mixed_message = MixedMessage(message, frame.seq, known[1])


def _note_said(turn: Turn, seq: int, name: str, text: Any, run: Run | None = None) -> None:
    """Note a text, and whether it repeats what was said just before it."""
    speech = turn.speech
    if name == _USERS:
        turn.silent += 1
        turn.speech = None
        return
    if type(text) is not str:
        turn.speech = None
        return
    size = len(text)
    if speech is None or speech.name != name:
        turn.speech = Speech(name, seq, seq, text[:_HEAD], text, size, size, run)
        return
    speech.run = run
    if size >= _LONG and text == speech.last:
        _note_repeat(turn, seq, speech.last_seq, text, Repetition.CHUNK)
        return
    if size >= _SHORT and _is_all(speech, text):
        _note_repeat(turn, seq, speech.seq, text, Repetition.WHOLE)
        return
    if text == speech.last and text:
        _note_pair(turn, speech, seq, text)
    if speech.last_size >= _SHORT:
        is_longer = size > speech.last_size and text.startswith(speech.last)
        speech.grown = speech.grown + 1 if is_longer else 0
        if speech.grown >= _GROWN:
            _note_repeat(turn, seq, speech.seq, text, Repetition.GROWING)
    if speech.size < _LONG:
        speech.head += text[:_HEAD]
    speech.last, speech.last_size, speech.last_seq = text, size, seq
    speech.size += size


def _note_pair(turn: Turn, speech: Speech, seq: int, text: str) -> None:
    """
    Note that a short chunk came twice, as those before it: one alone may be meant.

    One of a character or two does not count, but goes on with the row.
    """
    if turn.updates - speech.paired_at != 2:
        speech.pairs = 0
    speech.paired_at = turn.updates
    if len("".join(text.split())) < _TELLING:
        return
    speech.pairs += 1
    if speech.pairs >= _PAIRS:
        _note_repeat(turn, seq, speech.last_seq, text, Repetition.PAIRS)


def _note_repeat(turn: Turn, seq: int, first_seq: int, text: str, how: Repetition) -> None:
    if turn.repeat is None:
        turn.repeat = Repeat(seq, first_seq, text[:_HEAD], how)
    else:
        turn.repeat.count += 1


def _is_all(speech: Speech, text: str) -> bool:
    """
    Return whether `text` is all that was said in pieces, apart from spaces around it.

    What was said is not kept: its beginning, its end and its length are.
    """
    has_pieces = len(speech.last) < speech.size
    if not has_pieces or not -_MARGIN <= len(text) - speech.size <= _MARGIN:
        return False
    bare = text.strip()
    if len(bare) < _LONG and len(bare.split()) < _WORDS:
        return False
    return bare.startswith(speech.head.strip()) and bare.endswith(speech.last.strip())


def _text_of(content: Any) -> Any:
    """Return the text of one block, or of a whole message of version 2."""
    if type(content) is list:
        texts = [block.get("text") for block in content if type(block) is dict]
        return "".join(text for text in texts if type(text) is str)
    return content.get("text") if type(content) is dict else None
