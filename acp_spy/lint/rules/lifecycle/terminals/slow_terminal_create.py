"""`terminal/create` returns immediately."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._opening import TOOL_CALL

_SLOW = 5.0  # seconds; starting a process takes milliseconds, in a remote container perhaps one
_CREATE = """
        <- {"jsonrpc": "2.0", "id": 0, "method": "terminal/create", "params": {"sessionId": "s1", "command": "make"}}
"""
_CREATED = """
        -> {"jsonrpc": "2.0", "id": 0, "result": {"terminalId": "term_1"}}
"""


@rule(
    code="LIF124",
    name="slow-terminal-create",
    severity=Severity.WARNING,
    summary="`terminal/create` took 5 seconds or more",
    on=("result:terminal/create",),
    covers=("TRM-02",),
    spec="https://agentclientprotocol.com/protocol/terminals#executing-commands",
    bad=TOOL_CALL
    + _CREATE
    + """
        @ 30
"""
    + _CREATED,
    good=TOOL_CALL + _CREATE + _CREATED,
)
def slow_terminal_create(step: Step) -> Iterator[Remark]:
    """
    ## What it does

    Reports a response to `terminal/create` that takes 5 seconds or more. The client must return the
    terminal id as soon as the command starts.

    ## Why it matters

    Without the id the agent cannot show the output or stop the command.

    ## Use instead

    Answer when the process has started. Report its end in the response to `terminal/wait_for_exit`.
    """
    if step.exchange and step.frame.t - step.exchange.t >= _SLOW:
        yield Remark(
            f"`terminal/create` was answered after {step.frame.t - step.exchange.t:.0f} s;"
            " expected an immediate response",
            at="/result/terminalId",
            see=step.exchange.seq,
            hint="answer when the process starts, not when it exits",
        )
