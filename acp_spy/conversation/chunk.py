"""
A plain chunk of text, understood in one go: most frames of a conversation are nothing else.

It means what `Tracker.look` and `Tracker.advance` make of it, at a fifth of the cost; a test holds
the two together. What is in any way unusual is left to them: another member anywhere, one that
comes twice, a session that is unknown or closed, no open turn, a dialect, another version.
"""

from typing import Literal

import msgspec
from msgspec import UNSET

from acp_spy.conversation.speech import hear_text
from acp_spy.conversation.state import Conversation
from acp_spy.wire.frame import Frame, Peer

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


class Chunk(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """A piece of text that streams by in an open turn: the params of its `session/update`."""

    session: str = msgspec.field(name="sessionId")
    update: _Update

    @property
    def role(self) -> str:
        """Who speaks: user, agent or thought."""
        return ROLES[self.update.name]

    @property
    def text(self) -> str:
        """What is said."""
        return self.update.content.text


class _Notification(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    jsonrpc: Literal["2.0"]
    method: Literal["session/update"]
    params: Chunk


_AGENT = Peer.AGENT
_decode = msgspec.json.Decoder(_Notification).decode
_COMPACT = b'{"jsonrpc":"2.0","method":"session/update",'
_SPACED = b'{"jsonrpc": "2.0", "method": "session/update",'


def hear_chunk(state: Conversation, frame: Frame) -> Chunk | None:
    """Take `frame` into `state` if it is a plain chunk of text; else change nothing."""
    raw, version = frame.raw, state.version
    if frame.sender is not _AGENT or not raw.endswith(b"}\n"):
        return None
    if not raw.startswith(_COMPACT) and not raw.startswith(_SPACED):
        return None
    if version != 1 or version is True or state.tongues.is_suspicious:
        return None
    try:
        if not raw.isascii():
            raw.decode()  # msgspec lets a bad byte inside a string through
        chunk = _decode(raw).params
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    update, session = chunk.update, state.sessions.get(chunk.session)
    if session is None or session.closed or not session.turns:
        return None
    message = update.message
    # Each member once: a text that holds a quote itself makes this a case for the tracker.
    if raw.count(b'"') != (30 if message is UNSET else 34):
        return None
    hear_text(session, frame, message, is_users=update.name == "user_message_chunk")
    state.t = frame.t
    return chunk
