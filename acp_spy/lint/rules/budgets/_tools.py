"""The names by which a tool call is known."""

from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Any

from acp_spy.conversation.state import ToolCall
from acp_spy.wire.values import fields

MOMENTS = ("update:tool_call", "update:tool_call_update", "request:session/request_permission")
_TOOL_NAMES = ("toolName", "tool_name")  # in `_meta`, where agents had it before `name` was defined


def names_of(call: dict[str, Any], known: ToolCall | None) -> set[str]:
    """Return the name, the kind and the title of a tool call, and its title's first word."""
    found = [call.get(key) for key in ("name", "kind", "title")]  # of any type
    if known is not None:
        found += [known.name, known.kind, known.title]
    found += _in_meta(fields(call.get("_meta")))
    words = {name for name in found if isinstance(name, str) and name}
    first = {name.split()[0].rstrip(":") for name in words if name.split()}
    return {word.lower() for word in words | first}


def _in_meta(meta: dict[str, Any]) -> Iterator[str]:
    for place in (meta, *(fields(value) for value in meta.values())):
        for key in _TOOL_NAMES:
            if isinstance(place.get(key), str):
                yield place[key]


def is_named(names: set[str], pattern: str) -> bool:
    """Return whether one of `names` is `pattern`, in which `*` matches any text."""
    return any(fnmatchcase(name, pattern.lower()) for name in names)
