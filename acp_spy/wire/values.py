"""
Read JSON that may be anything: the value if it is of the kind that is wanted, else nothing.

Types are compared, which is faster than `isinstance`: a decoder makes no other ones.
"""

from typing import Any

import msgspec

_decode = msgspec.json.Decoder().decode


def fields(value: Any) -> dict[str, Any]:
    """Return `value` if it is an object, else an empty one."""
    return value if type(value) is dict else {}


def items(value: Any) -> list[Any]:
    """Return `value` if it is an array, else an empty one."""
    return value if type(value) is list else []


def text(value: Any) -> str | None:
    """Return `value` if it is a string."""
    return value if type(value) is str else None


def decoded(raw: bytes | memoryview) -> Any:
    """Return the JSON value that `raw` spells; `None` for nothing, and for the unreadable."""
    if not raw:
        return None
    try:
        return _decode(raw)
    except (msgspec.DecodeError, RecursionError, ValueError):
        return None
