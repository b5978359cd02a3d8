"""Paths as they go over the wire, where the peers' systems are unknown: POSIX or Windows."""

import posixpath
import re
from bisect import bisect
from collections.abc import Iterable

_ABSOLUTE = re.compile(r"/|[A-Za-z]:[\\/]|\\\\")
_WINDOWS = re.compile(r"[A-Za-z]:[\\/]|\\\\")
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")


def is_absolute(path: str) -> bool:
    r"""Return whether `path` begins at a root: `/`, `C:\`, `C:/` or `\\server`."""
    return _ABSOLUTE.match(path) is not None


def is_windows(path: str) -> bool:
    r"""Return whether `path` begins at a root of Windows."""
    return _WINDOWS.match(path) is not None


def why_relative(path: str) -> str:
    """Return why a path is not absolute, as the end of a sentence."""
    if not path:
        return "empty"
    if path.startswith("~"):
        return "a path that only a shell expands"
    if _URI.match(path):
        return "a URI"
    return "relative"


class Folders:
    """
    Folders of which one may contain a path.

    Of those inside of each other only the outermost is kept. In order, the only one that a path can
    be in is then the last in front of it: it is found without a look at the others.
    """

    def __init__(self, folders: Iterable[str]) -> None:
        self._starts: list[str] = []
        for start in sorted({normalized(folder) + "/" for folder in folders}):
            if not (self._starts and start.startswith(self._starts[-1])):
                self._starts.append(start)

    def contain(self, path: str) -> bool:
        """Return whether `path` is one of the folders or below one, if there are no links."""
        inner = normalized(path) + "/"
        place = bisect(self._starts, inner)
        return place > 0 and inner.startswith(self._starts[place - 1])


def normalized(path: str) -> str:
    """Return `path` as it is compared: without a final slash, dots and Windows spellings."""
    if is_windows(path):
        path = path.removeprefix("\\\\?\\").replace("\\", "/").lower()
    if "/." in path or "//" in path:
        path = posixpath.normpath(path)
    return path.rstrip("/")
