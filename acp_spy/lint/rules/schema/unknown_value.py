"""Enumerations have the values that the version gives them."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.model import Remark, Severity, rule
from acp_spy.lint.rules.schema._examples import in_turn, update
from acp_spy.lint.rules.schema._mistakes import mine
from acp_spy.lint.rules.schema._words import EDITIONS, again, loss, severity, text_of


@rule(
    code="SCH025",
    name="unknown-value",
    severity=Severity.ERROR,
    summary="A value that this version's enumeration does not have",
    on=("breach",),
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
def unknown_value(step: Step) -> Iterator[Remark]:
    """
    In version 1 most enumerations are closed: the kinds and states of tool calls, the priorities and
    states of plan entries. Where a lenient reader does not know a value it goes on without it: a
    tool call of an unknown `kind` loses its icon, one of an unknown `status` seems to be pending
    for ever. Strict readers refuse the message.
    """
    for mistake in mine(step, "unknown-value"):
        breach = mistake.first
        edition = EDITIONS.get(breach.legal_in, "")
        only = f", though {edition} has it" if edition else ""
        yield Remark(
            f"`{breach.key}` is {text_of(step, breach)}{only}; expected {breach.expected}"
            f"{loss(breach)}{again(mistake)}",
            at=breach.path,
            severity=severity(mistake),
            hint=f"send `{breach.instead}`" if breach.instead else "",
        )
