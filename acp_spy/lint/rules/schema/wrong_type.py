"""Values have the JSON type that the specification defines."""

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
    summary="A value has the wrong JSON type",
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
    ## What it does
    Reports values of another JSON type than the specification defines. `true` is not an integer,
    most decoders do not accept `1.0` as one, and null is allowed only where the specification says
    so.

    ## Why it matters
    A strict reader refuses the whole message. Lenient readers drop the value; the finding says what
    is lost.

    ## Use instead
    Send the value in the type that the finding names.
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
        return "send the time as a string such as `2026-11-15T00:03:20Z`"
    if mismatch.got == "null" and mismatch.lenient:
        return "omit the field if it has no value"
    if mismatch.key.endswith("Id") and mismatch.expected == "a string":
        return "send ids as strings, everywhere the same"
    if mismatch.path == "/params":
        return "send params by name, in an object"
    return ""
