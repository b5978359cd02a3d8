"""An agent does not exit while requests are pending."""

from collections.abc import Iterator
from typing import Any

from acp_spy.capture.records import FROM_OUTSIDE, Closed, Disconnect, Stderr
from acp_spy.conversation.state import Ending, Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.jsonrpc._lost_responses import LOSSES, is_explained, note
from acp_spy.wire.frame import Peer

_KILLED = -9


@rule(
    code="RPC022",
    name="agent-died",
    severity=Severity.ERROR,
    summary="The agent exited while requests were pending",
    on=("closed", "disconnect", "end", *LOSSES),
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
def agent_died(
    moment: Step | Closed | Stderr | Disconnect | Ending, memory: dict[Any, Any]
) -> Iterator[Remark]:
    """
    ## What it does

    Reports an agent that exits before the client has closed its stdin, while requests are pending.
    It is reported once for all of these requests; unless the agent crashed, not for those whose
    response had another id.
    If the agent was ended from outside (SIGKILL, SIGTERM, SIGINT, SIGHUP), this is a warning, and
    not a mistake of the agent. If acp-spy ended the connection, it is not reported.

    ## Why it matters

    The requests can never be answered, and the client has to start a new agent.

    A status other than 0 is a crash; the reason is probably on stderr. With status 0 the agent
    exited by itself, for example after one turn in a non-interactive mode.

    ## Use instead

    Answer pending requests before you exit, and exit only when stdin ends.
    """
    if isinstance(moment, Closed):
        memory.setdefault("first", moment.sender)
        return
    if isinstance(moment, Disconnect):
        if moment.by == "proxy" and moment.stream == "connection":
            memory["by_proxy"] = True
        return
    if isinstance(moment, Step | Stderr):
        note(moment, memory)
        return
    pending = moment.state.pending.asked_by(Peer.CLIENT)
    # A response to the id null cannot be recognized: RPC004 reports the request.
    unanswered = [each for each in pending if each.id != b"null"]
    status = moment.status
    is_outside = status in FROM_OUTSIDE
    if not status or is_outside:  # a crash is a mistake of its own, whatever explains the rest
        unanswered = [each for each in unanswered if not is_explained(each, memory)]
    was_ended = moment.state.ended_by or "by_proxy" in memory
    if not unanswered or not left_first(moment, memory) or was_ended:
        return
    more = len(unanswered) - 1
    others = f"and {more} more were pending" if more else "was pending"
    yield Remark(
        f"the agent {_how(moment)} while `{unanswered[-1].method}` {others}",
        on=unanswered[-1].seq,
        blame=Peer.CLIENT if is_outside else Peer.AGENT,
        severity=Severity.WARNING if is_outside else None,
        hint=_hint(status),
    )


def _how(ending: Ending) -> str:
    status = ending.status
    if ending.state.is_remote and not status:
        return "ended the connection"
    if status is None:
        return "exited"
    return f"was ended by signal {-status}" if status < 0 else f"exited with status {status}"


def _hint(status: int | None) -> str:
    if status == _KILLED:
        return "find out who killed the agent: the client, a user, or the system (out of memory)"
    if status in FROM_OUTSIDE:
        return "the agent was ended from outside; close its stdin to end it"
    if status == 0:
        return "answer pending requests before you exit"
    return "read stderr for the cause; answer pending requests before you exit"


def left_first(ending: Ending, memory: dict[Any, Any]) -> bool:
    """Tell whether the agent exited before the client had closed its stream."""
    if memory.get("first") is Peer.CLIENT:
        return False
    return memory.get("first") is Peer.AGENT or not ending.cut_off
