"""
JSON Pointer (RFC 6901): spell one, look up its value, find its place in the text that was sent.

A place is found in the bytes themselves, since a message that was read and written again is not
the one that was sent.
"""

import json
import re
from collections.abc import Collection, Generator, Iterable, Iterator
from contextlib import suppress
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
    return spans(text, [pointer]).get(pointer)


def spans(text: bytes, pointers: Collection[str]) -> dict[str, Span]:
    """Return where the values stand that `pointers` lead to; without those that lead nowhere."""
    top = _search(text, pointers)
    found = {pointer: _way(top, pointer) for pointer in pointers}
    return {
        pointer: way[-1].span
        for pointer, way in found.items()
        if len(way) > pointer.count("/") and way[-1].span.end > way[-1].span.start
    }


def nearest_span(text: bytes, pointer: str) -> Span | None:
    """
    Return where the value stands, or the nearest around it.

    A field that is missing has no place; the object that lacks it has one. The top has none that
    would be worth pointing at.
    """
    _, *way = _way(_search(text, [pointer]), pointer)
    return way[-1].span if way else None


class _Found(msgspec.Struct):
    """A value, and what was looked for in it and found."""

    span: Span
    inside: "dict[str, _Found]" = msgspec.field(default_factory=dict)


class _Open(msgspec.Struct):
    """A value that is being searched: its name around it, and what is wanted in it, by name."""

    name: str
    found: _Found
    wanted: dict[str, Any]
    members: "_Members"


def _way(top: _Found, pointer: str) -> list[_Found]:
    """Return what was found on the way to `pointer`, from the top."""
    way = [top]
    for step in steps(pointer):
        if step not in way[-1].inside:
            break
        way.append(way[-1].inside[step])
    return way


def _search(text: bytes, pointers: Iterable[str]) -> _Found:
    """
    Return the top, with what is on the way to `pointers`. The end of the top may be torn off.

    It takes one pass. One for each pointer, or for each step, would be the square.
    """
    wanted: dict[str, Any] = {}
    for pointer in pointers:
        below = wanted
        for step in steps(pointer):
            below = below.setdefault(step, {})
    start = _skip_blanks(text, 0)
    top = _Found(Span(start, start))
    opened = [_Open("", top, wanted, _members(text, start))]
    end = None
    while opened:
        here = opened[-1]
        try:
            name, at, where = here.members.send(end)
        except StopIteration as stop:
            end, place = stop.value, here.found.span
            here.found.span = Span(place.start, end, place.name)
            opened.pop()
            if opened and end > place.start:  # of two with one name, readers take the last
                opened[-1].found.inside[here.name] = here.found
        else:
            inner = here.wanted.get(name)
            if inner:
                found = _Found(Span(at, at, where))
                opened.append(_Open(name, found, inner, _members(text, at)))
                end = None
            else:
                end = _end_of_value(text, at)
                if inner is not None and end > at:
                    here.found.inside[name] = _Found(Span(at, end, where))
    return top


def items(text: bytes, start: int) -> Iterator[tuple[str, Span]]:
    """Give what the object or list at `start` has, by name or number, as far as it is readable."""
    members = _members(text, start)
    end = None
    with suppress(StopIteration):
        while True:
            name, at, where = members.send(end)
            end = _end_of_value(text, at)
            if end > at:
                yield name, Span(at, end, where)


# It gives a name, where the value begins, and where the name stands, is sent where that value
# ends, and returns where all of it ends.
_Members = Generator[tuple[str, int, tuple[int, int] | None], int | None, int]


def _members(text: bytes, start: int) -> _Members:
    """Give the members of the value at `start`, as far as they are readable, and skip the rest."""
    opening = text[start : start + 1]
    if opening not in (b"{", b"["):
        return _end_of_value(text, start)
    at = _skip_blanks(text, start + 1)
    count = 0
    while text[at : at + 1] not in (b"}", b"]"):
        name, where = str(count), None
        if opening == b"{":
            token = _TOKEN.match(text, at)
            if token is None or not token[0].startswith(b'"'):
                break
            name, where = _unquoted(token[0]), token.span()
            at = _skip_blanks(text, token.end())
            if text[at : at + 1] != b":":
                break
            at = _skip_blanks(text, at + 1)
        end = yield name, at, where
        if not end or end == at:
            if text[at : at + 1] in (b"{", b"["):
                return start  # what is not closed in it leaves it open
            break
        count += 1
        at = _skip_blanks(text, end)
        if text[at : at + 1] != b",":
            break
        at = _skip_blanks(text, at + 1)
    return _closing(text, at, depth=1) or start


def _end_of_value(text: bytes, start: int) -> int:
    """Return where the value that begins at `start` ends; `start` when none begins there."""
    first = _TOKEN.match(text, start)
    if first is None or first[0] in b"}]":
        return start
    return _closing(text, start) or start


def _closing(text: bytes, at: int, depth: int = 0) -> int:
    """Return where `depth` brackets are closed, from `at` on; 0 if they are not."""
    for token in _TOKEN.finditer(text, at):
        depth += {b"{": 1, b"[": 1, b"}": -1, b"]": -1}.get(token[0], 0)
        if depth == 0:
            return token.end()
    return 0


def _skip_blanks(text: bytes, at: int) -> int:
    blank = _BLANK.match(text, at)
    return blank.end() if blank else at


def _unquoted(name: bytes) -> str:
    try:
        return str(json.loads(name))
    except ValueError:
        return name.decode(errors="backslashreplace")
