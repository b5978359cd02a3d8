"""A killed terminal can be read until its release."""

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
    name="terminal-lost-after-kill",
    severity=Severity.WARNING,
    summary="The client dropped a terminal when its command was killed",
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
def terminal_lost_after_kill(step: Step, killed: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does

    Reports a `terminal/*` request that fails after `terminal/kill`. `terminal/kill` ends the
    command; the terminal stays valid until `terminal/release`.

    ## Why it matters

    An agent kills a command that takes too long and then reads its output. If the terminal is gone,
    that output is lost.

    ## Use instead

    Keep the terminal until `terminal/release`.
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
            f"`{step.method}` failed for terminal `{name}` after `terminal/kill`;"
            " expected the terminal until `terminal/release`",
            at="/error",
            see=killed[name],
            hint="keep a killed terminal until `terminal/release`",
        )
