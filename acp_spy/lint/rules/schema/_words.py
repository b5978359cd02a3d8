"""The wording that the SCH rules share."""

from collections.abc import Iterable
from typing import Any

from acp_spy.conversation.state import Step
from acp_spy.lint.mistakes import Mistake
from acp_spy.lint.rule import Severity
from acp_spy.protocol.mismatch import LONGEST_QUOTE, Mismatch
from acp_spy.wire.pointer import lookup, steps

_MOST_NAMES = 4

EDITIONS = {
    "v1": "version 1",
    "v1-unstable": "the unstable part of version 1",
    "v2": "the draft of version 2",
    "v2-unstable": "the unstable part of the draft of version 2",
}
_SORTS = {
    "the string": "a string",
    "the integer": "an integer",
    "a huge integer": "a huge integer",
    "the float": "a number with a fraction",
    "a list": "a list",
}


def severity(mistake: Mistake) -> Severity:
    """Return the severity: what lenient readers accept is a warning."""
    strict = any(not mismatch.lenient for mismatch in mistake.mismatches)
    return Severity.ERROR if strict else Severity.WARNING


def quoted(name: str) -> str:
    """Return a name from the wire in backquotes, on one line, shortened if it is long."""
    cut = name if len(name) <= LONGEST_QUOTE else name[:LONGEST_QUOTE] + "…"
    return f"`{cut if cut.isprintable() else ascii(cut)[1:-1]}`"


def names(keys: Iterable[str]) -> str:
    """List names from the wire: `a`, `b` and `c`."""
    listed = list(dict.fromkeys(map(quoted, keys)))
    if len(listed) > _MOST_NAMES:
        listed = [*listed[: _MOST_NAMES - 1], f"{len(listed) - _MOST_NAMES + 1} more"]
    return " and ".join(filter(None, (", ".join(listed[:-1]), listed[-1])))


def sort_of(mismatch: Mismatch) -> str:
    """Return the JSON type of the value, the same in every frame, whatever the value."""
    return next(
        (word for got, word in _SORTS.items() if mismatch.got.startswith(got)), mismatch.got
    )


def value_of(step: Step, mismatch: Mismatch) -> Any:
    """Return the value at the place of the mismatch; `None` if it cannot be found."""
    _, _, inside = mismatch.path[1:].partition("/")
    try:
        return lookup(step.body, f"/{inside}" if inside else "")
    except LookupError:
        return None


def text_of(step: Step, mismatch: Mismatch) -> str:
    """Return the string at the place of the mismatch, in backquotes."""
    value = value_of(step, mismatch)
    return quoted(value) if isinstance(value, str) else mismatch.got


def subject(mismatch: Mismatch) -> str:
    """Name the place of the mismatch: a field, an item of a list, or the message."""
    return named(mismatch.path)


def loss(mismatch: Mismatch) -> str:
    """Return what lenient readers drop, as the end of a sentence; empty if all readers fail."""
    if not mismatch.lost:
        return ""
    return f"; lenient readers drop {named(mismatch.lost, 'that')}"


def again(mistake: Mistake) -> str:
    """Return how many other items have the same mistake, as the end of a sentence."""
    count = mistake.more
    return f" (and {count} more like it)" if count else ""


def named(pointer: str, article: str = "an") -> str:
    """Name the place that a JSON Pointer leads to."""
    path = steps(pointer)
    if not path:
        return "the message"
    if not path[-1].isdigit():
        return quoted(path[-1])
    holder = next((step for step in reversed(path) if not step.isdigit()), "")
    return f"{article} item of {quoted(holder)}"
