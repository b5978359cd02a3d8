"""A chunked HTTP body, read from a copy of its bytes: what it holds, and where it ends."""

_LONGEST_LINE = 16 * 1024  # of a chunk's head, or of a trailer


class ChunkedReader:
    """
    Takes the bytes of a body in any pieces.

    `is_over` once the end has come; `rest` is what came after it. `is_broken` if it is not chunked.
    """

    def __init__(self) -> None:
        self.is_over = self.is_broken = False
        self.rest = b""
        self._held = b""
        self._left = 0  # bytes of the current chunk, with its line end

    def feed(self, data: bytes) -> bytes:
        """Return what `data` adds to the body."""
        parts: list[bytes] = []
        at = 0
        if self._left:
            at = self._go_on(data, parts)
        elif self._held:
            data = self._held + data
        self._held = b""
        if not self._left:
            at = _take_plain(data, at, parts)
        find = data.find
        while not self._left and not self.is_over:
            end = find(b"\r\n", at)
            if end < 0:
                self._hold(data[at:])
                break
            try:
                size = int(data[at:end].partition(b";")[0], 16)
            except ValueError:
                size = -1
            if size < 0:
                self.is_broken = self.is_over = True
                break
            if size == 0:
                self._end(data[end + 2 :], data[at:])
                break
            start = end + 2
            stop = start + size
            parts.append(data[start:stop])
            at = stop + 2
            if at > len(data):
                self._left = at - len(data)
        return b"".join(parts)

    def _go_on(self, data: bytes, parts: list[bytes]) -> int:
        """Take the rest of a chunk; return where the next begins."""
        body = self._left - 2
        if body > 0:
            parts.append(data[:body])
        taken = min(self._left, len(data))
        self._left -= taken
        return taken

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


def _take_plain(data: bytes, at: int, parts: list[bytes]) -> int:
    """
    Take the whole chunks from `at` on if none has a line end of HTTP; return where the rest begins.

    An event is a chunk, and hundreds come at once. So they are cut with a few calls for all, and
    the size of each is looked up rather than read.
    """
    pieces = (data[at:] if at else data).split(b"\r\n")
    count = (len(pieces) - 1) // 2
    bodies = pieces[1 : 2 * count : 2]
    try:
        sizes = [*map(_size, pieces[0 : 2 * count : 2])]
    except ValueError:  # an extension, or what is not chunked
        return at
    if not all(sizes) or sizes != [*map(len, bodies)]:
        return at
    parts += bodies
    return len(data) - len(b"\r\n".join(pieces[2 * count :]))


class _Sizes(dict[bytes, int]):
    """The sizes of chunks by their digits."""

    def __missing__(self, digits: bytes) -> int:
        size = int(digits, 16)
        if len(self) < 4096:
            self[digits] = size
        return size


_size = _Sizes().__getitem__
