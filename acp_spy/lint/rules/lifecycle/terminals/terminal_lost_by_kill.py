"""A killed terminal can still be read."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._opening import TERMINAL
from acp_spy.lint.rules.lifecycle._reading import is_first
from acp_spy.wire.values import fields

_KILL = """
        <- {"jsonrpc": "2.0", "id": 1, "method": "terminal/kill", "params": {"sessionId": "s1", "terminalId": "term_1"}}
        -> {"jsonrpc": "2.0", "id": 1, "result": {}}
        <- {"jsonrpc": "2.0", "id": 2, "method": "terminal/output", "params": {"sessionId": "s1", "terminalId": "term_1"}}
"""


@rule(
    code="LIF123",
    name="terminal-lost-by-kill",
    severity=Severity.WARNING,
    summary="The client forgot a terminal when its command was killed",
    on=(
        "result:terminal/kill",
        "error:terminal/output",
        "error:terminal/wait_for_exit",
        "error:terminal/release",
    ),
    covers=("TRM-09",),
    spec="https://agentclientprotocol.com/protocol/terminals#killing-commands",
    bad=TERMINAL
    + _KILL
    + """
        -> {"jsonrpc": "2.0", "id": 2, "error": {"code": -32002, "message": "Resource not found"}}
""",
    good=TERMINAL
    + _KILL
    + """
        -> {"jsonrpc": "2.0", "id": 2, "result": {"output": "collecting", "truncated": false, "exitStatus": {"signal": "SIGKILL"}}}
""",
)
def terminal_lost_by_kill(step: Step, killed: dict[Any, Any]) -> Iterator[Remark]:
    """
    `terminal/kill` ends the command and keeps the terminal. Output and exit status can be read until
    `terminal/release`.

    An agent that stops a command after a time limit kills it first and then reads what it had
    printed. With a client that forgets the terminal at once, that output is lost, and so is the
    reason why the command hung.

    Forget a terminal on `terminal/release`, never on `terminal/kill`.
    """
    params = fields(step.exchange.params if step.exchange else None)
    name = params.get("terminalId")
    terminal = step.state.terminals.get(name) if isinstance(name, str) else None
    if terminal is None:
        return
    if step.method == "terminal/kill":
        remember(killed, name, step.frame.seq)
    elif name in killed and not terminal.released and is_first(killed, (name, "reported")):
        yield Remark(
            f"`{step.method}` failed for terminal `{name}` after `terminal/kill`",
            at="/error",
            see=killed[name],
            hint="keep a killed terminal until `terminal/release`",
        )
