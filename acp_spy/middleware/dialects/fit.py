"""Make a value fit what a document says: what the document does not have is left out."""

from typing import Any

from acp_spy.middleware.dialects.tables import NOTHING, NoCounterpart, Note
from acp_spy.protocol.shapes import Choice, List, Object, Ref, Shape, Tagged, Text
from acp_spy.protocol.tables import Spec


def fit(document: Spec, shape: Shape, value: Any, note: Note) -> Any:
    """
    Return `value` without what the document does not have, which is noted unless it is empty.

    Raises `NoCounterpart` if the rest does not make sense without it.
    """
    if isinstance(shape, Ref):
        return fit(document, document.shapes[shape.name], value, note)
    if isinstance(shape, Object) and isinstance(value, dict):
        return _object(document, shape, value, note)
    if isinstance(shape, Tagged) and isinstance(value, dict):
        name = value.get(shape.tag)
        branch = shape.branches.get(name) if isinstance(name, str) else shape.untagged
        branch = branch or shape.other
        if branch is None:
            raise NoCounterpart(f"`{name}`")
        return fit(document, branch, value, note)
    if isinstance(shape, List) and isinstance(value, list):
        return _list(document, shape, value, note)
    if isinstance(shape, Choice):
        return value
    if isinstance(shape, Text) and shape.values and not shape.open and value not in shape.values:
        raise NoCounterpart(f"`{value}`")
    return value


def _object(document: Spec, shape: Object, value: dict[str, Any], note: Note) -> dict[str, Any]:
    made = {}
    for key, item in value.items():
        field = shape.fields.get(key)
        if field is None:
            if shape.open:
                made[key] = item
            elif item not in NOTHING:
                note(f"`{key}` is left out")
        elif item is None and field.nullable:
            made[key] = item
        else:
            try:
                made[key] = fit(document, field.shape, item, note)
            except NoCounterpart as missing:
                if field.required:
                    raise
                note(f"{missing} is left out")
    for key, field in shape.fields.items():
        if field.required and key not in made:
            raise NoCounterpart(f"what has no `{key}`")
    return made


def _list(document: Spec, shape: List, value: list[Any], note: Note) -> list[Any]:
    made = []
    for item in value:
        try:
            made.append(fit(document, shape.items, item, note))
        except NoCounterpart as missing:
            note(f"{missing} is left out")
    return made
