"""
Names inside of text, marked so that they can be found again and shown as something else.

A mark is `kind` and `name` between noncharacters of Unicode, which no text of a peer keeps.
"""

import re
from collections.abc import Callable

_OPEN, _MIDDLE, _CLOSE = "\ufdd0", "\ufdd1", "\ufdd2"
_MARK = re.compile(f"{_OPEN}([^{_MIDDLE}]*){_MIDDLE}([^{_CLOSE}]*){_CLOSE}")
_FOREIGN = re.compile(f"[{_OPEN}{_MIDDLE}{_CLOSE}]")

Name = tuple[str, str]  # what is named, and how
Scope = tuple[str | None, str, str]  # the session in which a name is unique, and the name


def mark(kind: str, name: str) -> str:
    """Return `name` as one that is marked."""
    return f"{_OPEN}{kind}{_MIDDLE}{name}{_CLOSE}"


def without_marks(text: str) -> str:
    """Return text of a peer, in which no mark can be."""
    return _FOREIGN.sub("\ufffd", text) if _FOREIGN.search(text) else text


def marked(text: str) -> list[Name]:
    """Return the names that are marked in `text`, in their order."""
    return [(found[1], found[2]) for found in _MARK.finditer(text)]


def replace_marks(text: str, shown: Callable[[Name], str]) -> str:
    """Return `text` with each mark replaced."""
    if _OPEN not in text:
        return text
    return _MARK.sub(lambda found: shown((found[1], found[2])), text)


def scope_of(session: str | None, name: Name) -> Scope:
    """Return where a name is one and the same thing: in its session, or everywhere."""
    kind, text = name
    in_session = kind in ("tool call", "terminal", "message")
    return (session if in_session else None, kind, text)
