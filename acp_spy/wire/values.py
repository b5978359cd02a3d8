"""
Read JSON that may be anything: the value if it is of the kind that is wanted, else nothing.

Types are compared, which is faster than `isinstance`: a decoder makes no other ones.
"""

from typing import Any

import msgspec

_decode = msgspec.json.Decoder().decode
HUGE = 1_000_000  # bytes: of more than these, copies are avoided
BEYOND = slice(HUGE, HUGE + 1)  # what is there only in huge bytes; to look takes no call


def fields(value: Any) -> dict[str, Any]:
    """Return `value` if it is an object, else an empty one."""
    return value if type(value) is dict else {}


def items(value: Any) -> list[Any]:
    """Return `value` if it is an array, else an empty one."""
    return value if type(value) is list else []


def text(value: Any) -> str | None:
    """Return `value` if it is a string."""
    return value if type(value) is str else None


def innermost(message: Any) -> dict[str, Any]:
    """Return a message without the wrappers of a chain of proxies, which have it in `params`."""
    inner = fields(message)
    while text((params := fields(inner.get("params"))).get("method")) is not None:
        inner = {**inner, "method": params["method"], "params": params.get("params")}
    return inner


_SAYS_WHY = ("details", "detail", "message", "error", "reason", "description")


def error_detail(error: Any) -> str:
    """Return what the `data` of a JSON-RPC error says, in the places where agents put it."""
    data = fields(error).get("data")
    named = fields(data)
    said = [data, *(named.get(key) for key in _SAYS_WHY), fields(named.get("error")).get("message")]
    return next((one for one in said if type(one) is str and one), "")


def ensure_memory(size: int) -> None:
    """Raise `MemoryError` if there is less: msgspec crashes without memory for a string."""
    bytes(size)  # it is not touched, so nearly nothing is done


def decoded(raw: bytes | memoryview) -> Any:
    """Return the JSON value that `raw` spells; `None` for nothing, and for the unreadable."""
    if not raw:
        return None
    if raw[BEYOND]:
        ensure_memory(len(raw))
    try:
        return _decode(raw)
    except (msgspec.DecodeError, RecursionError, ValueError):
        return None


def messages_of_line(raw: bytes) -> list[dict[str, Any]]:
    """Return the messages of a line, which may be a batch, without wrappers; none if broken."""
    value = decoded(raw)
    messages = value if type(value) is list else [value] if value is not None else []
    return [innermost(each) for each in messages]
