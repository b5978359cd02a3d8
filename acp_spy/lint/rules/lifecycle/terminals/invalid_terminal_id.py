"""A terminal is used between its creation and its release."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._lost_frames import named
from acp_spy.lint.rules.lifecycle._opening import TERMINAL
from acp_spy.lint.rules.lifecycle._reading import is_first
from acp_spy.wire.jsonrpc import Response, Unreadable
from acp_spy.wire.values import fields

_OUTPUT = """
        <- {"jsonrpc": "2.0", "id": 1, "method": "terminal/output", "params": {"sessionId": "s1", "terminalId": "term_1"}}
        -> {"jsonrpc": "2.0", "id": 1, "result": {"output": "2 passed", "truncated": false}}
"""
_RELEASE = """
        <- {"jsonrpc": "2.0", "id": 2, "method": "terminal/release", "params": {"sessionId": "s1", "terminalId": "term_1"}}
        -> {"jsonrpc": "2.0", "id": 2, "result": {}}
"""


@rule(
    code="LIF122",
    name="invalid-terminal-id",
    severity=Severity.ERROR,
    summary="A terminal was used that does not exist or was released, or two have the same id",
    on=(
        "request:terminal/output",
        "result:terminal/create",
        "unmatched",
        "lost",
        "request:terminal/wait_for_exit",
        "request:terminal/kill",
        "request:terminal/release",
    ),
    covers=("TRM-08",),
    spec="https://agentclientprotocol.com/protocol/terminals#releasing-terminals",
    bad=TERMINAL + _RELEASE + _OUTPUT,
    good=TERMINAL + _OUTPUT + _RELEASE,
)
def invalid_terminal_id(step: Step, released: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does

    Reports a `terminal/*` request with an id that `terminal/create` did not return, or that was
    released. Each terminal is reported once. A terminal that may have been returned in a broken
    frame is not reported. Also reports a client that returns the id of another terminal, which is
    not released yet.

    ## Why it matters

    The client returns an error. An agent that reads the output after the release loses it, and the
    model sees a failure although the command ran.

    ## Use instead

    Read output and exit status first. Release the terminal once, as the last step.
    """
    if isinstance(step.message, Response | Unreadable):
        for returned in named(step, "terminalId"):
            terminal = step.state.terminals.get(returned) if step.exchange else None
            if terminal and not terminal.released and terminal.id not in released:
                yield Remark(
                    f"`terminal/create` returned the id `{returned}`, which another terminal has;"
                    " expected a new id",
                    at="/result/terminalId",
                    see=terminal.seq,
                    hint="give each terminal an id of its own",
                )
            remember(released, ("returned", returned))
        return
    name = fields(step.body).get("terminalId")
    if not isinstance(name, str):
        return
    terminal, earlier = step.state.terminals.get(name), released.get(name)
    if step.method == "terminal/release" and earlier is None:
        remember(released, name, step.frame.seq)
    if terminal is None and ("returned", name) in released:
        return
    if terminal is None:
        why, seq = "but no `terminal/create` returned that id", None
    elif earlier is not None and earlier > terminal.seq:
        why, seq = "but it was already released", earlier
    else:
        return
    if is_first(released, (name, why)):
        yield Remark(
            f"`{step.method}` for terminal `{name}`, {why}; expected an existing terminal",
            at="/params/terminalId",
            see=seq,
            hint="use the id that `terminal/create` returned, and release the terminal last",
        )
