"""
From breaches to mistakes: what has one cause is one mistake, and belongs to one rule.

Three custom keys in one object are one mistake, and so is the same slip in every item of a list.
"""

from collections.abc import Iterable
from typing import Any

import msgspec

from acp_spy.lint.rules.schema._sorting import owner
from acp_spy.protocol.breach import Breach, BreachKind

# One in a frame, whatever its places: who makes one of these makes them all alike.
_ONE_A_FRAME = frozenset(
    {"foreign-handshake-key", "malformed-permission-answer", "snake-case-key", "unstable-key"}
)
# One in an object.
_ONE_AN_OBJECT = frozenset(
    {
        "invalid-protocol-version",
        "malformed-error",
        "missing-key",
        "missing-update-wrapper",
        "unknown-capability",
        "unknown-key",
    }
)
# Of these, two values that differ are two mistakes.
_VALUES = (BreachKind.UNKNOWN_TAG, BreachKind.UNKNOWN_VALUE)


class Mistake(msgspec.Struct, frozen=True):
    """
    What one remark is about.

    `breaches` are those of the first place. `others` are the same again in other places.
    """

    rule: str
    breaches: tuple[Breach, ...]
    others: tuple[Breach, ...] = ()

    @property
    def first(self) -> Breach:
        """The breach that gives the mistake its place."""
        return self.breaches[0]

    @property
    def more(self) -> int:
        """In how many further places it is made."""
        return len(self.others) // len(self.breaches)


def group(method: str, breaches: list[Breach]) -> list[Mistake]:
    """Return the mistakes that these breaches come to, in a message about `method`."""
    around = _Surroundings(method, breaches)
    groups: dict[tuple[str, str | int], list[Breach]] = {}
    for index, breach in enumerate(breaches):
        name, place = around.of(breach)
        if name in _ONE_A_FRAME:
            key: tuple[str, str | int] = (name, "")
        else:
            key = (name, place if name in _ONE_AN_OBJECT else index)
        groups.setdefault(key, []).append(breach)
    return _merged((name, tuple(found)) for (name, _), found in groups.items())


class _Surroundings:
    """What else is wrong with the object that a breach is in."""

    def __init__(self, method: str, breaches: list[Breach]) -> None:
        self.method = method
        self.missing: dict[str, dict[str, str]] = {}  # in which object, which key, whose that is
        self.unwrapped: set[str] = set()
        for breach in breaches:
            if breach.kind is BreachKind.MISSING_KEY:
                owners = self.missing.setdefault(breach.path, {})
                owners[breach.key] = owner(method, breach)
            elif owner(method, breach) == "missing-update-wrapper":
                self.unwrapped.add(breach.path)

    def of(self, breach: Breach) -> tuple[str, str]:
        """Return the rule that reports `breach`, and the object that it is about."""
        name, place = owner(self.method, breach), breach.path.rpartition("/")[0]
        lacks = self.missing.get(place, {})
        if lacks and (name == "unknown-key" or breach.instead in lacks):
            return next(iter(lacks.values())), place  # it stands where something is missing
        if breach.instead == "sessionUpdate" and place in self.unwrapped:
            return "missing-update-wrapper", place
        if breach.kind is BreachKind.MISSING_KEY or name == "missing-update-wrapper":
            return name, breach.path
        return name, place


def _merged(groups: Iterable[tuple[str, tuple[Breach, ...]]]) -> list[Mistake]:
    """Make one mistake of those that differ only in the item of a list where they are made."""
    alike: dict[Any, list[tuple[Breach, ...]]] = {}
    for name, found in groups:
        alike.setdefault((name, tuple(map(_likeness, found))), []).append(found)
    return [
        Mistake(name, same[0], tuple(breach for found in same[1:] for breach in found))
        for (name, _), same in alike.items()
    ]


def _likeness(breach: Breach) -> tuple[Any, ...]:
    steps = tuple("*" if step.isdigit() else step for step in breach.path.split("/"))
    key = "*" if breach.key.isdigit() else breach.key
    value = breach.got if breach.kind in _VALUES else ""
    return breach.kind, steps, key, breach.expected, breach.instead, breach.lenient, value
