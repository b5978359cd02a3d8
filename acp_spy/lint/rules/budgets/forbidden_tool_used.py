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
    name = call.get("toolCallId")
    if not isinstance(name, str) or facts.is_replayed:
        return
    session = step.session.id if step.session else ""
    known = step.session.tool_calls.get(name) if step.session else None
    if (session, name) in reported:
        return
    names = names_of(call, known)
    for pattern in facts.budgets.forbid_tool:
        if is_named(names, pattern):
            remember(reported, (session, name))
            yield Remark(
                f"tool call `{name}` is `{pattern}`; expected no such tool call",
                at=f"{place}/toolCallId",
                hint="take the tool from the agent, or choose a mode without it",
            )
            return
