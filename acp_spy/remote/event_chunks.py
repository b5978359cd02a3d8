"""
The body of an event stream that comes in chunks, read from a copy of its bytes.

All known servers write an event as one line, and each event as one chunk. A burst brings hundreds
of them at once: so they are cut with a few calls for all. Whatever is not exactly so is left to
`ChunkedReader`, and the body that it returns to `SseReader`.
"""

from io import BytesIO
from itertools import repeat

import msgspec

from acp_spy.capture.codec import values_in
from acp_spy.remote.chunked import ChunkedReader

_BURST = 4096  # bytes; fewer are read faster one by one
_LONGEST_HELD = 4096  # bytes of a start, which is searched again with what comes next
_LINES = 4  # of a chunk with an event: its size, the data, an empty one, its end
_FIELD = b"data: "
_END = b"\n\n\r\n"


class EventChunks:
    """
    Takes the bytes of a body in any pieces.

    `chunks` knows whether it is over. `can_cut` is false if the body is compressed.
    """

    def __init__(self, *, can_cut: bool = True) -> None:
        self.chunks = ChunkedReader()
        self._can_cut = can_cut
        self._held = b""  # the start of an event that was not shown to `chunks`
        self._ends_event = True  # what was read so far of the body

    def feed(self, data: bytes) -> tuple[bytes, list[msgspec.Raw], bytes]:
        """Return what `data` adds: to the body, then messages, and to the body after them."""
        if self._held:
            data, self._held = self._held + data, b""
        if len(data) < _BURST or not self._can_cut:
            return self._read(data), [], b""
        before = b""
        if left := self.chunks.left:
            before, data = self._read(data[:left]), data[left:]
        if not (self._ends_event and self.chunks.is_between_chunks):
            return before + self._read(data), [], b""
        messages, at = cut_messages(data)
        data = data[at:]
        if _is_start_of_event(data):
            self._held = data
            return before, messages, b""
        return before, messages, self._read(data)

    def _read(self, data: bytes) -> bytes:
        body = self.chunks.feed(data)
        if body:
            self._ends_event = body.endswith(b"\n\n")
        return body


def cut_messages(data: bytes) -> tuple[list[msgspec.Raw], int]:
    """Return the messages in the events that `data` begins with, and where the rest begins."""
    lines = BytesIO(data).readlines()  # it searches with memchr; `split` and `count` do not
    count = (len(lines) - 1) // _LINES
    text = b"".join(map(bytes.removeprefix, lines[1 : count * _LINES : _LINES], repeat(_FIELD)))
    messages, lengths = values_in(text, count)
    for starts in (_LOWER, _UPPER) if messages else ():
        # If the events are spelled like this, there was nothing but these messages.
        parts: list[bytes | msgspec.Raw] = [_END] * (2 * count + 1)
        parts[0:-1:2] = map(starts.__getitem__, lengths)
        parts[1::2] = messages
        spelled = b"".join(parts)
        if data.startswith(memoryview(spelled)[len(_END) :]):
            return messages, len(spelled) - len(_END)
    return [], 0


def _is_start_of_event(data: bytes) -> bool:
    """Whether nothing in `data` completes an event, so that it can wait for the rest."""
    return len(data) < _LONGEST_HELD and b"\n\n" not in data and data.count(b"\r") < 2


class _Starts(dict[int, bytes]):
    """By the length of a message: the end of the chunk before it, and the start of its own."""

    def __init__(self, spelling: bytes) -> None:
        self._spelling = _END + spelling + b"\r\n" + _FIELD

    def __missing__(self, length: int) -> bytes:
        start = self._spelling % (len(_FIELD) + length + len(b"\n\n"))
        if len(self) < 4096:
            self[length] = start
        return start


_LOWER, _UPPER = _Starts(b"%x"), _Starts(b"%X")
