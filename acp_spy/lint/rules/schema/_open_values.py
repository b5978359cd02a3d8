"""Custom values without a leading underscore, in enumerations that may be extended."""

from collections.abc import Iterator
from typing import Any

from acp_spy.protocol.reconcile import accepts
from acp_spy.protocol.shapes import Choice, List, Map, Object, Ref, Shape, Tagged, Text
from acp_spy.protocol.tables import Spec
from acp_spy.wire.pointer import spell

_DEEPEST = 40

# A JSON Pointer, the value there, and the values that are defined.
Strange = tuple[str, str, tuple[str, ...]]


def strange_values(edition: Spec, shape: str, value: Any) -> Iterator[Strange]:
    """Yield every value of an open enumeration that is neither defined nor marked as custom."""
    if shape in edition.shapes:
        yield from _look(edition, Ref(shape), value, "", 0)


def has_open_values(edition: Spec, shape: Shape, seen: frozenset[str] = frozenset()) -> bool:
    """Return whether `shape` contains an open enumeration."""
    if isinstance(shape, Ref):
        if shape.name in seen:
            return False
        seen |= {shape.name}
    match edition.resolve(shape):
        case Text(open=is_open):
            return is_open
        case List(items=inner) | Map(values=inner):
            return has_open_values(edition, inner, seen)
        case Object(fields=fields):
            return any(has_open_values(edition, f.shape, seen) for f in fields.values())
        case Choice(options=options):
            return any(has_open_values(edition, option, seen) for option in options)
        case Tagged(branches=branches, untagged=untagged, other=other):
            within = [*branches.values(), *([untagged] if untagged else [])]
            return bool(other) or any(has_open_values(edition, b, seen) for b in within)
        case _:
            return False


def _look(edition: Spec, shape: Shape, value: Any, path: str, depth: int) -> Iterator[Strange]:
    shape = edition.resolve(shape)
    if depth > _DEEPEST or not accepts(edition, shape, value):
        return
    match shape:
        case Text(values=values, open=True):
            if values and not _is_fine(value, values):
                yield path, value, values
        case List() | Map() | Object():
            for key, inner, item in _parts(shape, value):
                yield from _look(edition, inner, item, path + spell(key), depth + 1)
        case Choice(options=options):
            found = [list(_look(edition, o, value, path, depth + 1)) for o in options]
            yield from max(found, key=len)
        case Tagged():
            yield from _look_into_union(edition, shape, value, path, depth)
        case _:
            pass


def _parts(shape: List | Map | Object, value: Any) -> Iterator[tuple[str | int, Shape, Any]]:
    if isinstance(shape, List):
        yield from ((index, shape.items, item) for index, item in enumerate(value))
    elif isinstance(shape, Map):
        yield from ((key, shape.values, item) for key, item in value.items())
    else:
        fields = shape.fields
        yield from ((k, fields[k].shape, item) for k, item in value.items() if k in fields)


def _look_into_union(
    edition: Spec, shape: Tagged, value: dict[str, Any], path: str, depth: int
) -> Iterator[Strange]:
    tag = value.get(shape.tag)
    branch = shape.branches.get(tag) if isinstance(tag, str) else shape.untagged
    if branch:
        yield from _look(edition, branch, value, path, depth + 1)
    elif shape.other and isinstance(tag, str) and not _is_fine(tag, tuple(shape.branches)):
        yield path + spell(shape.tag), tag, tuple(shape.branches)


def _is_fine(value: str, known: tuple[str, ...]) -> bool:
    return value in known or value.startswith("_")
