"""Modes and the config option for the mode agree."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._opening import OPTIONS
from acp_spy.lint.rules.lifecycle._reading import entries, names, values
from acp_spy.wire.values import fields


@rule(
    code="LIF132",
    name="modes-and-config-options-differ",
    severity=Severity.WARNING,
    summary="`modes` and the config option of the category `mode` differ",
    on=("SessionOpened",),
    covers=("CFG-10",),
    spec="https://agentclientprotocol.com/protocol/session-config-options#relationship-to-session-modes",
    bad=OPTIONS.replace('"currentModeId": "ask"', '"currentModeId": "code"'),
    good=OPTIONS,
)
def modes_and_config_options_differ(step: Step) -> Iterator[Remark]:
    """
    ## What it does

    Reports a session whose `modes` and config option of the category `mode` have different ids or
    different current values. An agent that offers both should keep them in sync.

    ## Why it matters

    Two clients show two different modes for one session. A user may read that the agent requests
    permission before edits when it does not.

    ## Use instead

    Build both from one list.
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
            where = "options"
            text = f"mode `{odd}` is only in `modes` or in `configOptions`; expected it in both"
        elif isinstance(current, str) and isinstance(selected, str) and current != selected:
            text = (
                f"`currentValue` is `{selected}`, but `currentModeId` is `{current}`;"
                " expected the same mode"
            )
            where = "currentValue"
        else:
            continue
        yield Remark(text, at=f"{place}/{where}", hint="build both from one list")
        return
