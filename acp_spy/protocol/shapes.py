"""The kinds of shape that an ACP value can have, as small frozen structs."""

import msgspec


class _Shape(msgspec.Struct, frozen=True, tag_field="is", omit_defaults=True):
    pass


class Anything(_Shape, frozen=True, tag="any"):
    """Any JSON at all."""


class Null(_Shape, frozen=True, tag="null"):
    """Only `null`."""


class Boolean(_Shape, frozen=True, tag="bool"):
    """`true` or `false`."""


class Integer(_Shape, frozen=True, tag="int"):
    """A JSON number without a fraction part; `known` are the values with a meaning today."""

    low: int | None = None
    high: int | None = None
    known: tuple[int, ...] = ()


class Number(_Shape, frozen=True, tag="number"):
    """Any JSON number."""

    low: float | None = None
    high: float | None = None


class Text(_Shape, frozen=True, tag="text"):
    """
    A string, any or one of `values`.

    `values` of an `open` text are those with a meaning today; a reader takes others as well.
    """

    values: tuple[str, ...] = ()
    open: bool = False
    shortest: int = 0
    format: str = ""


class List(_Shape, frozen=True, tag="list"):
    """An array; of a list that `skips`, lenient readers drop the items that they cannot read."""

    items: "Shape"
    fewest: int = 0
    skips: bool = False


class Map(_Shape, frozen=True, tag="map"):
    """An object whose keys are data."""

    values: "Shape"


class Ref(_Shape, frozen=True, tag="ref"):
    """The shape of that name."""

    name: str


class Field(msgspec.Struct, frozen=True, omit_defaults=True):
    """
    What stands under one key.

    `lenient` is `default` where lenient readers put the default in place of what they cannot
    read, `null` where they do so for `null` alone, and empty where they refuse.
    """

    shape: "Shape"
    required: bool = False
    nullable: bool = False
    lenient: str = ""


class Object(_Shape, frozen=True, tag="object"):
    """An object with known keys; an `open` one may have any others. `name` is its definition's."""

    fields: dict[str, Field]
    open: bool = False
    name: str = ""


class Tagged(_Shape, frozen=True, tag="tagged"):
    """
    An object whose shape depends on the string under `tag`.

    Each branch is complete, with the tag among its fields. `other` is for values that have no
    branch, `untagged` for objects without the tag.
    """

    tag: str
    branches: dict[str, "Shape"]
    other: "Shape | None" = None
    untagged: "Shape | None" = None


class Choice(_Shape, frozen=True, tag="choice"):
    """One of several shapes, with nothing to tell them apart but their fit."""

    options: tuple["Shape", ...]


Shape = (
    Anything
    | Null
    | Boolean
    | Integer
    | Number
    | Text
    | List
    | Map
    | Ref
    | Object
    | Tagged
    | Choice
)
