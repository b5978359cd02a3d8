"""
The body of an event stream that comes in chunks, read from a copy of its bytes.

All known servers write an event as one line, and each event as one chunk. A burst brings hundreds
of them at once: so they are cut with a few calls for all. Whatever is not exactly so is left to
`ChunkedReader`, and the body that it returns to `SseReader`.
"""

from io import BytesIO
from itertools import repeat
from operator import itemgetter

from acp_spy.remote.chunked import ChunkedReader, chunk_size

_BURST = 4096  # bytes; fewer are read faster one by one
_LONGEST_HELD = 4096  # bytes of a start, which is searched again with what comes next
_LINES = 4  # of a chunk with an event: its size, the data, an empty one, its end
_FIELD = b"data: "
_value = itemgetter(slice(len(_FIELD), -1))


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

    def feed(self, data: bytes) -> tuple[bytes, list[bytes], bytes]:
        """Return what `data` adds: to the body, then events that were cut, and the body after."""
        if self._held:
            data, self._held = self._held + data, b""
        if len(data) < _BURST or not self._can_cut:
            return self._read(data), [], b""
        before = b""
        if left := self.chunks.left:
            before, data = self._read(data[:left]), data[left:]
        if not (self._ends_event and self.chunks.is_between_chunks):
            return before + self._read(data), [], b""
        events, at = cut_events(data)
        data = data[at:]
        if _is_start_of_event(data):
            self._held = data
            return before, events, b""
        return before, events, self._read(data)

    def _read(self, data: bytes) -> bytes:
        body = self.chunks.feed(data)
        if body:
            self._ends_event = body.endswith(b"\n\n")
        return body


def cut_events(data: bytes) -> tuple[list[bytes], int]:
    """Return the data of the events that `data` begins with, and where the rest begins."""
    lines = BytesIO(data).readlines()  # it searches with memchr; `split` and `count` do not
    count = (len(lines) - 1) // _LINES
    end = count * _LINES
    fields = lines[1:end:_LINES]
    try:
        is_plain = (
            [*map(_length, lines[0:end:_LINES])] == [*map(len, fields)]
            and lines[2:end:_LINES] == [b"\n"] * count
            and lines[3:end:_LINES] == [b"\r\n"] * count
            and all(map(bytes.startswith, fields, repeat(_FIELD)))
            and b"\r" not in b"".join(fields)  # which ends a line of an event, too
        )
    except ValueError:
        is_plain = False
    if not is_plain:
        return [], 0
    return [*map(_value, fields)], len(data) - sum(map(len, lines[end:]))


def _is_start_of_event(data: bytes) -> bool:
    """Whether nothing in `data` completes an event, so that it can wait for the rest."""
    return len(data) < _LONGEST_HELD and b"\n\n" not in data and data.count(b"\r") < 2


class _Lengths(dict[bytes, int]):
    """By the line with the size of a chunk: how long the line is that the chunk begins with."""

    def __missing__(self, line: bytes) -> int:
        if not line.endswith(b"\r\n"):
            raise ValueError("not a line of HTTP")
        length = chunk_size(line[:-2]) - 1
        if len(self) < 4096:
            self[line] = length
        return length


_length = _Lengths().__getitem__
