"""An agent that goes leaves no work behind."""

from collections.abc import Iterator
from typing import Any

from acp_spy.capture.records import Closed
from acp_spy.conversation.state import Ending
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.wire.frame import Peer

_ASKED_TO_END = (-1, -2, -15)  # hang-up, interrupt, terminate


@rule(
    code="RPC022",
    name="agent-died",
    severity=Severity.ERROR,
    summary="The agent ended while requests were open",
    on=("closed", "end"),
    covers=("X-02",),
    spec="https://agentclientprotocol.com/protocol/transports#stdio",
    bad="""
        -> {"jsonrpc": "2.0", "id": 2, "method": "session/prompt", "params": {"sessionId": "s1", "prompt": []}}
        <- EOF
        == -11
    """,
    good="""
        -> {"jsonrpc": "2.0", "id": 2, "method": "session/prompt", "params": {"sessionId": "s1", "prompt": []}}
        <- {"jsonrpc": "2.0", "id": 2, "result": {"stopReason": "end_turn"}}
        <- EOF
        == 0
    """,
)
def agent_died(moment: Closed | Ending, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    The agent's process ended before the client had closed its stdin, and requests were open. They
    can never be answered: this is told once, and not once for each.

    A status other than 0 is a crash; the reason is likely on stderr. Status 0 is an agent that
    exits by itself, perhaps after a turn in a mode without conversation. When somebody ended it by
    a signal this is a warning.
    """
    if isinstance(moment, Closed):
        memory.setdefault("first", moment.sender)
        return
    unanswered = [e for e in moment.state.pending.values() if e.sender is Peer.CLIENT]
    if not unanswered or not left_first(moment, memory):
        return
    status = moment.status
    how = "" if status is None else f" by signal {-status}" if status < 0 else f", status {status},"
    open_ = f"and {len(unanswered) - 1} more were open" if len(unanswered) > 1 else "was open"
    yield Remark(
        f"the agent ended{how} while `{unanswered[-1].method}` {open_}",
        on=unanswered[-1].seq,
        blame=Peer.AGENT,
        severity=Severity.WARNING if status in _ASKED_TO_END else None,
        hint="read stderr; answer what is open before you exit",
    )


def left_first(ending: Ending, memory: dict[Any, Any]) -> bool:
    """Tell whether the agent went before the client had closed its stream."""
    if memory.get("first") is Peer.CLIENT:
        return False
    return memory.get("first") is Peer.AGENT or not ending.cut_off
