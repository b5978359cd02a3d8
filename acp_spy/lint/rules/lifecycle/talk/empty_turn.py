"""A turn has something to show."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.model import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle.talk._common import is_attached
from acp_spy.lint.rules.lifecycle.talk._examples import (
    CHUNK,
    END_TURN,
    HANDSHAKE,
    NEW_SESSION,
    PROMPT,
    transcript,
)
from acp_spy.wire.values import fields, items


@rule(
    code="LIF055",
    name="empty-turn",
    severity=Severity.WARNING,
    summary="A turn ended well without anything to show",
    on=("result:session/prompt",),
    covers=("PRM-12",),
    spec="https://agentclientprotocol.com/protocol/prompt-turn",
    bad=transcript(HANDSHAKE, NEW_SESSION, PROMPT, END_TURN),
    good=transcript(HANDSHAKE, NEW_SESSION, PROMPT, CHUNK, END_TURN),
)
def empty_turn(step: Step) -> Iterator[Remark]:
    """
    The turn ended with `end_turn`, but there was no text, no thought, no plan and no tool call. The
    user sees nothing happen at all. Behind it is mostly an error that the agent has swallowed (a
    refused key, an empty answer of the model), or text that was put into the response.

    Report a failure as an error. Send text as `agent_message_chunk`. Slash commands are passed over.
    """
    session, exchange = step.session, step.exchange
    if session is None or exchange is None or not is_attached(session):
        return
    if fields(step.body).get("stopReason") != "end_turn":
        return
    turn = next((turn for turn in session.turns if turn.exchange is exchange), None)
    if turn is None or turn.shown or turn.cancelled_at is not None or len(session.turns) > 1:
        return
    blocks = [fields(block) for block in items(fields(exchange.params).get("prompt"))]
    first = blocks[0].get("text") if blocks else None
    if isinstance(first, str) and first.lstrip().startswith("/"):
        return
    yield Remark(
        "the turn ends with `end_turn` without a single text or tool call; something to show is"
        " expected",
        at="/result/stopReason",
        see=exchange.seq,
        hint="answer with an error if the turn failed",
    )
