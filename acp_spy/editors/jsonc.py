"""
JSON with comments and trailing commas, read with the place of everything, so that it can be edited.

A value is read into what it means and where it is; nothing is ever written back from that,
so comments, blank lines and spelling stay as they are.
"""

import json
import re
from typing import Any

import msgspec

DEEPEST = 100
_BLANK = re.compile(r"(?:[ \t\r\n]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_WORD = re.compile(r"-?[0-9][-+.0-9eE]*|true|false|null")


class NotJson(ValueError):  # noqa: N818 - as it reads in a message
    """What is wrong, and in which line."""

    def __init__(self, text: str, at: int, what: str) -> None:
        super().__init__(f"line {text.count(chr(10), 0, at) + 1}: {what}")


class Member(msgspec.Struct):
    """A key of an object, where the key begins, and its value."""

    key: str
    start: int
    value: "Value"


class Value(msgspec.Struct):
    """A value: what it means, its start and end, and the members or items in it."""

    plain: Any
    start: int
    end: int
    members: list[Member] | None = None  # of an object
    items: "list[Value] | None" = None  # of an array


def read(text: str) -> Value:
    """Return the one value in `text`. Raises `NotJson` if it is anything else."""
    value = _value(text, skip(text, 0), 0)
    end = skip(text, value.end)
    if end != len(text):
        raise NotJson(text, end, "text after the end of the JSON value")
    return value


def skip(text: str, at: int) -> int:
    """Return where the blanks and comments that begin at `at` end."""
    found = _BLANK.match(text, at)
    assert found is not None
    return found.end()


def _value(text: str, at: int, depth: int) -> Value:
    if depth > DEEPEST:
        raise NotJson(text, at, "nested too deeply")
    match text[at : at + 1]:
        case "{":
            return _object(text, at, depth)
        case "[":
            return _array(text, at, depth)
        case '"':
            plain, end = _string(text, at)
            return Value(plain, at, end)
        case _:
            found = _WORD.match(text, at)
            if not found:
                raise NotJson(text, at, "expected a value")
            return Value(_decoded(text, at, found.group()), at, found.end())


def _object(text: str, start: int, depth: int) -> Value:
    members: list[Member] = []
    at = skip(text, start + 1)
    while text[at : at + 1] != "}":
        key, end = _string(text, at)
        colon = skip(text, end)
        if text[colon : colon + 1] != ":":
            raise NotJson(text, colon, "expected `:`")
        value = _value(text, skip(text, colon + 1), depth + 1)
        members.append(Member(key, at, value))
        at = _next(text, value.end, "}")
    return Value({m.key: m.value.plain for m in members}, start, at + 1, members)


def _array(text: str, start: int, depth: int) -> Value:
    items: list[Value] = []
    at = skip(text, start + 1)
    while text[at : at + 1] != "]":
        value = _value(text, at, depth + 1)
        items.append(value)
        at = _next(text, value.end, "]")
    return Value([item.plain for item in items], start, at + 1, items=items)


def _next(text: str, at: int, closing: str) -> int:
    """Return where the next item begins, or the closing bracket is."""
    at = skip(text, at)
    if text[at : at + 1] == ",":
        return skip(text, at + 1)
    if text[at : at + 1] != closing:
        raise NotJson(text, at, f"expected `,` or `{closing}`")
    return at


def _string(text: str, at: int) -> tuple[str, int]:
    found = _STRING.match(text, at)
    if not found:
        raise NotJson(text, at, "expected a string")
    return _decoded(text, at, found.group()), found.end()


def _decoded(text: str, at: int, spelled: str) -> Any:
    try:
        return json.loads(spelled)
    except ValueError:
        raise NotJson(text, at, f"`{spelled[:40]}` is not JSON") from None
