"""Modes that are offered twice are the same twice."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._opening import OPTIONS
from acp_spy.lint.rules.lifecycle._reading import entries, names, values
from acp_spy.wire.values import fields


@rule(
    code="LIF132",
    name="modes-out-of-step",
    severity=Severity.WARNING,
    summary="`modes` and the config option of category `mode` differ",
    on=("SessionOpened",),
    covers=("CFG-10",),
    spec="https://agentclientprotocol.com/protocol/session-config-options#relationship-to-session-modes",
    bad=OPTIONS.replace('"currentModeId": "ask"', '"currentModeId": "code"'),
    good=OPTIONS,
)
def modes_out_of_step(step: Step) -> Iterator[Remark]:
    """
    While clients move from modes to config options, an agent should offer both, with the same ids and
    the same current one.

    Where they differ, two clients show two different modes for one session. The user of one reads
    that the agent asks before it edits; in fact it does not.

    Make both from one list.
    """
    modes = fields(fields(step.body).get("modes"))
    offered = names(modes.get("availableModes"), "id")
    for i, option in entries(fields(step.body).get("configOptions")):
        if option.get("category") != "mode" or not offered or not values(option):
            continue
        place = f"/result/configOptions/{i}"
        current, selected = modes.get("currentModeId"), option.get("currentValue")
        if set(offered) != set(values(option)):
            odd = min(set(offered) ^ set(values(option)))
            text, where = f"mode `{odd}` is in only one of `modes` and `configOptions`", "options"
        elif current != selected:
            text = f"the option's value is `{selected}`, but `currentModeId` is `{current}`"
            where = "currentValue"
        else:
            continue
        yield Remark(text, at=f"{place}/{where}", hint="make both from one list")
        return
