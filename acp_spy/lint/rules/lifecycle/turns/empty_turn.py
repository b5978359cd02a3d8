"""A turn has something to show."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._common import is_attached
from acp_spy.lint.rules.lifecycle._examples import (
    CHUNK,
    END_TURN,
    HANDSHAKE,
    NEW_SESSION,
    PROMPT,
    transcript,
)
from acp_spy.wire.frame import Peer
from acp_spy.wire.jsonrpc import Request, Response
from acp_spy.wire.values import fields, items


@rule(
    code="LIF055",
    name="empty-turn",
    severity=Severity.WARNING,
    summary="A turn ended well without anything to show",
    on=("result:session/prompt", "unreadable", "mismatch", "unusual"),
    covers=("PRM-12",),
    spec="https://agentclientprotocol.com/protocol/prompt-turn",
    bad=transcript(HANDSHAKE, NEW_SESSION, PROMPT, END_TURN),
    good=transcript(HANDSHAKE, NEW_SESSION, PROMPT, CHUNK, END_TURN),
)
def empty_turn(step: Step, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    The turn ended with `end_turn`, but there was no text, no thought, no plan and no tool call. The
    user sees nothing happen at all. Behind it is mostly an error that the agent has swallowed (a
    refused key, an empty answer of the model), or text that was put into the response.

    Report a failure as an error. Send text as `agent_message_chunk`. Slash commands are passed over, and
    turns in which the agent has said something that could not be understood: that is told elsewhere.
    """
    if not isinstance(step.message, Response):
        if _is_lost(step):
            memory["lost"] = step.frame.seq
        return
    session, exchange = step.session, step.exchange
    if session is None or exchange is None or not is_attached(session):
        return
    if fields(step.body).get("stopReason") != "end_turn":
        return
    turn = next((turn for turn in session.turns if turn.exchange is exchange), None)
    if memory.get("lost", 0) > exchange.seq:
        return
    if turn is None or turn.shown or turn.cancelled_at is not None or len(session.turns) > 1:
        return
    blocks = [fields(block) for block in items(fields(exchange.params).get("prompt"))]
    first = blocks[0].get("text") if blocks else None
    if isinstance(first, str) and first.lstrip().startswith("/"):
        return
    if _speaks_elsewhere(step, exchange.seq):  # asked last: it goes through all sessions
        return
    yield Remark(
        "the turn ends with `end_turn` without a single text or tool call; something to show is"
        " expected",
        at="/result/stopReason",
        see=exchange.seq,
        hint="answer with an error if the turn failed",
    )


def _is_lost(step: Step) -> bool:
    """Tell whether the agent may have shown something that nobody could take in."""
    if step.frame.sender is not Peer.AGENT or isinstance(step.message, Request):
        return False
    return (step.session is None or step.event is None) and not step.method.startswith("_")


def _speaks_elsewhere(step: Step, since: int) -> bool:
    """Tell whether the agent has begun to speak in a session that nobody has opened."""
    sessions = step.state.sessions.values()
    return any(session.how == "used" and session.seq > since for session in sessions)
