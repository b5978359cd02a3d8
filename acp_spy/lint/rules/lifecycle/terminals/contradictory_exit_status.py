"""A command exits once, with one status."""

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
    summary="The client reported two different exit statuses for one command",
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
    ## What it does

    Reports an exit status that differs from an earlier one of the same terminal, in
    `terminal/output` or `terminal/wait_for_exit`, or an `exitStatus` that disappears. A response to
    a request from before the first status was sent may lack it.

    ## Why it matters

    The agent decides by the exit status whether the command still runs and whether it succeeded. It
    may wait for a finished command, or report a failure as success.

    ## Use instead

    Store the status when the process exits, and use it in both responses.
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
        seen = "no `exitStatus`" if is_gone else f"exit status `{_text(end)}`"
        yield Remark(
            f"{seen} for terminal `{name}`; expected `{_text(before)}`, as reported before",
            at="/result" if waited or is_gone else "/result/exitStatus",
            see=seq,
            hint="store the exit status with the terminal, and return it in both responses",
        )


def _end(status: Any) -> tuple[str, str] | None:
    """Return exit code and signal; `None` if neither is known."""
    code, signal = fields(status).get("exitCode"), fields(status).get("signal")
    if code is None and signal is None:
        return None
    return "" if code is None else str(code), "" if signal is None else str(signal)


def _text(end: tuple[str, str] | None) -> str:
    return " ".join(part for part in end or () if part)
