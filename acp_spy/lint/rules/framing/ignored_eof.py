"""An agent ends when its stdin does."""

from collections.abc import Iterator
from typing import Any

from acp_spy.capture.records import Closed
from acp_spy.conversation.state import Ending
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.wire.frame import Peer

PATIENCE = 5.0


@rule(
    code="FRM014",
    name="ignored-eof",
    severity=Severity.WARNING,
    summary="The agent went on long after its stdin was closed",
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
def ignored_eof(moment: Closed | Ending, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    A client ends a conversation by closing the agent's stdin. An agent that does not notice stays
    behind with its memory and its child processes, one for each time the editor is closed. A
    wrapper such as npx, uvx or a shell script may also be the one that does not pass the end on.

    When stdin ends, give up what is under way, and exit.
    """
    if isinstance(moment, Closed):
        if moment.sender is Peer.CLIENT:
            memory.setdefault("closed", moment.t)
        return
    closed = memory.get("closed")
    if closed is None or moment.status is None or moment.t - closed <= PATIENCE:
        return
    how = f"signal {-moment.status}" if moment.status < 0 else f"status {moment.status}"
    yield Remark(
        f"the agent ended {moment.t - closed:.0f} s after its stdin, with {how};"
        " expected it to exit soon",
        blame=Peer.AGENT,
        hint="exit at the end of stdin, and let wrappers `exec` the agent",
    )
