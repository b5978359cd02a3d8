"""Enumerations have the values that the version gives them."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.schema._examples import in_turn, update
from acp_spy.lint.rules.schema._words import EDITIONS, again, loss, severity, text_of


@rule(
    code="SCH025",
    name="unknown-value",
    severity=Severity.ERROR,
    summary="A value that this version's enumeration does not have",
    on=("mismatch",),
    covers=("TLC-05", "TLC-06", "PLN-04", "CNT-10", "X-06", "X-07"),
    spec="https://agentclientprotocol.com/protocol/schema",
    bad=in_turn(
        update(
            '{"sessionUpdate": "tool_call", "toolCallId": "call-1", "title": "Running the test", "status": "completed", "kind": "bash"}'
        )
    ),
    good=in_turn(
        update(
            '{"sessionUpdate": "tool_call", "toolCallId": "call-1", "title": "Running the test", "status": "completed", "kind": "execute"}'
        )
    ),
)
def unknown_value(step: Step, facts: Facts) -> Iterator[Remark]:
    """
    In version 1 most enumerations are closed: the kinds and states of tool calls, the priorities and
    states of plan entries. Where a lenient reader does not know a value it goes on without it: a
    tool call of an unknown `kind` loses its icon, one of an unknown `status` seems to be pending
    for ever. Strict readers refuse the message.
    """
    for mistake in facts.mistakes_of("unknown-value"):
        mismatch = mistake.first
        edition = EDITIONS.get(mismatch.legal_in, "")
        only = f", though {edition} has it" if edition else ""
        yield Remark(
            f"`{mismatch.key}` is {text_of(step, mismatch)}{only}; expected {mismatch.expected}"
            f"{loss(mismatch)}{again(mistake)}",
            at=mismatch.path,
            severity=severity(mistake),
            hint=f"send `{mismatch.instead}`" if mismatch.instead else "",
        )
