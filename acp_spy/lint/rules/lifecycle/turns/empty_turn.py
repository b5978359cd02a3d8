"""A successful turn has output."""

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
    summary="A turn ended successfully but without output",
    on=("result:session/prompt", "unreadable", "mismatch", "unusual"),
    covers=("PRM-12",),
    spec="https://agentclientprotocol.com/protocol/prompt-turn",
    bad=transcript(HANDSHAKE, NEW_SESSION, PROMPT, END_TURN),
    good=transcript(HANDSHAKE, NEW_SESSION, PROMPT, CHUNK, END_TURN),
)
def empty_turn(step: Step, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does
    Reports turns that end with `end_turn` but without text, thought, plan or tool call. Slash
    commands are not reported, nor turns in which the agent asked the user something or with
    messages that could not be read.

    ## Why it matters
    The user sees nothing happen. The cause is often an error that the agent swallowed (a refused
    key, an empty response of the model), or text in the response instead of an update.

    ## Use instead
    Report a failure as an error, and send text as `agent_message_chunk`.
    """
    if type(step.message) is not Response:
        if _is_lost(step):
            memory["lost"] = step.frame.seq
        return
    session, exchange = step.session, step.exchange
    if session is None or exchange is None or not is_attached(session):
        return
    if fields(step.body).get("stopReason") != "end_turn":
        return
    turn = session.turns.of(exchange)
    if memory.get("lost", 0) > exchange.seq:
        return
    if turn is None or not turn.is_empty or turn.cancelled_at is not None or len(session.turns) > 1:
        return
    blocks = [fields(block) for block in items(fields(exchange.params).get("prompt"))]
    first = blocks[0].get("text") if blocks else None
    if isinstance(first, str) and first.lstrip().startswith("/"):
        return
    if _speaks_elsewhere(step, exchange.seq):  # last, because it looks at all sessions
        return
    yield Remark(
        "the turn ended with `end_turn`, but without any text, thought, plan or tool call; expected"
        " at least one",
        at="/result/stopReason",
        see=exchange.seq,
        hint="answer with an error if the turn failed",
    )


def _is_lost(step: Step) -> bool:
    """Return whether the agent may have sent output that could not be read."""
    if step.frame.sender is not Peer.AGENT or type(step.message) is Request:
        return False
    return (step.session is None or step.event is None) and not step.method.startswith("_")


def _speaks_elsewhere(step: Step, since: int) -> bool:
    """Return whether the agent sent updates for a session that was never opened."""
    sessions = step.state.sessions.values()
    return any(session.how == "used" and session.seq > since for session in sessions)
