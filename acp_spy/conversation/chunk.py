"""
A plain chunk of text, read in one go: most frames of a conversation are nothing else.

It means what the tracker's long way makes of it, at a fifth of the cost; a test compares the two.
Whatever is unusual goes the long way: another member anywhere, one that comes twice, a session
that is unknown or closed, no open turn, a dialect, another version, a long line, a long silence.
"""

from typing import Literal

import msgspec
from msgspec import UNSET

from acp_spy.conversation.state import Conversation, Session
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
    """A piece of text that streams by in an open turn of `session`."""

    frame: Frame
    session: Session
    update: _Update

    @property
    def role(self) -> str:
        """Who speaks: user, agent or thought."""
        return ROLES[self.update.name]

    @property
    def text(self) -> str:
        """What is said."""
        return self.update.content.text


_AGENT = Peer.AGENT
_decode = msgspec.json.Decoder(_Notification).decode
_STARTS = (
    b'{"jsonrpc":"2.0","method":"session/update",',
    b'{"jsonrpc": "2.0", "method": "session/update",',
)


def read_chunk(state: Conversation, frame: Frame) -> Chunk | None:
    """Return what `frame` is if it is a plain chunk of text, else nothing; change nothing."""
    version = state.version
    if version != 1 or version is True or frame.t - state.t >= LONG_SILENCE:
        return None
    params = _read_text(state, frame)
    if params is None:
        return None
    session = state.sessions.get(params.session)
    if session is None or session.closed or not session.turns:
        return None
    return Chunk(frame, session, params.update)


def session_of_nobodys_text(state: Conversation, frame: Frame) -> str | None:
    """Return the session of a plain chunk of text that nobody has opened: it changes nothing."""
    params = _read_text(state, frame)
    return params.session if params and params.session not in state.sessions else None


def _read_text(state: Conversation, frame: Frame) -> _Params | None:
    raw = frame.raw
    if frame.sender is not _AGENT or not raw.endswith(b"}\n"):
        return None
    if not raw.startswith(_STARTS) or b'_chunk"' not in raw:
        return None
    if len(raw) > LONG_LINE or state.dialects.is_suspicious:
        return None
    try:
        if not raw.isascii():
            raw.decode()  # msgspec lets a bad byte inside a string through
        params = _decode(raw).params
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    # Each member once: a text that holds a quote itself goes the long way.
    if raw.count(b'"') != (30 if params.update.message is UNSET else 34):
        return None
    return params
