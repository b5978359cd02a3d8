"""An agent exits when its stdin ends."""

from collections.abc import Iterator
from typing import Any

from acp_spy.capture.records import Closed
from acp_spy.conversation.state import Ending
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.wire.frame import Peer

PATIENCE = 5.0


@rule(
    code="FRM014",
    name="late-exit-after-eof",
    severity=Severity.WARNING,
    summary="The agent kept running long after its stdin was closed",
    on=("closed", "end"),
    covers=("FRM-07",),
    spec="https://agentclientprotocol.com/protocol/transports#stdio",
    bad="""
        -> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1}}
        <- {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1}}
        -> EOF
        @ 9.0
        == -15
    """,
    good="""
        -> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1}}
        <- {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1}}
        -> EOF
        @ 2.0
        == 0
    """,
)
def late_exit_after_eof(moment: Closed | Ending, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does

    Reports an agent that exits, or is killed, more than 5 s after its stdin was closed.

    ## Why it matters

    A client ends a conversation by closing the agent's stdin. An agent that ignores this stays
    behind with its memory and its child processes, once for every time the editor is closed. The
    cause can also be a wrapper (npx, uvx, a shell script) that does not pass on the end of stdin.

    ## Use instead

    When stdin ends, cancel the current work and exit. Let wrappers `exec` the agent.
    """
    if isinstance(moment, Closed):
        if moment.sender is Peer.CLIENT:
            memory.setdefault("closed", moment.t)
        return
    closed = memory.get("closed")
    if moment.state.is_remote:
        return  # it has no stdin, or not one that the client closes
    if closed is None or moment.status is None or moment.t - closed <= PATIENCE:
        return
    how = f"signal {-moment.status}" if moment.status < 0 else f"status {moment.status}"
    yield Remark(
        f"the agent exited {moment.t - closed:.1f} s after its stdin was closed ({how});"
        f" expected at most {PATIENCE:.0f} s",
        blame=Peer.AGENT,
        hint="exit when stdin ends; let wrappers `exec` the agent",
    )
