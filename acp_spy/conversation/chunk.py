"""
A plain chunk of text, read in one go: most frames of a conversation are nothing else.

It means what the tracker's long way makes of it, at a fifth of the cost; a test compares the two.
Whatever is unusual goes the long way: another member anywhere, one that comes twice, a session
that is unknown or closed, no open turn, a dialect, another version, a long line, a long silence.
"""

from typing import Literal

import msgspec
from msgspec import UNSET

from acp_spy.conversation.state import Conversation, Run, Session
from acp_spy.wire.frame import Frame, Peer

LONG_LINE = 64 * 1024  # bytes
LONG_SILENCE = 10.0  # seconds

ROLES = {
    "agent_message_chunk": "agent",
    "agent_thought_chunk": "thought",
    "user_message_chunk": "user",
}


class _Text(msgspec.Struct, tag="text", forbid_unknown_fields=True, gc=False):
    text: str


class _Update(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    name: Literal["agent_message_chunk", "agent_thought_chunk", "user_message_chunk"] = (
        msgspec.field(name="sessionUpdate")
    )
    content: _Text
    message: str | msgspec.UnsetType = msgspec.field(name="messageId", default=UNSET)


class _Params(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    session: str = msgspec.field(name="sessionId")
    update: _Update


class _Notification(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    jsonrpc: Literal["2.0"]
    method: Literal["session/update"]
    params: _Params


class Chunk(msgspec.Struct, gc=False):
    """A piece of text that streams by in an open turn."""

    frame: Frame
    run: Run
    text: str

    @property
    def session(self) -> Session:
        """The session whose turn is open."""
        return self.run.session

    @property
    def role(self) -> str:
        """Who speaks: user, agent or thought."""
        return ROLES[self.run.name]


_AGENT = Peer.AGENT
_decode = msgspec.json.Decoder(_Notification).decode
_decode_text = msgspec.json.Decoder(str).decode
_MARK = b'_chunk"'
_STARTS = (
    b'{"jsonrpc":"2.0","method":"session/update",',
    b'{"jsonrpc": "2.0", "method": "session/update",',
)
_UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


def read_chunk(state: Conversation, frame: Frame) -> Chunk | None:
    """Return what `frame` is if it is a plain chunk of text, else nothing; change nothing."""
    run = state.run
    if run is not None and (text := read_next(run, state, frame)) is not None:
        return Chunk(frame, run, text)
    return _read_first(state, frame) if _MARK in frame.raw else None


def read_next(run: Run, state: Conversation, frame: Frame) -> str | None:
    """Return the text of a frame that goes on with the pieces before it; nothing for others."""
    raw = frame.raw
    if not raw.startswith(run.before) or not raw.endswith(run.after) or len(raw) > LONG_LINE:
        return None
    if frame.t - state.last.t >= LONG_SILENCE or frame.sender is not _AGENT:
        return None
    try:
        if not raw.isascii():
            raw.decode()  # msgspec lets a bad byte inside a string through
        text = _decode_text(raw[run.text])
    except _UNREADABLE:
        return None
    # Outside of any turn, the long way shows an empty text as a message, not as a piece of text.
    return text if text or run.session.turns else None


def text_in(frame: Frame, run: Run) -> str:
    """Return the text of a frame that `read_next` has read, again."""
    return _decode_text(frame.raw[run.text])


def _read_first(state: Conversation, frame: Frame, *, is_stray: bool = False) -> Chunk | None:
    """Return the same of a frame that is not like the one before it; or of a stray one."""
    if frame.sender is not _AGENT or frame.t - state.last.t >= LONG_SILENCE:
        return None
    if len(frame.raw) > LONG_LINE:
        return None
    if not is_stray and (state.version != 1 or state.version is True):
        return None
    params = _read_text(frame.raw, state)
    session = state.sessions.get(params.session) if params else None
    if params is None or session is None:
        return None
    if is_stray:
        if session.turns or session.stray is None:
            return None
    elif session.closed or not session.turns:
        return None
    raw, update = frame.raw, params.update
    name = raw.find(b'"text":')
    if name < 0:  # a space before the colon, or an escape in the name
        return None
    start = raw.index(b'"', name + 7) + 1
    end = raw.index(b'"', start)
    text = slice(start - 1, end + 1 - len(raw))
    run = Run(session, update.name, update.message, raw[:start], raw[end:], text)
    return Chunk(frame, run, update.content.text)


def stray_run(state: Conversation, frame: Frame) -> Run | None:
    """
    Return what a plain chunk of text outside of any turn, just taken in, shares with the next.

    For who only follows: rules have something to say about each. With it as `state.run`, what goes
    on with this text is read at the same low cost.
    """
    chunk = _read_first(state, frame, is_stray=True) if _MARK in frame.raw else None
    return chunk.run if chunk else None


def _read_text(raw: bytes, state: Conversation) -> _Params | None:
    if not raw.startswith(_STARTS) or not raw.endswith(b"}\n") or state.dialects.is_suspicious:
        return None
    try:
        if not raw.isascii():
            raw.decode()
        params = _decode(raw).params
    except _UNREADABLE:
        return None
    # Each member once: a text that holds a quote itself goes the long way.
    if raw.count(b'"') != (30 if params.update.message is UNSET else 34):
        return None
    return params
