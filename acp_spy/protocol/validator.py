"""
Tell at the speed of a decoder that a value is as the protocol says: the fast yes.

The types are made from the tables, with unknown keys forbidden. Whatever passes has no mismatch;
what does not may still have none: a shape that msgspec cannot express is narrowed to the part
that it can, down to nothing.
"""

import functools
import operator
from collections.abc import Callable
from typing import Annotated, Any, Literal

import msgspec

from acp_spy.protocol.formats import PATTERNS
from acp_spy.protocol.shapes import (
    Anything,
    Boolean,
    Choice,
    Field,
    Integer,
    List,
    Map,
    Null,
    Number,
    Object,
    Ref,
    Shape,
    Tagged,
    Text,
)
from acp_spy.protocol.tables import Spec

# The widest range that msgspec can hold an integer to.
LOWEST, HIGHEST = -(2**63), 2**63 - 1

# A type as msgspec takes it, or nothing where no value can be let through.
Type = Any


REFUSALS = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


def passes(spec: Spec, shape: str, raw: bytes) -> bool:
    """Tell whether this JSON text surely is of the shape of that name."""
    decode = decoder(spec, shape)
    if decode is None:
        return False
    try:
        decode(raw)
    except REFUSALS:
        return False
    return True


def fits(spec: Spec, shape: str, value: Any) -> bool:
    """Whether a decoded value fits: slower, but a huge text is not copied."""
    made = _type(spec, shape)
    if made is None:
        return False
    try:
        msgspec.convert(value, made)
    except (msgspec.ValidationError, RecursionError):
        return False
    return True


@functools.cache
def decoder(edition: Spec, shape: str) -> Callable[[bytes], Any] | None:
    """Return what raises one of `REFUSALS` unless JSON text surely is of the shape of that name."""
    made = _type(edition, shape)
    return None if made is None else msgspec.json.Decoder(made).decode


def _type(edition: Spec, shape: str) -> Type:
    return _maker(edition).make(Ref(shape)) if shape in edition.shapes else None


@functools.cache
def _maker(edition: Spec) -> "_Maker":
    return _Maker(edition)


class _Maker:
    def __init__(self, edition: Spec) -> None:
        self.edition = edition
        self.made: dict[str, Type] = {}

    def make(self, shape: Shape) -> Type:
        """Return a type that lets through nothing but what is of this shape."""
        match shape:
            case Ref(name=name):
                return self.named(name)
            case List(items=items, fewest=fewest):
                item = self.make(items)
                if item is None:
                    return None if fewest else Annotated[list[Any], msgspec.Meta(max_length=0)]
                made = list[item]  # type: ignore[valid-type]  # known at run time
                return Annotated[made, msgspec.Meta(min_length=fewest)] if fewest else made
            case Map(values=values):
                value = self.make(values)
                if value is None:
                    return Annotated[dict[str, Any], msgspec.Meta(max_length=0)]
                return dict[str, value]  # type: ignore[valid-type]  # known at run time
            case Object():
                return self.object(shape)
            case Tagged():
                return self.tagged(shape)
            case Choice(options=options):
                return self.choice(options)
            case _:
                return _scalar(shape)

    def named(self, name: str) -> Type:
        if name not in self.made:
            self.made[name] = None  # a shape that names itself is not let through
            self.made[name] = self.make(self.edition.shapes[name])
        return self.made[name]

    def object(self, shape: Object, tag_field: str | None = None, tag: str = "") -> Type:
        """Return a struct with these fields, or nothing if it could not be complete."""
        fields: list[tuple[str, Type] | tuple[str, Type, Any]] = []
        names: dict[str, str] = {}
        for index, (key, field) in enumerate(shape.fields.items()):
            if key == tag_field:
                continue
            made = self.field(field)
            if made is None and field.required:
                return None
            if made is not None:
                name = f"f{index}"  # a key may be a Python keyword
                names[name] = key
                fields.append((name, made) if field.required else (name, made, None))
        return msgspec.defstruct(
            shape.name or "Shape",
            fields,
            rename=names,
            forbid_unknown_fields=not shape.open,
            tag_field=tag_field,
            tag=tag if tag_field else None,
            kw_only=True,
            gc=False,
        )

    def field(self, field: Field) -> Type:
        made = self.make(field.shape)
        if not field.nullable or made is Any:
            return made
        return _NULL if made is None else made | None

    def tagged(self, shape: Tagged) -> Type:
        """Return a union of the branches that are plain objects, or the one without a tag."""
        # One without a tag and some with it cannot be had together; most in the wild are without.
        if isinstance(shape.untagged, Object):
            return self.object(shape.untagged)
        made = {
            value: self.object(branch, shape.tag, value)
            for value, branch in shape.branches.items()
            if isinstance(branch, Object)
        }
        kept = {value: branch for value, branch in made.items() if branch is not None}
        if len(kept) == 1:
            # msgspec takes a tagged struct without its tag where it is the only one; the tag is a
            # field of the branch as well.
            (value,) = kept
            return self.make(shape.branches[value])
        return _union(list(kept.values()))

    def choice(self, options: tuple[Shape, ...]) -> Type:
        """Return a union of the options, as far as they differ in their JSON type."""
        kept: dict[type[Shape], Type] = {}
        for option in map(self.edition.resolve, options):
            made = self.make(option)
            if made is not None:
                kept.setdefault(type(option), made)
        return _union(list(kept.values()))


_NULL = type(None)


def _union(types: list[Type]) -> Type:
    return functools.reduce(operator.or_, types) if types else None


def _scalar(shape: Shape) -> Type:
    match shape:
        case Boolean():
            return bool
        case Null():
            return _NULL
        case Integer(low=low, high=high):
            low = max(LOWEST, LOWEST if low is None else low)
            high = min(HIGHEST, HIGHEST if high is None else high)
            return Annotated[int, msgspec.Meta(ge=low, le=high)]
        case Number(low=low, high=high):
            return Annotated[float, msgspec.Meta(ge=low, le=high)]
        case Text(values=values, open=False) if values:
            return Literal[values]
        case Text(shortest=shortest, format=form):
            pattern = PATTERNS.get(form)
            return Annotated[str, msgspec.Meta(min_length=shortest or None, pattern=pattern)]
        case _:
            assert isinstance(shape, Anything)
            return Any
