"""
JSON Pointer (RFC 6901): spell one, look up its value, find its place in the text that was sent.

A place is found in the bytes themselves, since a message that was read and written again is not
the one that was sent.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

import msgspec

# Possessive: a string of megabytes is passed at one go, and never tried twice.
_STRING = rb'"(?:[^"\\]++|\\.)*+"'
_TOKEN = re.compile(_STRING + rb'|[{}\[\]]|[^\s{}\[\]",:]++', re.DOTALL)
_BLANK = re.compile(rb"[ \t\r\n]*")
_INDEX = re.compile(r"0|[1-9][0-9]*")


class Span(msgspec.Struct, frozen=True):
    """
    Where a value stands: `start` to `end`, in bytes.

    `name` is where the name stands that it has in its object; a list's items have none.
    """

    start: int
    end: int
    name: tuple[int, int] | None = None


def spell(*steps: str | int) -> str:
    """Return the pointer that takes these steps from the top: `/params/prompt/0`."""
    return "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in steps)


def steps(pointer: str) -> list[str]:
    """Return the steps that `pointer` takes; the inverse of `spell`."""
    parts = pointer.split("/")[1:]
    return [part.replace("~1", "/").replace("~0", "~") for part in parts]


def lookup(value: Any, pointer: str) -> Any:
    """Return what `pointer` leads to; `LookupError` when it leads nowhere."""
    for step in steps(pointer):
        if isinstance(value, dict):
            value = value[step]
        elif isinstance(value, list) and _INDEX.fullmatch(step):
            value = value[int(step)]
        else:
            raise LookupError(f"`{pointer}` leads nowhere: there is no `{step}`")
    return value


def span(text: bytes, pointer: str) -> Span | None:
    """Return where in `text` the value stands that `pointer` leads to; `None` when nowhere."""
    start = _skip_blanks(text, 0)
    found: Span | None = Span(start, start if pointer else _end_of_value(text, start))
    for step in steps(pointer):
        found = found and _item(text, found.start, step)
    return found if found and found.start < found.end else None


def nearest_span(text: bytes, pointer: str) -> Span | None:
    """
    Return where the value stands, or the nearest around it.

    A field that is missing has no place; the object that lacks it has one. The top has none that
    would be worth pointing at.
    """
    found = None
    start = _skip_blanks(text, 0)
    for step in steps(pointer):
        here = _item(text, start, step)
        if here is None:
            break
        found, start = here, here.start
    return found


def _item(text: bytes, start: int, step: str) -> Span | None:
    found = None
    for name, item in items(text, start):
        if name == step:
            found = item  # no break: of two members with one name, readers take the last
    return found


def items(text: bytes, start: int) -> Iterator[tuple[str, Span]]:
    """Give what the object or list at `start` has, by name or number, as far as it is readable."""
    opening = text[start : start + 1]
    at = _skip_blanks(text, start + 1)
    count = 0
    while opening in (b"{", b"[") and at < len(text) and text[at : at + 1] not in (b"}", b"]"):
        name, where = str(count), None
        if opening == b"{":
            token = _TOKEN.match(text, at)
            if token is None or not token[0].startswith(b'"'):
                return
            name, where = _unquoted(token[0]), token.span()
            at = _skip_blanks(text, token.end())
            if text[at : at + 1] != b":":
                return
            at = _skip_blanks(text, at + 1)
        end = _end_of_value(text, at)
        if end == at:
            return
        yield name, Span(at, end, where)
        count += 1
        at = _skip_blanks(text, end)
        if text[at : at + 1] != b",":
            return
        at = _skip_blanks(text, at + 1)


def _end_of_value(text: bytes, start: int) -> int:
    """Return where the value that begins at `start` ends; `start` when none begins there."""
    depth = 0
    first = _TOKEN.match(text, start)
    if first is None or first[0] in b"}]":
        return start
    for token in _TOKEN.finditer(text, start):
        depth += {b"{": 1, b"[": 1, b"}": -1, b"]": -1}.get(token[0], 0)
        if depth == 0:
            return token.end()
    return start


def _skip_blanks(text: bytes, at: int) -> int:
    blank = _BLANK.match(text, at)
    return blank.end() if blank else at


def _unquoted(name: bytes) -> str:
    try:
        return str(json.loads(name))
    except ValueError:
        return name.decode(errors="backslashreplace")
