"""The mistakes in the shape of a message, sorted once for all rules of the family."""

from collections.abc import Iterator

import msgspec

from acp_spy.conversation.state import Step
from acp_spy.lint.rules.schema._grouping import Mistake, group
from acp_spy.lint.told import is_told
from acp_spy.protocol.breach import Breach


class _Last(msgspec.Struct):
    """The breaches that were sorted last: every rule asks about the same ones in turn."""

    breaches: list[Breach]
    mistakes: list[Mistake]


_last = _Last([], [])


def mine(step: Step, rule: str) -> Iterator[Mistake]:
    """Give the mistakes in `step` that `rule` reports."""
    return (mistake for mistake in mistakes(step) if mistake.rule == rule)


def mistakes(step: Step) -> list[Mistake]:
    """Return every mistake in the shape of `step`, in the order of their places."""
    if _last.breaches is not step.breaches:
        untold = [breach for breach in step.breaches if not is_told(step, breach)]
        _last.mistakes = group(step.method, untold)
        _last.breaches = step.breaches
    return _last.mistakes
