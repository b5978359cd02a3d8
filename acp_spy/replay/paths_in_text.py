"""
Paths that are found and replaced in JSON text, however many there are.

A path is found wherever it is in a text: at the beginning of a longer one, in a URL, in the
middle of what an agent says. Only the path itself is replaced; the text around it stays as it was.
"""

import re
from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Iterable, Iterator

import msgspec

# What may come before or after a path and makes it another path. An escape such as `\n`
# ends with a letter, but not a path's.
_BEFORE = rb"(?:(?<![A-Za-z0-9_.~\x80-\xff-])|(?<=[^\\]\\[nrtbf])|(?<=\\u[0-9a-fA-F]{4}))"
_AFTER = re.compile(rb"(?![A-Za-z0-9_~\x80-\xff-]|\.[A-Za-z0-9])")

# A path may begin with what is the second half of an escape.
_ESCAPES = (b"/", b"\\", b"b", b"f", b"n", b"r", b"t", b"u")

_LONGEST = 4096  # characters: no system opens a longer path

_ROOT_CWD = re.compile(rb'("cwd"[ \t]*:[ \t]*")/"')


class Paths:
    """
    The paths to find.

    They are looked up in sorted order: one expression of all would have to be made again for
    each that is added, and would try each in every place.
    """

    def __init__(self, paths: Iterable[str] = ()) -> None:
        self._paths: dict[bytes, str] = {}  # by each spelling that JSON has for it
        self._sorted: list[bytes] = []
        self._longest = 0
        self._begin: re.Pattern[bytes] | None = None
        self._has_root = False
        for path in paths:
            self.add(path)

    def add(self, path: str) -> None:
        """Find `path` from now on."""
        if path == "/":  # every path begins with it: only a `cwd` is it
            self._has_root = True
            return
        for spelling in _spellings(path) - self._paths.keys():
            self._paths[spelling] = path
            insort(self._sorted, spelling)
            self._longest = max(self._longest, len(spelling))
            self._begin = None

    def remove(self, path: str) -> None:
        """Find `path` no longer."""
        if path == "/":
            self._has_root = False
            return
        for spelling in _spellings(path):
            del self._paths[spelling]
            self._sorted.remove(spelling)
            self._begin = None

    def replace(self, content: bytes, called: Callable[[str], str]) -> bytes:
        """Return `content`, JSON text or a part of it, with each path as it is `called`."""
        if self._has_root and (root := called("/")) != "/":
            content = _ROOT_CWD.sub(lambda found: found[1] + _spell(root) + b'"', content)
        parts, done = [], 0
        for start, end in self._places(content):
            path = self._paths[content[start:end]]
            if (name := called(path)) == path:
                continue
            goes_on = content.startswith((b"/", b"\\\\"), end)
            parts += [content[done:start], b"" if name == "/" and goes_on else _spell(name)]
            done = end
        return b"".join([*parts, content[done:]]) if parts else content

    def _places(self, content: bytes) -> Iterator[tuple[int, int]]:
        """Yield where a path is; of those that begin in the same place, the longest."""
        if not self._sorted:
            return
        end = 0
        for found in self._where_one_may_begin().finditer(content):
            start = found.start()
            if start < end or _is_in_escape(content, start):
                continue
            if length := self._length_at(content, start):
                end = start + length
                yield start, end

    def _where_one_may_begin(self) -> re.Pattern[bytes]:
        if self._begin is None:
            # What the first and the last of them share, all share.
            first, last = self._sorted[0], self._sorted[-1]
            begin = re.escape(first[: _shared(first, last)]) or self._first_bytes()
            self._begin = re.compile(_BEFORE + b"(?=" + begin + b")")
        return self._begin

    def _first_bytes(self) -> bytes:
        return b"[" + re.escape(bytes({spelling[0] for spelling in self._sorted})) + b"]"

    def _length_at(self, content: bytes, start: int) -> int:
        """Return the length of the longest path that begins here, 0 if none does."""
        text = content[start : start + self._longest]
        # Of the paths up to `text` in sorted order, the last is the one that shares most with it.
        while place := bisect_right(self._sorted, text):
            path = self._sorted[place - 1]
            if not text.startswith(path):
                text = text[: _shared(path, text)]
            elif _AFTER.match(content, start + len(path)):
                return len(path)
            else:
                text = path[:-1]
        return 0


def _shared(one: bytes, other: bytes) -> int:
    """Return how many bytes are the same at the beginning: both may be very long."""
    lengths = range(1, min(len(one), len(other)) + 1)
    return bisect_left(lengths, True, key=lambda length: one[:length] != other[:length])


def _is_in_escape(content: bytes, start: int) -> bool:
    return content[start - 1 : start] == b"\\" and content[start : start + 1] in _ESCAPES


def _spellings(path: str) -> set[bytes]:
    import json

    if len(path) > _LONGEST:
        return set()
    return {_spell(path), json.dumps(path)[1:-1].encode()}


def _spell(text: str) -> bytes:
    return msgspec.json.encode(text)[1:-1]
