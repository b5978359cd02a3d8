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
from acp_spy.wire.jsonrpc import Notification, Request, Response, Unreadable

KNOWN = frozenset(method.name for name in NAMES for method in spec(name).methods)

_encode = msgspec.json.Encoder().encode
_LF, _BRACE = b"\n{"
_CLIENT = Peer.CLIENT
_START = b'{"jsonrpc":"2.0"'
_STARTS = (_START, b'{"jsonrpc": "2.0"')
_NOTIFICATION = len(b'{"jsonrpc":"2.0","method":"","params":}\n')
_REQUEST = len(b'{"jsonrpc":"2.0","id":,"method":"","params":}\n')
_RESPONSE = len(b'{"jsonrpc":"2.0","id":,"result":}\n')


def is_unusual(step: Step) -> bool:
    """Tell whether the frame needs a closer look."""
    return not _is_frugal(step) and _is_unusual(step)


def _is_frugal(step: Step) -> bool:
    """Tell whether not a byte is there that need not be: then nothing can be there twice."""
    frame, message = step.frame, step.message
    raw = frame.raw
    if isinstance(message, Notification):
        value, around = message.params, _NOTIFICATION + len(message.method)
    elif isinstance(message, Request):
        value, around = message.params, _REQUEST + len(message.id) + len(message.method)
    elif isinstance(message, Response):
        value, around = message.result, _RESPONSE + len(message.id)
    else:
        return False
    size = len(raw)
    if size != around + len(value) or size > LONG_LINE or raw[-1] != _LF or step.glued_at:
        return False
    if frame.t - step.state.last.t >= LONG_SILENCE or not raw.startswith(_START) or not value:
        return False
    if not isinstance(message, Response):
        if message.method not in KNOWN or value[0] != _BRACE:
            return False
        if frame.sender is _CLIENT and message.method == "session/update":
            return False
    return len(_written(step.body)) == len(value)


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
    except (msgspec.MsgspecError, OverflowError, RecursionError, ValueError):
        return b""
