"""
Which strings of a message are names that a peer made up, as a session's, and of what.

Only such names are bound: in the live conversation the same thing has another name. What a
peer chooses from a list, such as a mode or an option, means the same in every conversation.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from acp_spy.protocol.events import Event, SessionsListed
from acp_spy.protocol.names import NAMED_BY_FIELDS

_OF_EVENTS = (("session", "session"), ("tool_call", "tool call"), ("terminal", "terminal"))


@lru_cache(maxsize=4096)
def kind_of(key: str) -> str:
    """Return what the value of the field `key` names; empty if it is not a name."""
    plain = key.replace("_", "").lower()
    return next((kind for ending, kind in NAMED_BY_FIELDS.items() if plain.endswith(ending)), "")


def is_distinctive(name: str) -> bool:
    """Whether no other string will be equal to this name by accident."""
    return len(name) >= 8 and any(c.isdigit() for c in name)


def names_in(body: Any, event: Event | None) -> tuple[tuple[str, str], ...]:
    """Return the names in a message, each with what it names."""
    found = dict.fromkeys((kind, name) for kind, name, _ in paired_names(body, body))
    found |= dict.fromkeys((kind, name) for kind, name, _ in paired_in_events(event, event))
    return tuple(found)


def paired_names(recorded: Any, live: Any, key: str = "") -> Iterator[tuple[str, str, str]]:
    """Give the names that are in the same place of two messages, and what they name."""
    if isinstance(recorded, dict) and isinstance(live, dict):
        for name, item in recorded.items():
            if name in live:
                yield from paired_names(item, live[name], name)
    elif isinstance(recorded, list) and isinstance(live, list):
        for one, other in zip(recorded, live, strict=False):
            yield from paired_names(one, other, key)
    elif isinstance(recorded, str) and isinstance(live, str) and (kind := kind_of(key)):
        yield kind, recorded, live


def paired_in_events(recorded: Event | None, live: Event | None) -> Iterator[tuple[str, str, str]]:
    """Give the names by which two events mean the same thing; a dialect hides them anywhere."""
    for attribute, kind in _OF_EVENTS:
        one, other = getattr(recorded, attribute, None), getattr(live, attribute, None)
        if isinstance(one, str) and isinstance(other, str):
            yield kind, one, other
    if isinstance(recorded, SessionsListed) and isinstance(live, SessionsListed):
        for one, other in zip(recorded.sessions, live.sessions, strict=False):
            yield "session", one, other
