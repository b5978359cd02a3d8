"""
Whether an answer has the shape of the recorded one: nothing is gone, or of another type.

More than was recorded is fine. `null` is as good as nothing: peers write either for what they do
not have. How many items a list has does not matter; but if there are any, at least one must have
what all recorded items have in common. What the others may leave out cannot be known.
"""

from collections.abc import Iterator
from functools import reduce
from itertools import chain
from typing import Any

from acp_spy.replay.json_difference import ABSENT, Difference, Path
from acp_spy.replay.line import ERROR, Line
from acp_spy.replay.matchers import Skip, answer_differs
from acp_spy.wire.pointer import spell
from acp_spy.wire.values import fields

# Of these an answer of the same shape has the same value, too.
_SIGNIFICANT = (
    "stopReason",
    "stop_reason",
    "protocolVersion",
    "protocol_version",
    "outcome",
    "code",
)


def shape_differs(recorded: Line, live: Line, skip: Skip) -> Iterator[Difference]:
    """Give where an answer has another shape."""
    if recorded.kind != live.kind:
        yield from answer_differs(recorded, live)
    elif recorded.kind == ERROR:  # the rest of an error is words for people
        one, other = fields(recorded.body).get("code"), fields(live.body).get("code")
        yield from _differ(one, other, skip, ("error", "code"))
    else:
        yield from _differ(recorded.body, live.body, skip, ("result",))


def _differ(recorded: Any, live: Any, skip: Skip, at: Path) -> Iterator[Difference]:
    if recorded is None or skip(at) or at[-1] == "_meta":
        return
    if isinstance(recorded, dict) and isinstance(live, dict):
        for key, value in recorded.items():
            yield from _differ(value, live.get(key, ABSENT), skip, (*at, key))
    elif isinstance(recorded, list) and isinstance(live, list):
        common = reduce(_common, recorded) if recorded else None
        each = [list(_differ(common, item, skip, (*at, n))) for n, item in enumerate(live)]
        if all(each):
            yield from chain.from_iterable(each[:1])
    elif _type(recorded) != _type(live) or (_is_significant(at) and recorded != live):
        yield Difference(spell(*at), recorded, live)


def _is_significant(at: Path) -> bool:
    """Whether the value counts, too: not in a list, where any of several could be meant."""
    return at[-1] in _SIGNIFICANT and not any(isinstance(step, int) for step in at)


def _common(one: Any, other: Any) -> Any:
    """Return what two items of a list have in common; `None` where that is nothing."""
    if isinstance(one, dict) and isinstance(other, dict):
        both = {key: _common(value, other[key]) for key, value in one.items() if key in other}
        return {key: value for key, value in both.items() if value is not None}
    if _type(one) != _type(other):
        return None
    return [] if isinstance(one, list) else one


def _type(value: Any) -> type:
    return float if type(value) is int else type(value)
