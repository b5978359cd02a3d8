"""
What of a message says where it goes: its id, its method, its session.

It is read also from what msgspec refuses, such as half a surrogate pair, which JavaScript writes
where a stream cuts an emoji, or a number beyond all. A message is carried on, whatever is in it.
"""

import json
from typing import Any

import msgspec

from acp_spy.wire.values import decoded, fields

_MOST_DIGITS = 4000  # Python refuses to read an integer with a few more


def head_of(raw: bytes) -> dict[str, Any]:
    """Return the fields of a message; none if it is no object, or nobody can read it."""
    return fields(value_of(raw))


def value_of(raw: bytes) -> Any:
    """
    Return the JSON value that `raw` spells, or `None`.

    An object or a list that is nested too deeply to be read is an empty one.
    """
    value = decoded(raw)
    if value is not None or not raw.strip():
        return value
    try:
        return json.loads(raw.decode(errors="replace"), parse_int=_integer)
    except RecursionError:
        return {} if raw.lstrip().startswith(b"{") else []
    except ValueError:
        return None


def _integer(digits: str) -> float:
    return int(digits) if len(digits) <= _MOST_DIGITS else float(digits)


def key_of(ident: Any) -> bytes:
    """Return an id as JSON, by which its response is found."""
    try:
        return msgspec.json.encode(ident)
    except (ValueError, RecursionError):  # UnicodeEncodeError is one
        return json.dumps(ident).encode()
