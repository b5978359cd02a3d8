"""All updates of a cancelled turn are sent before its response."""

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
    summary="An update came after the response to a cancelled turn",
    on=MOMENTS,
    version=1,
    covers=("CAN-07",),
    spec="https://agentclientprotocol.com/protocol/prompt-turn#cancellation",
    bad=transcript(HANDSHAKE, NEW_SESSION, PROMPT, CANCEL, CANCELLED, CHUNK),
    good=transcript(HANDSHAKE, NEW_SESSION, PROMPT, CANCEL, CHUNK, CANCELLED),
)
def update_after_cancelled_turn(moment: Step | Ending, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does
    Reports updates after the response to a cancelled prompt, once per turn. Updates between
    `session/cancel` and the response are allowed.

    ## Why it matters
    The response means that the work has stopped. Later updates appear in the next turn, or show
    that the work continues.

    ## Use instead
    Stop the work, send the remaining updates, then answer the prompt.
    """
    for session, stray in strays(moment, memory, Sign.CANCELLED):
        late = stray.t - (session.last_turn_end or 0.0)
        yield Remark(
            f"{named(stray)} came {late:.3f} s after the cancelled turn was answered; expected all"
            " updates before",
            at="/params/update",
            on=stray.seq,
            blame=Peer.AGENT,
            hint="stop the work, send the remaining updates, then answer the prompt",
        )
