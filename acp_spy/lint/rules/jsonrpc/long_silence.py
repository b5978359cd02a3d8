"""Somebody waits, and nothing moves."""

from collections.abc import Iterator
from typing import Any

from acp_spy.capture.records import Closed
from acp_spy.conversation.chunk import LONG_SILENCE
from acp_spy.conversation.state import Conversation, Ending, Exchange, Step
from acp_spy.lint.rule import Remark, Severity, rule

PATIENCE = 30.0
PATIENCE_WITH = {"session/prompt": 120.0, "fs/read_text_file": 10.0, "fs/write_text_file": 10.0}

# What a person or a command takes its time for.
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
    summary="A request was open, and nothing moved for a long time",
    on=("unusual", "unreadable", "closed", "end"),
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
    A request was open, and neither peer sent anything: for two minutes in a turn, for half a minute
    otherwise. To the person in front of the editor this is a hang. Time that a person takes for a
    permission, or a command in a terminal, is not counted.

    The peer that owes the answer is named. When it works for long it should say so: an agent with
    a tool call in progress, or with a chunk of its thoughts. At the end of a capture that was cut
    off, a silence is a warning.
    """
    if isinstance(moment, Closed):
        memory.setdefault("closed", moment.t)
        return
    if isinstance(moment, Step):
        silence = moment.frame.t - moment.state.t
        severity = Severity.NOTE
    else:
        if not moment.cut_off:
            return  # nothing came any more: that is told of the request itself
        silence = min(moment.t, memory.get("closed", moment.t)) - moment.state.t
        severity = Severity.WARNING
    exchange = hanging(moment.state, silence)
    if exchange is not None:
        yield Remark(
            f"`{exchange.method}` was open, and nothing moved for {silence:.0f} s",
            on=exchange.seq,
            blame=exchange.sender.other,
            severity=severity,
            hint="answer, or tell of the progress",
        )


def hanging(state: Conversation, silence: float) -> Exchange | None:
    """Return the request that was waited for in a silence that was too long."""
    if silence < LONG_SILENCE or not state.pending:
        return None
    if any(open_.method in SLOW or open_.method[:1] == "_" for open_ in state.pending.values()):
        return None
    last = next(reversed(state.pending.values()))
    return last if silence >= PATIENCE_WITH.get(last.method, PATIENCE) else None
