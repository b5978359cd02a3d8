"""
What of a message says where it goes: its id, its method, its session.

It is read also from what msgspec refuses, such as half a surrogate pair, which JavaScript writes
where a stream cuts an emoji, or a number beyond all. A message is carried on, whatever is in it.
"""

import json
from typing import Any

import msgspec

from acp_spy.wire.values import decoded, fields


def head_of(raw: bytes) -> dict[str, Any]:
    """Return the fields of a message; none if it is no object, or nobody can read it."""
    return fields(value_of(raw))


def value_of(raw: bytes) -> Any:
    """Return the JSON value that `raw` spells; `None` for nothing, and if nobody can read it."""
    value = decoded(raw)
    if value is None and raw.strip():
        try:
            return json.loads(raw)
        except (ValueError, RecursionError):
            return None
    return value


def key_of(ident: Any) -> bytes:
    """Return an id as JSON, by which its response is found."""
    try:
        return msgspec.json.encode(ident)
    except (ValueError, RecursionError):  # UnicodeEncodeError is one
        return json.dumps(ident).encode()
