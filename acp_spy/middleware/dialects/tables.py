"""
What a translation is written in: pieces of tables that are read in both directions.

`read` makes a value official, `write` makes it the dialect's. Both take what to call for something
that cannot be said there; the sentence that it is given is reported.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from acp_spy.wire.values import fields

Note = Callable[[str], None]
Convert = Callable[[Any, Note], Any]
NOTHING: tuple[Any, ...] = (None, False, "", [], {})  # no loss if it is left out


class NoCounterpart(Exception):  # noqa: N818 - not a mistake
    """Something that the other protocol cannot express: what."""


class Both(msgspec.Struct, frozen=True):
    """A value in both protocols."""

    read: Convert
    write: Convert


class Call(msgspec.Struct, frozen=True):
    """A request or notification of both protocols, by its name in the dialect."""

    name: str
    params: Both
    result: Both


Calls = Mapping[str, Call]  # by the official names


def same(value: Any, _note: Note) -> Any:
    """Return what is the same in both."""
    return value


SAME = Both(same, same)


def call(name: str, params: Both = SAME, result: Both = SAME) -> Call:
    """Return a request or notification."""
    return Call(name, params, result)


def record(
    names: Mapping[str, str] | None = None,
    inside: Mapping[str, Both] | None = None,
    *,
    lacks: Sequence[str] = (),
    read: Mapping[str, Any] | None = None,
    write: Mapping[str, Any] | None = None,
) -> Both:
    """
    Return an object: `names` are those of its fields in the dialect, each with the official one.

    `inside` are the values of fields, by their official names. `lacks` are fields of the dialect
    that official ACP does not have. `read` and `write` are fields that are added if they are
    missing, where they are required.
    """
    official, inner = names or {}, inside or {}
    own = {value: key for key, value in official.items()}

    def to_official(value: Any, note: Note) -> Any:
        made = dict(read or {})
        for key, item in fields(value).items():
            if key in lacks:
                if item not in NOTHING and item is not True:
                    note(f"`{key}` is left out")
                continue
            name = official.get(key, key)
            made[name] = inner[name].read(item, note) if name in inner else item
        return made

    def to_dialect(value: Any, note: Note) -> Any:
        made = dict(write or {})
        for key, item in fields(value).items():
            made[own.get(key, key)] = inner[key].write(item, note) if key in inner else item
        return made

    return Both(to_official, to_dialect)


def word(table: Mapping[str, str], narrowed: Mapping[str, str] | None = None) -> Both:
    """
    Return one of several words: `table` has those of the dialect, each with the official one.

    Of several for one official word, the first is written. `narrowed` are official words that the
    dialect has no word for, each with the nearest one, which is reported.
    """
    own: dict[str, str] = {}
    for key, value in table.items():
        own.setdefault(value, key)

    def to_dialect(value: Any, note: Note) -> Any:
        if not isinstance(value, str):
            return value
        if narrowed and value in narrowed:
            note(f"`{value}` is sent as `{narrowed[value]}`")
            return narrowed[value]
        return own.get(value, value)

    def to_official(value: Any, _note: Note) -> Any:
        return table.get(value, value) if isinstance(value, str) else value

    return Both(to_official, to_dialect)


def each(item: Both) -> Both:
    """Return a list; what cannot be said of it is left out."""
    return Both(_every(item.read), _every(item.write))


def by_tag(tag: str, branches: Mapping[str, Both]) -> Both:
    """Return an object that depends on the official word under `tag`; others are the same."""

    def branch(value: Any) -> Both:
        name = fields(value).get(tag)
        return branches.get(name, SAME) if isinstance(name, str) else SAME

    return Both(
        lambda value, note: branch(value).read(value, note),
        lambda value, note: branch(value).write(value, note),
    )


def _every(convert: Convert) -> Convert:
    def converted(value: Any, note: Note) -> Any:
        if not isinstance(value, list):
            return value
        made = []
        for item in value:
            try:
                made.append(convert(item, note))
            except NoCounterpart as missing:
                note(f"{missing} is left out")
        return made

    return converted
