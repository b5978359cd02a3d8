"""
Recognize at one glance that a frame is as nearly all are, so that few need a closer look.

A plain frame is spelled as every SDK spells it: `jsonrpc` first, nothing but the known members,
none of them twice, one LF at the end, and a method that ACP has. What is not plain is not wrong;
rules about the spelling of a frame look at it.
"""

from typing import Any

import msgspec

from acp_spy.conversation.chunk import LONG_LINE, LONG_SILENCE
from acp_spy.conversation.state import Step
from acp_spy.protocol.tables import NAMES, spec
from acp_spy.wire.frame import Peer
from acp_spy.wire.jsonrpc import CALL, Request, Response, Unreadable

KNOWN = frozenset(method.name for name in NAMES for method in spec(name).methods)

_encode = msgspec.json.Encoder().encode
_UNWRITABLE = (msgspec.MsgspecError, OverflowError, RecursionError, ValueError)
_CLIENT = Peer.CLIENT
_STARTS = (b'{"jsonrpc":"2.0"', b'{"jsonrpc": "2.0"')


def is_unusual(step: Step) -> bool:
    """Tell whether the frame needs a closer look."""
    return not (step.is_plain and _is_frugal(step)) and _is_unusual(step)


def _is_frugal(step: Step) -> bool:
    """Whether the object of a plain message is plain, too: then nothing is there twice."""
    frame, message = step.frame, step.message
    if type(message) is Response:
        value = message.result
    elif isinstance(message, CALL):
        method, value = message.method, message.params
        if method not in KNOWN or (frame.sender is _CLIENT and method == "session/update"):
            return False
    if len(frame.raw) > LONG_LINE or frame.t - step.state.last.t >= LONG_SILENCE:
        return False
    try:
        return _encode(step.body) == value
    except _UNWRITABLE:
        return False


def _is_unusual(step: Step) -> bool:
    """Tell the same of a frame with spaces, escapes, or its members in another order."""
    frame, message, state = step.frame, step.message, step.state
    raw = frame.raw
    if isinstance(message, Unreadable) or step.glued_at or len(raw) > LONG_LINE:
        return True
    if not raw.startswith(_STARTS) or raw[-1:] != b"\n" or raw[-2:-1] == b"\r":
        return True
    if state.pending and frame.t - state.t >= LONG_SILENCE:
        return True
    if isinstance(message, Response):
        if not message.id or (message.result and message.error):
            return True
        value, names = message.result or message.error, 3
        quotes = 2 + message.id.count(b'"')
    else:
        method, value = message.method, message.params
        if method not in KNOWN and not method.startswith("_"):
            return True
        if method == "session/update" and frame.sender is Peer.CLIENT:
            return True
        if value and value[:1] != b"{":
            return True
        ident = message.id if isinstance(message, Request) else b""
        names, quotes = 2 + bool(ident) + bool(value), 4 + ident.count(b'"')
    again = _written(step.body) if value else b""
    # A name that comes twice was read once: the count of the quotes tells.
    return raw.count(b'"') != 2 * names + quotes + again.count(b'"')


def _written(value: Any) -> bytes:
    """Return what was read as JSON again, without a blank; nothing if it cannot be written."""
    try:
        return _encode(value)
    except _UNWRITABLE:
        return b""
