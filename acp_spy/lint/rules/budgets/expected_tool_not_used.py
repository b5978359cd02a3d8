"""The expected tools are used."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Ending, Step
from acp_spy.lint.budgets import Budgets
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.budgets._examples import turn
from acp_spy.lint.rules.budgets._tools import MOMENTS, is_named, names_of
from acp_spy.wire.frame import Peer


@rule(
    code="BUD004",
    name="expected-tool-not-used",
    severity=Severity.ERROR,
    summary="No tool call has the name of `--expect-tool`",
    on=("request:session/prompt", *MOMENTS, "end"),
    since="0.2",
    budgets=Budgets(expect_tool=("edit",)),
    bad=turn(tool="read"),
    good=turn(tool="edit"),
)
def expected_tool_not_used(
    moment: Step | Ending, facts: Facts, seen: dict[Any, Any]
) -> Iterator[Remark]:
    """
    ## What it does
    Reports that no tool call of the capture has the name, the kind, the title or the first word of
    the title that `--expect-tool` names. Case does not matter, and `*` matches any text. It runs
    only if that is set.

    ## Why it matters
    An agent that answers from memory, instead of reading the file, may still give a plausible
    answer.

    ## Use instead
    Read the tool calls of the capture: `acp-spy view CAPTURE method:tool_call`.
    """
    if isinstance(moment, Ending):
        for pattern in facts.budgets.expect_tool:
            if pattern not in seen:
                yield Remark(
                    f"no tool call is `{pattern}`; expected one",
                    on=seen.get("prompt"),
                    blame=Peer.AGENT,
                    hint="look at the names, kinds and titles of the tool calls",
                )
        return
    if moment.method == "session/prompt":
        seen["prompt"] = moment.frame.seq
        return
    call = facts.tool_call[1]
    name = call.get("toolCallId")
    known = None
    if moment.session is not None and isinstance(name, str):
        known = moment.session.tool_calls.get(name)
    names = names_of(call, known)
    for pattern in facts.budgets.expect_tool:
        if is_named(names, pattern):
            remember(seen, pattern)
