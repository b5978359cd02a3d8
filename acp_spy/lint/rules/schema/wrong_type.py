"""A value is of the JSON type that the specification says."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.schema._examples import in_turn, update
from acp_spy.lint.rules.schema._words import again, loss, severity, sort_of, subject
from acp_spy.protocol.mismatch import Mismatch


@rule(
    code="SCH012",
    name="wrong-type",
    severity=Severity.ERROR,
    summary="A value is of another JSON type than the specification says",
    on=("mismatch",),
    covers=("LST-09", "USG-01", "CNT-10", "FS-05", "X-06"),
    spec="https://agentclientprotocol.com/protocol/schema",
    bad=in_turn(
        update(
            '{"sessionUpdate": "tool_call", "toolCallId": 7, "title": "Reading the test", "status": "completed"}'
        )
    ),
    good=in_turn(
        update(
            '{"sessionUpdate": "tool_call", "toolCallId": "7", "title": "Reading the test", "status": "completed"}'
        )
    ),
)
def wrong_type(_step: Step, facts: Facts) -> Iterator[Remark]:
    """
    A strict reader refuses the whole message for one value of the wrong type. Lenient readers drop
    what they cannot read and go on without it; the finding says what that is. `true` is no integer,
    `1.0` is none either to most decoders, and null stands only where the specification allows it.
    """
    for mistake in facts.mistakes_of("wrong-type"):
        mismatch = mistake.first
        yield Remark(
            f"{subject(mismatch)} is {sort_of(mismatch)}; expected {mismatch.expected}"
            f"{loss(mismatch)}{again(mistake)}",
            at=mismatch.path,
            severity=severity(mistake),
            hint=_hint(mismatch),
        )


def _hint(mismatch: Mismatch) -> str:
    if mismatch.key == "updatedAt":
        return "write the time as text, such as `2026-11-15T00:03:20Z`"
    if mismatch.got == "null" and mismatch.lenient:
        return "leave the key out where there is nothing to say"
    if mismatch.key.endswith("Id") and mismatch.expected == "a string":
        return "ids are strings; put it in quotes, everywhere the same"
    if mismatch.path == "/params":
        return "ACP passes params by name, in an object"
    return ""
