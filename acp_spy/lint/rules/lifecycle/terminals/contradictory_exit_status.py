"""A command ends once, in one way."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._opening import TERMINAL
from acp_spy.lint.rules.lifecycle._reading import is_first
from acp_spy.wire.values import fields

_WAIT = """
        <- {"jsonrpc": "2.0", "id": 1, "method": "terminal/wait_for_exit", "params": {"sessionId": "s1", "terminalId": "term_1"}}
        -> {"jsonrpc": "2.0", "id": 1, "result": {"exitCode": 1}}
        <- {"jsonrpc": "2.0", "id": 2, "method": "terminal/output", "params": {"sessionId": "s1", "terminalId": "term_1"}}
"""


@rule(
    code="LIF127",
    name="contradictory-exit-status",
    severity=Severity.WARNING,
    summary="The client tells two different ends of one command",
    on=("result:terminal/output", "result:terminal/wait_for_exit"),
    covers=("TRM-07",),
    spec="https://agentclientprotocol.com/protocol/terminals#getting-output",
    bad=TERMINAL
    + _WAIT
    + """
        -> {"jsonrpc": "2.0", "id": 2, "result": {"output": "1 failed", "truncated": false, "exitStatus": {"exitCode": 0}}}
""",
    good=TERMINAL
    + _WAIT
    + """
        -> {"jsonrpc": "2.0", "id": 2, "result": {"output": "1 failed", "truncated": false, "exitStatus": {"exitCode": 1}}}
""",
)
def contradictory_exit_status(step: Step, ends: dict[Any, Any]) -> Iterator[Remark]:
    """
    `exitStatus` in `terminal/output` is there when the command has exited, and says the same as the
    answer to `terminal/wait_for_exit`. Once told, it neither changes nor goes away.

    An agent decides by it whether the command still runs and whether it was a success. With two
    answers it waits for a command that is over, or reports a failure as a success.

    Keep the status with the terminal when the process ends, and answer both from there. An answer to
    a question that was asked before the end became known is not judged.
    """
    name = fields(step.exchange.params if step.exchange else None).get("terminalId")
    if step.exchange is None or not isinstance(name, str):
        return
    waited = step.method == "terminal/wait_for_exit"
    status = step.body if waited else fields(step.body).get("exitStatus")
    end = _end(status)
    before, seq = ends.get(name, (None, 0))
    if before is None:
        if end is not None:
            remember(ends, name, (end, step.frame.seq))
        return
    is_gone = status is None and not waited and step.exchange.seq > seq
    if (is_gone or end not in (None, before)) and is_first(ends, ("reported", name)):
        seen = "no `exitStatus`" if is_gone else f"exit status `{_spelt(end)}`"
        yield Remark(
            f"{seen} for terminal `{name}`, but it had ended with `{_spelt(before)}`",
            at="/result" if waited or is_gone else "/result/exitStatus",
            see=seq,
            hint="keep the exit status with the terminal, and answer from there",
        )


def _end(status: Any) -> tuple[str, str] | None:
    """Return code and signal; nothing if neither is known."""
    code, signal = fields(status).get("exitCode"), fields(status).get("signal")
    if code is None and signal is None:
        return None
    return "" if code is None else str(code), "" if signal is None else str(signal)


def _spelt(end: tuple[str, str] | None) -> str:
    return " ".join(part for part in end or () if part)
