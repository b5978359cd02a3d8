"""JSON for programs that may end up on a terminal: nothing in it acts there."""

import json
from typing import Any

import msgspec

from acp_spy.wire.inert import inert_json


def to_json(value: Any) -> str:
    """
    Return `value` as JSON for a terminal as well as for a program.

    What a terminal would obey can be in strings only, where it can be escaped.
    """
    try:
        text = json.dumps(value, ensure_ascii=False, indent=2)
    except RecursionError:  # what a peer has sent may be nested too deeply to be indented
        text = msgspec.json.encode(value).decode()
    return inert_json(text) + "\n"
