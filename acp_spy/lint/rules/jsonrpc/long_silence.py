"""A request is pending, and nothing is sent."""

from collections.abc import Iterator
from typing import Any

from acp_spy.capture.records import Closed
from acp_spy.conversation.chunk import LONG_SILENCE
from acp_spy.conversation.state import Conversation, Ending, Exchange, Step
from acp_spy.lint.rule import Remark, Severity, rule

PATIENCE = 30.0
PATIENCE_WITH = {"session/prompt": 120.0, "fs/read_text_file": 10.0, "fs/write_text_file": 10.0}

# These wait for a person or a command.
SLOW = frozenset(
    (
        "session/request_permission",
        "elicitation/create",
        "authenticate",
        "auth/login",
        "terminal/wait_for_exit",
    )
)


@rule(
    code="RPC021",
    name="long-silence",
    severity=Severity.NOTE,
    summary="A request was pending, and nothing was sent for a long time",
    on=("silence", "closed", "end"),
    covers=("X-01",),
    spec="https://agentclientprotocol.com/protocol/prompt-turn",
    bad="""
        -> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1}}
        @ 45.0
        <- {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1}}
    """,
    good="""
        -> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1}}
        @ 14.0
        <- {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1}}
    """,
)
def long_silence(moment: Step | Closed | Ending, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does

    Reports silence while a request is pending: two minutes in a turn, half a minute otherwise. Time
    that a user takes for a permission, or a command in a terminal, is not counted. At the end of a
    capture that was cut off, silence is a warning.

    ## Why it matters

    To the user this is a hang. The finding names the peer that has to answer.

    ## Use instead

    Report progress during long work: an agent can send a tool call that is in progress, or a chunk
    of its thoughts.
    """
    if isinstance(moment, Closed):
        memory.setdefault("closed", moment.t)
        return
    if isinstance(moment, Step):
        silence = moment.frame.t - moment.state.t
        severity = Severity.NOTE
    else:
        if not moment.cut_off:
            return  # nothing more came: RPC006 reports the request
        silence = min(moment.t, memory.get("closed", moment.t)) - moment.state.t
        severity = Severity.WARNING
    exchange = hanging(moment.state, silence)
    if exchange is not None:
        yield Remark(
            f"`{exchange.method}` was pending, and nothing was sent for {silence:.0f} s;"
            " expected a response or progress",
            on=exchange.seq,
            blame=exchange.sender.other,
            severity=severity,
            hint="answer, or report progress",
        )


def hanging(state: Conversation, silence: float) -> Exchange | None:
    """Return the request that was waited for in a silence that was too long."""
    if silence < LONG_SILENCE or not state.pending:
        return None
    if any(method in SLOW or method[:1] == "_" for method in state.pending.methods):
        return None
    last = next(reversed(state.pending.values()))
    return last if silence >= PATIENCE_WITH.get(last.method, PATIENCE) else None
