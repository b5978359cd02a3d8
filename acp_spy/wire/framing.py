"""Cut a byte stream into newline-terminated lines without losing a byte."""

from io import BytesIO

# A peer that never ends its line must not fill the memory of the process that everything
# passes through. No message is this long; a line that is comes out in pieces.
LONGEST_LINE = 65 * 1024 * 1024


class Framer:
    """
    Chunks in, lines out.

    Each line keeps its line end. Nothing is searched twice for it: the start of a line is held
    until the end comes, however many chunks that takes.
    """

    def __init__(self, longest: int = LONGEST_LINE) -> None:
        self._longest = longest
        self._held: BytesIO | None = None  # gives its bytes without a copy, as no bytearray does

    def feed(self, chunk: bytes) -> list[bytes]:
        """Return the lines that `chunk` completes."""
        if self._held is None and chunk[-1:] == b"\n":  # whole lines, as from nearly every writer
            return [chunk] if chunk.find(b"\n") == len(chunk) - 1 else split_lines(chunk)
        end = chunk.rfind(b"\n") + 1
        if not end:
            return self._hold(chunk)
        lines = split_lines(chunk[:end])
        if self._held is not None:
            self._held.write(lines[0])
            lines[0] = self._take_held()
        if end < len(chunk):
            lines += self._hold(chunk[end:])
        return lines

    @property
    def held(self) -> bytes | memoryview:
        """What was sent after the last line end so far: to be looked at before the next `feed`."""
        return b"" if self._held is None else self._held.getbuffer()

    def close(self) -> bytes:
        """Return what was sent after the last line end, or nothing."""
        return self._take_held()

    def _hold(self, chunk: bytes) -> list[bytes]:
        if self._held is None:
            self._held = BytesIO()
        self._held.write(chunk)
        return [self._take_held()] if self._held.tell() > self._longest else []

    def _take_held(self) -> bytes:
        held, self._held = self._held, None
        return b"" if held is None else held.getvalue()


class Parts:
    """Tells the parts of a line that was too long for a `Framer` from whole lines."""

    def __init__(self, longest: int = LONGEST_LINE) -> None:
        self._longest = longest
        self._has_begun = False

    def has(self, line: bytes) -> bool:
        """Whether this, which comes after what was asked for before, is a part of a line."""
        is_whole = line.endswith(b"\n")
        is_part = self._has_begun or (len(line) > self._longest and not is_whole)
        self._has_begun = is_part and not is_whole
        return is_part


def split_lines(chunk: bytes) -> list[bytes]:
    r"""Split after each `\n` and nowhere else; the last piece may lack its line end."""
    return BytesIO(chunk).readlines()  # much faster than `splitlines`, which splits at \r, too
