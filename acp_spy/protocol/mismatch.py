"""One way in which a value does not conform to the protocol, and the wording for it."""

import enum
import json
from typing import Any

import msgspec

from acp_spy.protocol.shapes import (
    Anything,
    Boolean,
    Choice,
    Integer,
    List,
    Null,
    Number,
    Shape,
    Text,
)
from acp_spy.wire.pointer import spell, steps


class Spot(msgspec.Struct, frozen=True):
    """
    A place in the value (`path`), the definition that it must match, and how lenient readers are.

    `lost` is the place that lenient readers drop with all its contents.
    """

    path: str
    shape: str
    lenient: str
    depth: int = 0
    lost: str = ""

    def at(self, step: str | int, lenient: str | None = None) -> "Spot":
        """Return the place one step further in; readers are as lenient there as above."""
        path = self.path + spell(step)
        if lenient is None:
            return Spot(path, self.shape, self.lenient, self.depth + 1, self.lost)
        return Spot(path, self.shape, lenient, self.depth + 1, path)

    def named(self, shape: str) -> "Spot":
        """Return the same place, with the definition of that name."""
        return Spot(self.path, shape or self.shape, self.lenient, self.depth, self.lost)

    @property
    def key(self) -> str:
        """The last step that led here."""
        return steps(self.path)[-1] if self.path else ""


class MismatchKind(enum.Enum):
    """The kind of mistake."""

    MISSING_KEY = "missing-key"
    UNKNOWN_KEY = "unknown-key"
    RENAMED_KEY = "renamed-key"
    WRONG_TYPE = "wrong-type"
    UNKNOWN_VALUE = "unknown-value"
    MISSING_TAG = "missing-tag"
    WRONG_TAG_KEY = "wrong-tag-key"
    UNKNOWN_TAG = "unknown-tag"
    MISSING_WRAPPER = "missing-wrapper"
    OUT_OF_RANGE = "out-of-range"
    TOO_SHORT = "too-short"
    BAD_FORMAT = "bad-format"


class Mismatch(msgspec.Struct, frozen=True):
    """
    One mistake.

    `path` is a JSON Pointer from the value that was walked. `key` is the name of the field as it
    was sent, or as it should have been sent; `instead` is the nearest legal name or value,
    `legal_in` the edition where this one is legal. `lenient` is empty if readers refuse the whole
    message; otherwise part of it is silently dropped: the field (`default`), a null (`null`), the
    item (`skip`), or an unknown field (`ignored`). `lost` is the path of what is dropped. `inner`
    are the fields that should be inside the missing wrapper `key`.
    """

    kind: MismatchKind
    path: str
    expected: str = ""
    got: str = ""
    key: str = ""
    instead: str = ""
    shape: str = ""
    lenient: str = ""
    legal_in: str = ""
    lost: str = ""
    inner: tuple[str, ...] = ()


LONGEST_QUOTE = 40


def describe(value: Any) -> str:
    """Describe a JSON value in a few words."""
    match value:
        case dict():
            return "an object"
        case list():
            return f"a list of {len(value)}"
        case str():
            cut = value if len(value) <= LONGEST_QUOTE else value[:LONGEST_QUOTE] + "…"
            return "the string " + json.dumps(cut, ensure_ascii=False)
        case bool() | None:
            return json.dumps(value)
        case float():
            return f"the float {value!r}"
        case _ if value.bit_length() > 128:  # its digits would fill the screen
            return "a huge integer"
        case _:
            return f"the integer {value}"


_NAMES: dict[type[Shape], str] = {
    Anything: "anything",
    Null: "null",
    Boolean: "true or false",
    Integer: "an integer",
    Number: "a number",
    Text: "a string",
    List: "a list",
}


def describe_shape(shape: Shape) -> str:
    """Describe the values that a shape accepts in a few words."""
    match shape:
        case Text(values=values, open=False) if values:
            return listed(values)
        case Choice(options=options):
            return " or ".join(dict.fromkeys(map(describe_shape, options)))
        case _:
            return _NAMES.get(type(shape), "an object")


def within(low: float | None, high: float | None) -> str:
    """Describe a range of numbers."""
    if high is None:
        return f"at least {low}"
    if low == high:
        return f"{low}"
    return f"{low} to {high}" if low is not None else f"at most {high}"


def listed(words: "tuple[str, ...] | list[str]") -> str:
    """Return the values in backquotes, separated by commas."""
    return ", ".join(f"`{word}`" for word in words)


def lost_at(spot: Spot) -> str:
    """Return the path of what lenient readers drop for a mismatch at this spot."""
    return spot.lost if spot.lenient not in ("", "ignored") else ""


def missing_tag(tag: str, values: list[str], spot: Spot) -> Mismatch:
    """Return the mismatch of an object at `spot` that does not name its variant."""
    return Mismatch(
        MismatchKind.MISSING_TAG,
        spot.path,
        expected=f"`{tag}`: {'one of ' if len(values) > 1 else ''}{listed(values)}",
        got="an object",
        key=tag,
        instead=values[0] if len(values) == 1 else "",
        shape=spot.shape,
        lenient=spot.lenient,
        lost=lost_at(spot),
    )
