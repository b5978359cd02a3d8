"""Match the keys of an object to the fields of its shape, even if some are misspelled."""

from typing import Any

import msgspec

from acp_spy.protocol.legal import keys_of, misplaced_tag, required_of
from acp_spy.protocol.shapes import (
    Anything,
    Boolean,
    Choice,
    Field,
    Integer,
    List,
    Null,
    Number,
    Object,
    Ref,
    Shape,
    Tagged,
    Text,
)
from acp_spy.protocol.spelling import is_close_to, is_spelling_of, is_word_for
from acp_spy.protocol.tables import Spec

JsonObject = dict[str, Any]
Fields = dict[str, Field]

# Each missing field is compared with each unknown key: fine while there are few, as in practice.
MOST_STRANGERS = 50


class Reading(msgspec.Struct):
    """
    How the keys of an object match the fields of its shape.

    `renamed` are required fields under another name, `unwrapped` those whose content is directly
    in the object. Both are then neither `missing` nor among the `strangers`.
    """

    renamed: dict[str, str]
    unwrapped: dict[str, JsonObject]
    missing: list[str]
    strangers: list[str]


def reconcile(spec: Spec, shape: Object, value: JsonObject, done: frozenset[str]) -> Reading:
    """Return how the keys of `value` are best understood; those in `done` already are."""
    fields = shape.fields
    strangers = [key for key in value if key not in fields and key not in done]
    missing = [
        key
        for key, field in fields.items()
        if field.required and key not in value and key not in done
    ]
    reading = Reading({}, {}, missing, strangers)
    if missing and 0 < len(strangers) <= MOST_STRANGERS:
        _find_renamed(spec, fields, value, reading)
    for name in list(reading.missing):
        stray = {key: value[key] for key in reading.strangers}
        if stray and (inner := _content_for(spec, fields[name].shape, stray)):
            reading.missing.remove(name)
            _unwrap(reading, name, inner)
    for name in value:
        if name in fields and name not in done and isinstance(value[name], str):
            union = spec.resolve(fields[name].shape)
            # {"outcome": "selected", ...} for {"outcome": {"outcome": "selected", ...}}
            if isinstance(union, Tagged) and union.tag == name and value[name] in union.branches:
                stray = {key: value[key] for key in reading.strangers}
                _unwrap(reading, name, {name: value[name], **stray})
    return reading


def accepts(spec: Spec, shape: Shape, value: Any) -> bool:
    """Return whether a value is of the JSON type of the shape."""
    match shape:
        case Ref():
            return accepts(spec, spec.resolve(shape), value)
        case Choice(options=options):
            return any(accepts(spec, option, value) for option in options)
        case Anything():
            return True
        case Null():
            return value is None
        case Boolean():
            return isinstance(value, bool)
        case Integer():
            return type(value) is int
        case Number():
            return type(value) in {int, float}
        case Text():
            return isinstance(value, str)
        case List():
            return isinstance(value, list)
        case _:
            return isinstance(value, dict)


def _find_renamed(spec: Spec, fields: Fields, value: JsonObject, reading: Reading) -> None:
    # The surest likeness first, for all keys, lest a lesser one takes a key that is another's.
    for is_meant in (is_spelling_of, is_word_for, is_close_to):
        for name in list(reading.missing):
            for key in reading.strangers:
                sure = is_meant is is_spelling_of or accepts(spec, fields[name].shape, value[key])
                if sure and is_meant(key, name):
                    reading.renamed[name] = key
                    reading.missing.remove(name)
                    reading.strangers.remove(key)
                    break


def _content_for(spec: Spec, shape: Shape, stray: JsonObject) -> JsonObject:
    """Return which of the stray keys are the content of a missing object of this shape."""
    union = spec.resolve(shape)
    if isinstance(union, Tagged):
        name = shape.name if isinstance(shape, Ref) else ""
        tag = stray.get(union.tag)
        if isinstance(tag, str) and tag in union.branches:
            return stray
        if misplaced_tag(union, name, stray)[0]:
            return stray
    if not any(key in stray for key in required_of(spec, shape)):
        return {}
    legal = keys_of(spec, shape)
    return {key: stray[key] for key in stray if key in legal}


def _unwrap(reading: Reading, name: str, inner: JsonObject) -> None:
    reading.unwrapped[name] = inner
    reading.strangers = [key for key in reading.strangers if key not in inner]
