"""A terminal is there at once."""

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
    summary="`terminal/create` was answered only after seconds",
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
    `terminal/create` starts a command and returns the terminal's id at once, while the command runs.

    A client that answers when the command has ended leaves the agent without an id in the meantime:
    it can neither show the output, nor stop the command after a time limit. Reported from 5 s on.

    Answer as soon as the process has started; its end is asked for with `terminal/wait_for_exit`.
    """
    if step.exchange and step.frame.t - step.exchange.t >= _SLOW:
        yield Remark(
            f"answered after {step.frame.t - step.exchange.t:.0f} s; expected the id at once",
            at="/result/terminalId",
            see=step.exchange.seq,
            hint="answer when the process has started, not when it has ended",
        )
