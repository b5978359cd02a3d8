"""Every agent has the baseline methods."""

from collections.abc import Iterator

from acp_spy.conversation.state import Phase, Step
from acp_spy.lint.envelope import error_code
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._examples import HANDSHAKE, NEW_SESSION, transcript
from acp_spy.wire.frame import Peer


@rule(
    code="LIF007",
    name="baseline-method-missing",
    severity=Severity.ERROR,
    summary="The agent does not implement a method that every agent must have",
    on=("error:initialize", "error:session/new", "error:session/prompt"),
    version=1,
    covers=("INI-15",),
    spec="https://agentclientprotocol.com/protocol/overview#agent",
    bad=transcript(
        HANDSHAKE,
        """
        -> {"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {"cwd": "/home/dev/project", "mcpServers": []}}
        <- {"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "Method not found"}}
        """,
    ),
    good=transcript(HANDSHAKE, NEW_SESSION),
)
def baseline_method_missing(step: Step) -> Iterator[Remark]:
    """
    ## What it does
    Reports -32601 (method not found) for `initialize`, `session/new` or `session/prompt`. These
    methods need no capability.

    ## Why it matters
    No client can use such an agent.

    ## Use instead
    Implement the method. Check its spelling in the agent's dispatcher, and that the right program
    was started.
    """
    if error_code(step) != -32601 or step.frame.sender is not Peer.AGENT:
        return  # RPC015 reports an agent that sends one of them
    if step.method == "initialize" or step.state.phase is Phase.READY:
        yield Remark(
            f"`{step.method}` was answered with `-32601` (method not found); every agent must implement it",
            at="/error/code",
            see=step.exchange.seq if step.exchange else None,
            hint=f"implement `{step.method}`",
        )
