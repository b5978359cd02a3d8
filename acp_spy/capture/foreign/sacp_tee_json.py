"""
The JSON log of sacp-tee: each message that a proxy in a chain was handed, with its time.

Whatever it was handed is `downstream`, what was answered `upstream`. What came from the agent's
side is wrapped in a call of the chain's own, and is thereby known.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import Literal

import msgspec

from acp_spy.capture.foreign.format import Format, LoggedLine, Reading
from acp_spy.capture.foreign.rebuild import answer, call, known, one_line
from acp_spy.wire.frame import Peer

_WRAPPER = "_proxy/successor"  # with `/request` or `/notification` behind it, in older versions
_INTERNAL_ERROR = -32603


class _Message(msgspec.Struct):
    id: msgspec.Raw = msgspec.Raw()
    method: str = ""
    params: msgspec.Raw = msgspec.Raw()
    result: msgspec.Raw = msgspec.Raw()


class _Entry(msgspec.Struct):
    timestamp: str
    direction: Literal["downstream", "upstream"]
    message: _Message


class _Wrapped(msgspec.Struct):
    method: str
    params: msgspec.Raw = msgspec.Raw()


class _Failure(msgspec.Struct, forbid_unknown_fields=True):
    error: str


_decode = msgspec.json.Decoder(_Entry).decode
_unwrap = msgspec.json.Decoder(_Wrapped).decode
_read_failure = msgspec.json.Decoder(_Failure).decode


class SacpTeeJsonReading(Reading):
    """A log of `sacp-tee --json`."""

    wall_clock = True

    def lines(self) -> Iterator[LoggedLine]:
        """Give the messages; who answers is who was asked."""
        asked: dict[bytes, Peer] = {}
        for number, entry in self.source.decoded(_decode):
            at = _seconds(entry.timestamp)
            if at is None:
                raise self.source.damaged(number, f"`{entry.timestamp}` is not a time")
            message = entry.message
            ident = one_line(bytes(message.id))
            if not message.method:
                sender = asked.pop(ident, Peer.CLIENT).other
                yield LoggedLine(sender, self._answer(ident, message.result), at)
                continue
            sender, method, params = _call(message)
            if ident:
                asked[ident] = sender
            yield LoggedLine(sender, call(method, params, ident), at)

    def _answer(self, ident: bytes, result: msgspec.Raw) -> bytes:
        try:
            failure = _read_failure(result)
        except (msgspec.DecodeError, ValueError, RecursionError):
            return answer(ident, one_line(bytes(result)))
        self.remarks["errors whose code the log lost, read as -32603"] += 1
        error = {"code": _INTERNAL_ERROR, "message": failure.error}
        return answer(ident, msgspec.json.encode(error), is_error=True)


def _call(message: _Message) -> tuple[Peer, str, bytes]:
    """Return who calls, what, and with which params."""
    if message.method.startswith(_WRAPPER):
        try:
            inner = _unwrap(message.params)
        except (msgspec.DecodeError, ValueError, RecursionError):
            pass
        else:
            return Peer.AGENT, inner.method, known(inner.params)
    method = "initialize" if message.method == "_proxy/initialize" else message.method
    return Peer.CLIENT, method, known(message.params)


def _seconds(timestamp: str) -> float | None:
    try:
        return datetime.fromisoformat(timestamp).timestamp()
    except (ValueError, OverflowError):
        return None


def _is_line(line: bytes) -> bool:
    try:
        _decode(line)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return False
    return True


FORMAT = Format(
    name="sacp-tee-json",
    title="sacp-tee's JSON log",
    keeps="messages, senders, times",
    lost="exact bytes, ids as they were sent, codes of errors, lines that are not messages, stderr,"
    " exit",
    reading=SacpTeeJsonReading,
    is_line=_is_line,
)
