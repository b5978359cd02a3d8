"""A chunked HTTP body, read from a copy of its bytes: what it holds, and where it ends."""

import re

_LONGEST_LINE = 16 * 1024  # of a chunk's head, or of a trailer
_LINE_END = b"\r\n"
_DIGITS = re.compile(rb"[0-9A-Fa-f]{1,16}")


class ChunkedReader:
    """
    Takes the bytes of a body in any pieces.

    `is_over` once the end has come; `rest` is what came after it. `is_broken` if it is not chunked.
    `left` is how much of a chunk is still to come, with its line end.
    """

    def __init__(self) -> None:
        self.is_over = self.is_broken = False
        self.rest = b""
        self._held = b""
        self.left = 0

    @property
    def is_between_chunks(self) -> bool:
        """Whether all of a chunk has come, and nothing of the next."""
        return not self.left and not self._held and not self.is_over

    def feed(self, data: bytes) -> bytes:
        """Return what `data` adds to the body."""
        parts: list[bytes] = []
        at = 0
        if self.left:
            at = self._go_on(data, parts)
        elif self._held:
            data = self._held + data
        self._held = b""
        find = data.find
        while not self.left and not self.is_over:
            end = find(b"\r\n", at)
            if end < 0:
                self._hold(data[at:])
                break
            try:
                size = chunk_size(data[at:end].partition(b";")[0])
            except ValueError:
                self.is_broken = self.is_over = True
                break
            if size == 0:
                self._end(data[end + 2 :], data[at:])
                break
            start = end + 2
            stop = start + size
            parts.append(data[start:stop])
            at = stop + 2
            self._expect(_LINE_END, data[stop:at])
            if at > len(data):
                self.left = at - len(data)
        return b"".join(parts)

    def _go_on(self, data: bytes, parts: list[bytes]) -> int:
        """Take the rest of a chunk; return where the next begins."""
        body = max(self.left - len(_LINE_END), 0)
        if body:
            parts.append(data[:body])
        taken = min(self.left, len(data))
        self._expect(_LINE_END[-self.left :], data[body:taken])
        self.left -= taken
        return taken

    def _expect(self, line_end: bytes, came: bytes) -> None:
        """Notice that a chunk does not end where its size says: `came` is what is there so far."""
        if not line_end.startswith(came):
            self.is_broken = self.is_over = True

    def _hold(self, start: bytes) -> None:
        if len(start) > _LONGEST_LINE:
            self.is_broken = self.is_over = True
        self._held = start

    def _end(self, trailers: bytes, from_size: bytes) -> None:
        """Take the last chunk; there may be trailers before the empty line."""
        if trailers.startswith(b"\r\n"):
            self.is_over, self.rest = True, trailers[2:]
            return
        _, mark, rest = trailers.partition(b"\r\n\r\n")
        if mark:
            self.is_over, self.rest = True, rest
        else:
            self._hold(from_size)


def chunk_size(digits: bytes) -> int:
    """Return the size that is at the head of a chunk. Raises `ValueError`."""
    digits = digits.rstrip(b" \t")
    if not _DIGITS.fullmatch(digits):  # `int` takes `+5`, `0x5` and `1_0` as well; others do not
        raise ValueError("not a size")
    return int(digits, 16)
