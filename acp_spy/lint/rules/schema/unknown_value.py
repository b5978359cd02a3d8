"""Enumerations have the values that the version defines."""

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
    summary="A value is not in the enumeration of this version",
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
    ## What it does
    Reports values that an enumeration of this version does not contain. In version 1 most
    enumerations are closed: kind and status of tool calls, priority and status of plan entries.

    ## Why it matters
    Strict readers refuse the message. Lenient readers drop the value: a tool call with an unknown
    `kind` has no icon, one with an unknown `status` stays pending forever.

    ## Use instead
    Send one of the values that the finding lists.
    """
    for mistake in facts.mistakes_of("unknown-value"):
        mismatch = mistake.first
        edition = EDITIONS.get(mismatch.legal_in, "")
        only = f", although {edition} defines it" if edition else ""
        yield Remark(
            f"`{mismatch.key}` is {text_of(step, mismatch)}{only}; expected {mismatch.expected}"
            f"{loss(mismatch)}{again(mistake)}",
            at=mismatch.path,
            severity=severity(mistake),
            hint=f"send `{mismatch.instead}`" if mismatch.instead else "",
        )
