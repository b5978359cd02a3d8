"""
The trace of the Rust SDK's conductor, `agent-client-protocol-conductor --trace FILE.jsons`.

One event a line, each between two of the components Client, Proxy(0), Proxy(1), ..., Agent. What
passes a chain of proxies is there once per hop, with another id each time. The conversation is
what the client's neighbour receives and sends, on either side.
"""

import re
from collections.abc import Iterator
from typing import Literal

import msgspec

from acp_spy.capture.foreign.format import Format, LoggedLine, Reading
from acp_spy.capture.foreign.rebuild import answer, call, known, one_line
from acp_spy.wire.frame import Peer

_COMPONENT = re.compile(r"client|agent|proxy[:(](\d{1,6})\)?", re.IGNORECASE)
_CLIENT, _NEIGHBOUR, _AGENT = 0, 1, 10_000_000  # how far from the client


class _Event(msgspec.Struct):
    type: Literal["request", "response", "notification"]
    ts: float
    source: str = msgspec.field(name="from")
    to: str
    protocol: str = "acp"
    id: msgspec.Raw = msgspec.Raw()
    method: str = ""
    params: msgspec.Raw = msgspec.Raw()
    is_error: bool = False
    payload: msgspec.Raw = msgspec.Raw()


_decode = msgspec.json.Decoder(_Event).decode


class ConductorReading(Reading):
    """A trace, read as one conversation."""

    start = 0.0

    def lines(self) -> Iterator[LoggedLine]:
        """Give the messages of the client's side; those of the other hops are left out."""
        mcp: set[bytes] = set()  # ids of the requests over MCP that wait for their response
        for number, event in self.source.decoded(_decode):
            distances = _distance(event.source), _distance(event.to)
            if None in distances:
                raise self.source.damaged(
                    number, f"`{event.source}` or `{event.to}` is not a component of a conductor"
                )
            ident = bytes(event.id)
            if event.protocol == "mcp" or (event.type == "response" and ident in mcp):
                mcp.symmetric_difference_update([ident] if ident else [])
                self.remarks["messages of MCP left out"] += 1
                continue
            sender = _sender(event.type == "response", *distances)
            if sender is None:
                self.remarks["messages between proxies left out"] += 1
                continue
            yield LoggedLine(sender, _message(event), event.ts)


def _sender(is_answer: bool, source: int | None, to: int | None) -> Peer | None:
    """Say who of the two peers sent this, as the client's neighbour sees it."""
    match (source, to):
        case (0, _):
            return Peer.CLIENT
        case (_, 0):
            return Peer.AGENT
        case (1, _):  # the neighbour answers for the client; its own calls are repetitions
            return Peer.CLIENT if is_answer else None
        case (_, 1):
            return None if is_answer else Peer.AGENT
    return None


def _distance(component: str) -> int | None:
    found = _COMPONENT.fullmatch(component)
    if found is None:
        return None
    if found[1] is not None:
        return _NEIGHBOUR + int(found[1])
    return _CLIENT if component.lower() == "client" else _AGENT


def _message(event: _Event) -> bytes:
    ident = one_line(bytes(event.id))
    if event.type == "response":
        return answer(ident, one_line(bytes(event.payload)), is_error=event.is_error)
    # What the client sends as `initialize`, the conductor passes on to a proxy under this name.
    method = "initialize" if event.method == "_proxy/initialize" else event.method
    return call(method, known(event.params), ident if event.type == "request" else b"")


def _is_line(line: bytes) -> bool:
    try:
        event = _decode(line)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return False
    return None not in (_distance(event.source), _distance(event.to))


FORMAT = Format(
    name="conductor",
    title="the Rust conductor's trace",
    keeps="messages, senders, times",
    lost="exact bytes, ids as they were sent, lines that are not messages, responses that nobody"
    " asked for, stderr, exit",
    reading=ConductorReading,
    is_line=_is_line,
)
