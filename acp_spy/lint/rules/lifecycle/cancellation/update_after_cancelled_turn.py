"""The answer to a cancelled turn is its last word."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Ending, Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._examples import (
    CANCEL,
    CANCELLED,
    CHUNK,
    HANDSHAKE,
    NEW_SESSION,
    PROMPT,
    transcript,
)
from acp_spy.lint.rules.lifecycle._strays import MOMENTS, Sign, named, strays
from acp_spy.wire.frame import Peer


@rule(
    code="LIF064",
    name="update-after-cancelled-turn",
    severity=Severity.ERROR,
    summary="A cancelled turn went on after its answer",
    on=MOMENTS,
    version=1,
    covers=("CAN-07",),
    spec="https://agentclientprotocol.com/protocol/prompt-turn#cancellation",
    bad=transcript(HANDSHAKE, NEW_SESSION, PROMPT, CANCEL, CANCELLED, CHUNK),
    good=transcript(HANDSHAKE, NEW_SESSION, PROMPT, CANCEL, CHUNK, CANCELLED),
)
def update_after_cancelled_turn(moment: Step | Ending, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    After `session/cancel` the agent may still send updates, but all of them must come before the
    answer to the prompt. That answer tells the client that the work has stopped. What follows it
    appears in the next turn, or shows that the work goes on.

    Reported once for each turn, when the next one begins.
    """
    for session, stray in strays(moment, memory, Sign.CANCELLED):
        late = stray.t - (session.last_turn_end or 0.0)
        yield Remark(
            f"{named(stray)} came {late:.3f} s after the cancelled turn was answered; all updates"
            " should come before",
            at="/params/update",
            on=stray.seq,
            blame=Peer.AGENT,
            hint="stop the work, send what is left, then answer the prompt",
        )
