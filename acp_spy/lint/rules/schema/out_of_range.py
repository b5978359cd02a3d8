"""Numbers are within their range."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.schema._examples import in_turn
from acp_spy.lint.rules.schema._words import again, loss, severity, subject


@rule(
    code="SCH026",
    name="out-of-range",
    severity=Severity.ERROR,
    summary="A number is out of the range in the specification",
    on=("mismatch",),
    covers=("TRM-12", "USG-01"),
    spec="https://agentclientprotocol.com/protocol/schema",
    bad=in_turn(
        """
        <- {"jsonrpc": "2.0", "id": 0, "method": "terminal/create", "params": {"sessionId": "s-1", "command": "make"}}
        -> {"jsonrpc": "2.0", "id": 0, "result": {"terminalId": "t-1"}}
        <- {"jsonrpc": "2.0", "id": 1, "method": "terminal/wait_for_exit", "params": {"sessionId": "s-1", "terminalId": "t-1"}}
        -> {"jsonrpc": "2.0", "id": 1, "result": {"exitCode": -1}}
        <- {"jsonrpc": "2.0", "id": 2, "method": "terminal/release", "params": {"sessionId": "s-1", "terminalId": "t-1"}}
        -> {"jsonrpc": "2.0", "id": 2, "result": {}}
        """
    ),
    good=in_turn(
        """
        <- {"jsonrpc": "2.0", "id": 0, "method": "terminal/create", "params": {"sessionId": "s-1", "command": "make"}}
        -> {"jsonrpc": "2.0", "id": 0, "result": {"terminalId": "t-1"}}
        <- {"jsonrpc": "2.0", "id": 1, "method": "terminal/wait_for_exit", "params": {"sessionId": "s-1", "terminalId": "t-1"}}
        -> {"jsonrpc": "2.0", "id": 1, "result": {"exitCode": null, "signal": "SIGKILL"}}
        <- {"jsonrpc": "2.0", "id": 2, "method": "terminal/release", "params": {"sessionId": "s-1", "terminalId": "t-1"}}
        -> {"jsonrpc": "2.0", "id": 2, "result": {}}
        """
    ),
)
def out_of_range(_step: Step, facts: Facts) -> Iterator[Remark]:
    """
    ## What it does
    Reports numbers out of range. Sizes, counts and line numbers are not negative, and every integer
    fits into the bits that the schema defines. In version 1 this includes exit codes: a process
    that was killed has `signal` and no `exitCode`.

    ## Why it matters
    Decoders with fixed integer types refuse the message; lenient ones drop the number.

    ## Use instead
    Send a number within the range, or omit the field.
    """
    for mistake in facts.mistakes_of("out-of-range"):
        mismatch = mistake.first
        hint = ""
        if mismatch.key == "exitCode":
            hint = (
                "send the low 32 bits of the code, or null with the `signal` that ended the process"
            )
        yield Remark(
            f"{subject(mismatch)} is {mismatch.got}; expected {mismatch.expected}"
            f"{loss(mismatch)}{again(mistake)}",
            at=mismatch.path,
            severity=severity(mistake),
            hint=hint,
        )
