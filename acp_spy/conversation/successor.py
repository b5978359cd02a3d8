"""
What a proxy and its successor say to each other, taken out of `proxy/successor`.

In a chain, a conductor has one connection to each proxy, with two conversations on it: to its
predecessor the proxy is an agent, in plain messages; to its successor it is a client, in messages
that are wrapped. The same sessions come up in both, in the same order, and each is right by itself.
So the tracker keeps a state for each. In the second the peers have changed places: the proxy, which
is the agent of the capture, is the client, and what the conductor delivers is the agent's.

The id of the wrapper is that of the wrapped request, and its response is the response to that.
"""

import msgspec

from acp_spy.wire.frame import Frame
from acp_spy.wire.jsonrpc import Notification, Request

SUCCESSOR = "proxy/successor"
# As the Rust conductor spells them, and as it and the TypeScript conductor did before.
SPELLINGS = {
    "_mcp/connect": "mcp/connect",
    "_mcp/disconnect": "mcp/disconnect",
    "_mcp/message": "mcp/message",
    "_proxy/initialize": "proxy/initialize",
    "_proxy/successor": SUCCESSOR,
    "_proxy/successor/request": SUCCESSOR,
    "_proxy/successor/notification": SUCCESSOR,
}


class _Wrapped(msgspec.Struct):
    method: str
    params: msgspec.Raw = msgspec.Raw(b"null")


_decode = msgspec.json.Decoder(_Wrapped).decode


def unwrapped(frame: Frame, message: Request | Notification) -> Frame | None:
    """Return the wrapped message as a frame of the other conversation; none if there is none."""
    try:
        wrapped = _decode(message.params)
    except (msgspec.DecodeError, RecursionError):
        return None  # the schema rules say why
    ident = b'"id":' + message.id + b"," if isinstance(message, Request) else b""
    params = bytes(wrapped.params)
    rest = b"" if params == b"null" else b',"params":' + params  # `null` is for no params
    method = msgspec.json.encode(wrapped.method)
    raw = b'{"jsonrpc":"2.0",' + ident + b'"method":' + method + rest + b"}\n"
    return Frame(frame.seq, frame.t, frame.sender.other, raw)


def mirrored(frame: Frame) -> Frame:
    """Return a response to a wrapped request, as sent, as a frame of the other conversation."""
    return Frame(frame.seq, frame.t, frame.sender.other, frame.raw)


def outer_path(path: str) -> str:
    """Return where in a frame that has the wrapper a place in the wrapped message is."""
    return f"/params{path}" if path.startswith(("/params", "/method")) else path
