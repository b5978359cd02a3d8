"""The forbidden tools are not used."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Step
from acp_spy.lint.budgets import Budgets
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.budgets._examples import turn
from acp_spy.lint.rules.budgets._tools import MOMENTS, is_named, names_of
from acp_spy.wire.values import text


@rule(
    code="BUD005",
    name="forbidden-tool-used",
    severity=Severity.ERROR,
    summary="A tool call has the name of `--forbid-tool`",
    on=MOMENTS,
    since="0.2",
    budgets=Budgets(forbid_tool=("execute",)),
    bad=turn(tool="execute"),
    good=turn(tool="edit"),
)
def forbidden_tool_used(step: Step, facts: Facts, reported: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does
    Reports tool calls with the name, the kind, the title or the first word of the title that
    `--forbid-tool` names, each tool call once. Case does not matter, and `*` matches any text.
    It runs only if that is set.

    ## Why it matters
    In a test that must not reach the network or run commands, the call itself is the failure,
    whatever came of it.

    ## Use instead
    Take the tool from the agent, or choose a mode without it.
    """
    place, call = facts.tool_call
    if facts.is_replayed:
        return
    name = text(call.get("toolCallId"))
    session = step.session.id if step.session else ""
    known = step.session.tool_calls.get(name) if step.session and name is not None else None
    if (session, name) in reported:
        return
    names = names_of(call, known)
    for pattern in facts.budgets.forbid_tool:
        if is_named(names, pattern):
            if name is not None:  # without an id, each may be another one
                remember(reported, (session, name))
            which = "a tool call" if name is None else f"tool call `{name}`"
            yield Remark(
                f"{which} is `{pattern}`; expected no such tool call",
                at=f"{place}/toolCallId" if "toolCallId" in call else place,
                hint="take the tool from the agent, or choose a mode without it",
            )
            return
