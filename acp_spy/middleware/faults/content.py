"""Faults in what is delivered: its bytes, how they are written, and who answers."""

from collections.abc import Sequence
from functools import cache

import msgspec

from acp_spy.middleware.faults.fault import Fault
from acp_spy.middleware.line import Held, Line
from acp_spy.wire.frame import Frame, Peer
from acp_spy.wire.jsonrpc import Request, read_message

_LINE_ENDS = b"\r\n"
_MESSAGES = {
    -32700: "Parse error",
    -32600: "Invalid request",
    -32601: "Method not found",
    -32602: "Invalid params",
    -32603: "Internal error",
    -32000: "Authentication required",
    -32002: "Resource not found",
    -32800: "Request cancelled",
}


class Slice(Fault):
    """A line is written in pieces."""

    word = "slice"
    takes = "N"
    default = "3"
    meaning = (
        "Write frames in N pieces, 3 without a number, cut anywhere: in the middle of a character,"
        " if there is one that can be cut."
    )
    example = "slice:4 from:agent"

    def set(self, value: str) -> None:
        """Read how many pieces."""
        self._pieces = self.spec.number(value, least=2)

    def apply(self, line: Line) -> Sequence[Line | Held]:
        """Choose where to cut."""
        raw, random = line.raw, self.draw(line)
        inside = [place for place, byte in enumerate(raw) if 0x80 <= byte < 0xC0]
        cuts = {random.choice(inside)} if inside else set[int]()
        others = [place for place in range(1, len(raw)) if place not in cuts]
        cuts.update(random.sample(others, min(len(others), self._pieces - 1 - len(cuts))))
        return (line.sliced(sorted(cuts), self.by(line)),)


class Truncate(Fault):
    """The end of a line is missing."""

    word = "truncate"
    takes = "N"
    meaning = (
        "Deliver only the first N bytes of frames, or as many as chance says; the line end stays."
    )
    example = "truncate:40 method:session/update count:1"

    def set(self, value: str) -> None:
        """Read how many bytes are left."""
        self._length = self.spec.number(value, least=0) if value else None

    def apply(self, line: Line) -> Sequence[Line | Held]:
        """Cut the line."""
        payload = line.raw.rstrip(_LINE_ENDS)
        length = self._length
        if length is None:
            length = self.draw(line).randrange(len(payload)) if payload else 0
        raw = payload[:length] + line.raw[len(payload) :]
        return (line.replaced(raw, self.by(line)),)


class Corrupt(Fault):
    """Some bytes are wrong."""

    word = "corrupt"
    takes = "N"
    default = "1"
    meaning = "Change N bytes of frames, 1 without a number, never to a line end."
    example = "corrupt:3 from:agent p:0.05"

    def set(self, value: str) -> None:
        """Read how many bytes."""
        self._bytes = self.spec.number(value)

    def apply(self, line: Line) -> Sequence[Line | Held]:
        """Change some bytes."""
        random, raw = self.draw(line), bytearray(line.raw)
        length = len(line.raw.rstrip(_LINE_ENDS))
        for place in random.sample(range(length), min(length, self._bytes)):
            raw[place] = random.choice(_others(raw[place]))
        return (line.replaced(bytes(raw), self.by(line)),)


@cache
def _others(byte: int) -> list[int]:
    """Return what a byte may be changed to."""
    return [other for other in range(256) if other not in (*_LINE_ENDS, byte)]


class Noise(Fault):
    """A line that is no message."""

    word = "noise"
    takes = "TEXT"
    default = "[acp-spy] a log line on stdout"
    meaning = "Deliver a line that is not a message after frames, as an agent that logs to stdout."
    example = 'noise:"npm warn deprecated" p:0.1'
    implies = ("from:agent",)
    needs_frame = False

    def set(self, value: str) -> None:
        """Take the text."""
        self._line = value.encode(errors="surrogateescape") + b"\n"

    def apply(self, line: Line) -> Sequence[Line | Held]:
        """Add the line."""
        return (line, line.injected(line.to, self._line, self.name))

    def strike(self, frame: Frame) -> None:
        """Send the line to the client."""
        line = Line(Peer.CLIENT, b"", frame).injected(Peer.CLIENT, self._line, self.name)
        self.pipeline.put(self, line)


class ErrorResponse(Fault):
    """A request fails."""

    word = "error"
    takes = "CODE"
    default = "-32603"
    meaning = "Answer requests with an error of this code; the other peer never sees them."
    example = "error:-32000 method:session/new"
    implies = ("kind:request",)

    def set(self, value: str) -> None:
        """Read the code."""
        if not value.removeprefix("-").isdecimal() or len(value) > len("-2147483648"):
            raise self.spec.error(f"not an error code: `{value}`", "use error:-32603")
        code = int(value)
        message = _MESSAGES.get(code, "Error")
        self._error = {"code": code, "message": f"{message} (a fault of acp-spy)"}

    def apply(self, line: Line) -> Sequence[Line | Held]:
        """Answer a request."""
        message = read_message(line.raw.strip(_LINE_ENDS))
        if not isinstance(message, Request):
            return (line,)
        answer = {"jsonrpc": "2.0", "id": msgspec.Raw(message.id), "error": self._error}
        return (line.answered(msgspec.json.encode(answer) + b"\n", self.by(line)),)
