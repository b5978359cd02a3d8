"""JSON for programs that may end up on a terminal: nothing in it acts there."""

import json
import re
from typing import Any

_UNPRINTABLE = re.compile(r"[^\n -~]")


def to_json(value: Any) -> str:
    """
    Return `value` as JSON for a terminal as well as for a program.

    What a terminal would obey can be in strings only, where it can be escaped.
    """
    return escape_unprintable(json.dumps(value, ensure_ascii=False, indent=2)) + "\n"


def escape_unprintable(text: str) -> str:
    """Return JSON text that means the same, with what a terminal would obey escaped."""
    return _UNPRINTABLE.sub(_escaped, text)


def _escaped(match: re.Match[str]) -> str:
    character = match[0]
    return character if character.isprintable() else json.dumps(character)[1:-1]
