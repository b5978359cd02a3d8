"""Cut a byte stream into newline-terminated lines without losing a byte."""

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
        self._held = bytearray()

    def feed(self, chunk: bytes) -> list[bytes]:
        """Return the lines that `chunk` completes."""
        if not self._held and chunk[-1:] == b"\n":  # whole lines, as from nearly every writer
            return [chunk] if chunk.find(b"\n") == len(chunk) - 1 else split_lines(chunk)
        end = chunk.rfind(b"\n") + 1
        if not end:
            return self._hold(chunk)
        lines = split_lines(chunk[:end])
        if self._held:
            self._held += lines[0]
            lines[0] = self._take_held()
        if end < len(chunk):
            lines += self._hold(chunk[end:])
        return lines

    @property
    def held(self) -> bytearray:
        """What was sent after the last line end so far: the very bytes, to be looked at only."""
        return self._held

    def close(self) -> bytes:
        """Return what was sent after the last line end, or nothing."""
        return self._take_held()

    def _hold(self, chunk: bytes) -> list[bytes]:
        self._held += chunk
        return [self._take_held()] if len(self._held) > self._longest else []

    def _take_held(self) -> bytes:
        held = bytes(self._held)
        self._held = bytearray()
        return held


def split_lines(chunk: bytes) -> list[bytes]:
    r"""Split after each `\n` and nowhere else; the last piece may lack its line end."""
    if 0x0D not in chunk:  # then splitlines, which splits at \r as well, does no harm
        return chunk.splitlines(keepends=True)
    lines = [line + b"\n" for line in chunk.split(b"\n")]
    tail = lines.pop()[:-1]
    return [*lines, tail] if tail else lines
