"""Paths as they go over the wire, where the peers' systems are unknown: POSIX or Windows."""

import re

_ABSOLUTE = re.compile(r"/|[A-Za-z]:[\\/]|\\\\")
_WINDOWS = re.compile(r"[A-Za-z]:[\\/]|\\\\")
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")


def is_absolute(path: str) -> bool:
    r"""Tell whether `path` begins at a root: `/`, `C:\`, `C:/` or `\\server`."""
    return _ABSOLUTE.match(path) is not None


def is_windows(path: str) -> bool:
    r"""Tell whether `path` begins at a root of Windows."""
    return _WINDOWS.match(path) is not None


def why_relative(path: str) -> str:
    """Say in words what is not absolute about a path that is not."""
    if not path:
        return "empty"
    if path.startswith("~"):
        return "for a shell to expand"
    if _URI.match(path):
        return "a URI"
    return "relative"


def same_folder(one: str, other: str) -> bool:
    """Tell whether two paths are spelled alike, but for a slash at the end and Windows' ways."""
    return _plain(one) == _plain(other)


def is_within(path: str, folder: str) -> bool:
    """Tell whether `path` is `folder` or below it, as both are spelled."""
    inner, outer = _plain(path), _plain(folder)
    return inner == outer or inner.startswith(outer + "/")


def _plain(path: str) -> str:
    if is_windows(path):
        path = path.removeprefix("\\\\?\\").replace("\\", "/").lower()
    return path.rstrip("/")
