"""
Find every mismatch in a value: the slow why, for what the validator refused.

One mismatch is one mistake. A key under another name is walked under the right one, a tag under
another key still picks its branch, and a value of an unknown branch is not checked further.
"""

from typing import Any

from acp_spy.protocol.formats import is_well_formed
from acp_spy.protocol.legal import edition_with_key, edition_with_value, inner_union, misplaced_tag
from acp_spy.protocol.mismatch import (
    Mismatch,
    MismatchKind,
    Spot,
    describe,
    describe_shape,
    listed,
    lost_at,
    missing_tag,
    within,
)
from acp_spy.protocol.reconcile import accepts, reconcile
from acp_spy.protocol.shapes import (
    Anything,
    Choice,
    Field,
    Integer,
    List,
    Map,
    Number,
    Object,
    Ref,
    Shape,
    Tagged,
    Text,
)
from acp_spy.protocol.spelling import key_for, value_for
from acp_spy.protocol.tables import Spec

__all__ = ["Mismatch", "MismatchKind", "walk"]

# No shape nests this deep today; one that names itself must not take the stack with it.
DEEPEST = 100
# A suggestion costs far more than the mismatch it helps with: a hostile value gets no more.
MOST_SUGGESTIONS = 500

JsonObject = dict[str, Any]
NOTHING: frozenset[str] = frozenset()


def walk(spec: Spec, shape: str, value: Any) -> list[Mismatch]:
    """Return every mismatch of the shape of that name in a decoded JSON value. Never raises."""
    if shape not in spec.shapes:
        return []
    walker = _Walker(spec)
    walker.visit(Ref(shape), value, Spot("", shape, ""))
    return walker.mismatches


class _Walker:
    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.mismatches: list[Mismatch] = []
        self.suggestions = 0

    def visit(self, shape: Shape, value: Any, spot: Spot, done: frozenset[str] = NOTHING) -> None:
        """Hold `value` to `shape`; the keys in `done` have been accounted for."""
        if spot.depth > DEEPEST:
            return
        if isinstance(shape, Ref):
            self.visit(self.spec.shapes[shape.name], value, spot.named(shape.name), done)
        elif accepts(self.spec, shape, value):
            self.look_into(shape, value, spot, done)
        else:
            self.wrong_type(shape, value, spot)

    def look_into(self, shape: Shape, value: Any, spot: Spot, done: frozenset[str]) -> None:
        """Hold `value` to `shape`, knowing that it is of the right JSON type."""
        match shape:
            case Object():
                self.visit_object(shape, value, spot.named(shape.name), done)
            case Tagged():
                self.visit_tagged(shape, value, spot, done)
            case Choice():
                self.visit_choice(shape, value, spot, done)
            case Map(values=values) if not isinstance(values, Anything):
                for key, item in value.items():
                    self.visit(values, item, spot.at(key))
            case List():
                self.visit_list(shape, value, spot)
            case Text():
                self.visit_text(shape, value, spot)
            case Integer(low=low, high=high) | Number(low=low, high=high):
                if (low is not None and value < low) or (high is not None and value > high):
                    self.add(MismatchKind.OUT_OF_RANGE, spot, value, expected=within(low, high))

    def visit_object(
        self, shape: Object, value: JsonObject, spot: Spot, done: frozenset[str]
    ) -> None:
        fields, reading = shape.fields, reconcile(self.spec, shape, value, done)
        for name, key in reading.renamed.items():
            expected = f"`{name}`"
            self.add(
                MismatchKind.RENAMED_KEY, spot.at(key), value[key], expected=expected, instead=name
            )
            self.field(fields[name], value[key], spot, key)
        for name, inner in reading.unwrapped.items():
            self.unwrapped(fields[name], name, inner, spot)
        for name in reading.missing:
            expected = describe_shape(self.spec.resolve(fields[name].shape))
            self.add(MismatchKind.MISSING_KEY, spot, value, expected=expected, key=name)
        for key, item in value.items():
            if key in fields and key not in done and key not in reading.unwrapped:
                self.field(fields[key], item, spot, key)
        if shape.open:
            return
        taken = value.keys() | reading.renamed
        absent = tuple(name for name in fields if name not in taken)
        for key in reading.strangers:
            self.add(
                MismatchKind.UNKNOWN_KEY,
                spot.at(key, "ignored"),
                value[key],
                instead=self.suggest(key_for, key, absent),
                legal_in=edition_with_key(self.spec.name, spot.shape, key),
            )

    def unwrapped(self, field: Field, name: str, inner: JsonObject, spot: Spot) -> None:
        """Add that the fields of `name` are outside of it, and walk them as if they were inside."""
        fields = tuple(inner)
        expected = f"`{name}` with {listed(fields[:4])} inside"
        self.add(MismatchKind.MISSING_WRAPPER, spot, inner, fields, expected=expected, key=name)
        union = self.spec.resolve(field.shape)
        if isinstance(union, Tagged) and not union.untagged and union.tag not in inner:
            named = field.shape.name if isinstance(field.shape, Ref) else spot.shape
            if not misplaced_tag(union, named, inner)[0]:
                return  # that there is no tag goes without saying
        self.visit(field.shape, inner, spot)

    def field(self, field: Field, value: Any, spot: Spot, key: str) -> None:
        """Check the value of `key` in the object at `spot` by its field."""
        if value is None and field.nullable:
            return
        if field.lenient == "default" or (field.lenient == "null" and value is None):
            self.visit(field.shape, value, spot.at(key, field.lenient))
        else:
            self.visit(field.shape, value, spot.at(key))

    def visit_list(self, shape: List, value: Any, spot: Spot) -> None:
        if len(value) < shape.fewest:
            self.add(MismatchKind.TOO_SHORT, spot, value, expected=f"at least {shape.fewest} items")
        for index, item in enumerate(value):
            self.visit(shape.items, item, spot.at(index, "skip" if shape.skips else None))

    def visit_text(self, shape: Text, value: str, spot: Spot) -> None:
        if shape.values and not shape.open and value not in shape.values:
            self.add(
                MismatchKind.UNKNOWN_VALUE,
                spot,
                value,
                expected=listed(shape.values),
                instead=self.suggest(value_for, value, shape.values, spot.shape),
                legal_in=edition_with_value(self.spec.name, spot.shape, value),
            )
        elif len(value) < shape.shortest:
            expected = f"at least {shape.shortest} characters"
            self.add(MismatchKind.TOO_SHORT, spot, value, expected=expected)
        elif shape.format and not is_well_formed(value, shape.format):
            self.add(MismatchKind.BAD_FORMAT, spot, value, expected=f"a {shape.format}")

    def visit_choice(self, shape: Choice, value: Any, spot: Spot, done: frozenset[str]) -> None:
        """Hold `value` to the option that it breaks least."""
        options = [o for o in shape.options if accepts(self.spec, o, value)]
        tries = [self.attempt(option, value, spot, done) for option in options]
        best: list[Mismatch] = min(tries, key=len)
        self.mismatches += best

    def attempt(self, shape: Shape, value: Any, spot: Spot, done: frozenset[str]) -> list[Mismatch]:
        """Return the mismatches that `value` would have, were it meant to be of this shape."""
        so_far, self.mismatches = self.mismatches, []
        self.visit(shape, value, spot, done)
        found, self.mismatches = self.mismatches, so_far
        return found

    def visit_tagged(
        self, shape: Tagged, value: JsonObject, spot: Spot, done: frozenset[str]
    ) -> None:
        tag = shape.tag
        if tag not in value or tag in done:
            self.tag_missing(shape, value, spot, done)
            return
        found = value[tag]
        if isinstance(found, str) and found in shape.branches:
            self.visit(shape.branches[found], value, spot, done)
        elif found is None and shape.untagged:
            self.visit(shape.untagged, value, spot, done)
        elif not isinstance(found, str):
            self.wrong_type(Text(tuple(shape.branches)), found, spot.at(tag), key=tag)
        elif shape.other:
            self.visit(shape.other, value, spot, done)
        else:
            self.tag_unknown(shape, value, spot, done)

    def tag_missing(
        self, shape: Tagged, value: JsonObject, spot: Spot, done: frozenset[str]
    ) -> None:
        key, branch = misplaced_tag(shape, spot.shape, value)
        if key and key not in done:
            self.add(
                MismatchKind.WRONG_TAG_KEY,
                spot.at(key),
                value[key],
                expected=f"`{shape.tag}` with the value `{branch}`",
                key=key,
                instead=shape.tag,
            )
            self.visit(shape.branches[branch], value, spot, done | {key, shape.tag})
        elif shape.untagged:
            self.mismatches += self.without_tag(shape, shape.untagged, value, spot, done)
        else:
            self.mismatches.append(missing_tag(shape.tag, list(shape.branches), spot))

    def without_tag(
        self,
        shape: Tagged,
        untagged: Shape,
        value: JsonObject,
        spot: Spot,
        done: frozenset[str],
    ) -> list[Mismatch]:
        """Return the mismatches of one without a tag, or of the one whose tag was forgotten."""
        found = self.attempt(untagged, value, spot, done)
        if not found:
            return found
        tries = {
            name: self.attempt(branch, value, spot, done | {shape.tag})
            for name, branch in shape.branches.items()
        }
        fewest = min(map(len, tries.values()))
        if fewest and fewest + 1 >= len(found):
            return found
        meant = [name for name, mismatches in tries.items() if len(mismatches) == fewest]
        return [missing_tag(shape.tag, meant, spot), *tries[meant[0]]]

    def tag_unknown(
        self, shape: Tagged, value: JsonObject, spot: Spot, done: frozenset[str]
    ) -> None:
        tag, found = shape.tag, value[shape.tag]
        for name, branch in shape.branches.items():
            inner = inner_union(self.spec, branch, tag, found)
            if inner:
                key, union = inner
                expected = f'{{"{tag}": "{name}", "{key}": {{"{tag}": "{found}", …}}}}'
                self.add(MismatchKind.MISSING_WRAPPER, spot, value, expected=expected, key=key)
                self.visit(union, value, spot, done)
                return
        lenient = None
        if shape.untagged:
            # Read as if the tag were not there; other fields belong to the unknown tag.
            found_there = self.attempt(shape.untagged, value, spot, done | {tag})
            if all(mismatch.kind is MismatchKind.UNKNOWN_KEY for mismatch in found_there):
                lenient = "ignored"
        known = tuple(shape.branches)
        self.add(
            MismatchKind.UNKNOWN_TAG,
            spot.at(tag, lenient),
            found,
            expected=listed(known) + (f", or no `{tag}`" if shape.untagged else ""),
            key=tag,
            instead=self.suggest(value_for, found, known, spot.shape),
            legal_in=edition_with_value(self.spec.name, spot.shape, found),
        )

    def suggest(self, how: Any, found: str, legal: tuple[str, ...], *more: str) -> str:
        self.suggestions += 1
        if self.suggestions > MOST_SUGGESTIONS:
            return ""
        return str(how(found, legal, *more))

    def wrong_type(self, shape: Shape, value: Any, spot: Spot, key: str = "") -> None:
        self.add(MismatchKind.WRONG_TYPE, spot, value, expected=describe_shape(shape), key=key)

    def add(
        self,
        kind: MismatchKind,
        spot: Spot,
        value: Any,
        inner: tuple[str, ...] = (),
        **more: str,
    ) -> None:
        key = more.pop("key", "") or spot.key
        self.mismatches.append(
            Mismatch(
                kind,
                spot.path,
                got=describe(value),
                key=key,
                shape=spot.shape,
                lenient=spot.lenient,
                lost=lost_at(spot),
                inner=inner,
                **more,
            )
        )
