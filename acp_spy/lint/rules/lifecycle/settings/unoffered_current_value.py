"""The current value of a select is one of its choices."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._opening import OPTIONS
from acp_spy.lint.rules.lifecycle._reading import entries, is_first, place_of, quoted, values
from acp_spy.wire.values import fields


@rule(
    code="LIF135",
    name="unoffered-current-value",
    severity=Severity.WARNING,
    summary="A config option has a value that is not among its choices",
    on=("SessionOpened", "ConfigChanged"),
    covers=("CFG-12",),
    spec="https://agentclientprotocol.com/protocol/session-config-options#configoption",
    bad=OPTIONS.replace('"currentValue": "small"', '"currentValue": "tiny"'),
    good=OPTIONS,
)
def unoffered_current_value(step: Step, reported: dict[Any, Any]) -> Iterator[Remark]:
    """
    `currentValue` of a select is the `value` of one of its `options`, in a group or not.

    Clients look up the name to show. A value without a choice leaves the selector empty, or it shows
    the first choice, as if that were in force.

    Add the current value to the choices, or name a value that is among them.
    """
    body = fields(step.body) if step.exchange else fields(fields(step.body).get("update"))
    for i, option in entries(body.get("configOptions")):
        current, offered = option.get("currentValue"), values(option)
        if not isinstance(current, str) or not offered or current in offered:
            continue
        if is_first(reported, (str(option.get("id")), current)):
            yield Remark(
                f"`currentValue` is `{current}`, but the choices are {quoted(offered)}",
                at=f"{place_of(step)}/configOptions/{i}/currentValue",
                hint="offer the current value as a choice, too",
            )
