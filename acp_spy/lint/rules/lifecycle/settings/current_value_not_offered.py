"""The current value of a select is one of its options."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._opening import OPTIONS
from acp_spy.lint.rules.lifecycle._reading import entries, is_first, place_of, quoted, values
from acp_spy.wire.values import fields


@rule(
    code="LIF135",
    name="current-value-not-offered",
    severity=Severity.WARNING,
    summary="A config option has a current value that it does not offer",
    on=("SessionOpened", "ConfigChanged"),
    covers=("CFG-12",),
    spec="https://agentclientprotocol.com/protocol/session-config-options#configoption",
    bad=OPTIONS.replace('"currentValue": "small"', '"currentValue": "tiny"'),
    good=OPTIONS,
)
def current_value_not_offered(step: Step, reported: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does

    Reports a select whose `currentValue` is not the `value` of one of its `options`, grouped or
    not.

    ## Why it matters

    Clients look up the name of the value. The selector is empty, or shows the first option as if it
    were set.

    ## Use instead

    Add the current value to `options`, or set `currentValue` to an offered value.
    """
    body = fields(step.body) if step.exchange else fields(fields(step.body).get("update"))
    for i, option in entries(body.get("configOptions")):
        current, offered = option.get("currentValue"), values(option)
        if not isinstance(current, str) or not offered or current in offered:
            continue
        if is_first(reported, (str(option.get("id")), current)):
            yield Remark(
                f"`currentValue` is `{current}`; expected one of {quoted(offered)}",
                at=f"{place_of(step)}/configOptions/{i}/currentValue",
                hint="add the current value to `options`",
            )
