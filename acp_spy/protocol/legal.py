"""Where a key or a value is legal: here, or in another edition of the protocol."""

import functools
from collections.abc import Iterator
from typing import Any

from acp_spy.protocol.shapes import Choice, Field, Object, Ref, Shape, Tagged, Text
from acp_spy.protocol.spelling import same_value, squash
from acp_spy.protocol.synonyms import TAG_KEYS
from acp_spy.protocol.tables import NAMES, Spec, spec


def keys_of(edition: Spec, shape: Shape) -> frozenset[str]:
    """Return every key that a value of this shape may have, whatever its branch."""
    return frozenset(key for fields in _fields_of(edition, shape) for key in fields)


def required_of(edition: Spec, shape: Shape) -> frozenset[str]:
    """Return every key that some branch of this shape requires, its tag aside."""
    union = edition.resolve(shape)
    tag = union.tag if isinstance(union, Tagged) else ""
    return frozenset(
        key
        for fields in _fields_of(edition, union)
        for key, field in fields.items()
        if field.required and key != tag
    )


def _fields_of(edition: Spec, shape: Shape) -> Iterator[dict[str, Field]]:
    match edition.resolve(shape):
        case Object(fields=fields):
            yield fields
        case Choice(options=options):
            for option in options:
                yield from _fields_of(edition, option)
        case Tagged(branches=branches, other=other, untagged=untagged):
            for branch in (*branches.values(), other, untagged):
                if branch:
                    yield from _fields_of(edition, branch)
        case _:
            pass


@functools.lru_cache(4096)
def edition_with_key(here: str, shape: str, key: str) -> str:
    """Return the nearest other edition in which a shape of that name has the key."""
    if here not in NAMES:
        return ""  # a dialect has no editions
    if key in _keys(here, shape):
        return ""  # of another branch of the same union: no other edition makes it right
    return next((name for name in _others(here) if key in _keys(name, shape)), "")


@functools.lru_cache(4096)
def edition_with_value(here: str, shape: str, value: str) -> str:
    """Return the nearest other edition in which an enumeration or union of that name has it."""
    if here not in NAMES:
        return ""
    return next((name for name in _others(here) if value in _values(name, shape)), "")


def _others(here: str) -> list[str]:
    """Return the other editions, those of the same version first."""
    version = here.partition("-")[0]
    return sorted((n for n in NAMES if n != here), key=lambda n: n.partition("-")[0] != version)


@functools.cache
def _keys(edition: str, shape: str) -> frozenset[str]:
    return keys_of(spec(edition), Ref(shape)) if shape in spec(edition).shapes else frozenset()


@functools.cache
def _values(edition: str, shape: str) -> frozenset[str]:
    known = spec(edition).shapes
    match spec(edition).resolve(Ref(shape)) if shape in known else None:
        case Text(values=values):
            return frozenset(values)
        case Tagged(branches=branches):
            return frozenset(branches)
        case _:
            return frozenset()


def misplaced_tag(shape: Tagged, name: str, value: dict[str, Any]) -> tuple[str, str]:
    """Return the key that holds the tag in place of the right one, and the branch it means."""
    taken = shape.untagged.fields if isinstance(shape.untagged, Object) else {}
    respelled = [key for key in value if key != shape.tag and squash(key) == squash(shape.tag)]
    for key in (*respelled, *TAG_KEYS):
        found = value.get(key)
        if key != shape.tag and key not in taken and isinstance(found, str):
            branch = same_value(found, shape.branches, name)
            if branch:
                return key, branch
    return "", ""


def inner_union(edition: Spec, branch: Shape, tag: str, value: str) -> tuple[str, Shape] | None:
    """Return the field of `branch` that holds a union with this tag and this value."""
    if isinstance(branch, Object):
        for key, field in branch.fields.items():
            union = edition.resolve(field.shape)
            if isinstance(union, Tagged) and union.tag == tag and value in union.branches:
                return key, field.shape
    return None
