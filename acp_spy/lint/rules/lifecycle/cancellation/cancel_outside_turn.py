"""`session/cancel` is sent during a turn."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Step
from acp_spy.lint.races import GRACE
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._common import is_attached, quoted
from acp_spy.lint.rules.lifecycle._examples import (
    CANCEL,
    CANCELLED,
    CHUNK,
    END_TURN,
    HANDSHAKE,
    NEW_SESSION,
    PROMPT,
    transcript,
)


@rule(
    code="LIF068",
    name="cancel-outside-turn",
    severity=Severity.NOTE,
    summary="`session/cancel` was sent while no turn was open",
    on=("notification:session/cancel",),
    version=1,
    covers=("CAN-15",),
    spec="https://agentclientprotocol.com/protocol/prompt-turn#cancellation",
    bad=transcript(HANDSHAKE, NEW_SESSION, PROMPT, CHUNK, END_TURN, "@ 5", CANCEL),
    good=transcript(HANDSHAKE, NEW_SESSION, PROMPT, CANCEL, CANCELLED),
)
def cancel_outside_turn(step: Step, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does
    Reports `session/cancel` while no turn is open. A cancel that crossed with the response is not
    reported.

    ## Why it matters
    It has no effect. If the user stopped something that was still running, the agent answered the
    prompt too early, or the client named the wrong session.

    ## Use instead
    Cancel only while a prompt is pending.
    """
    session = step.session
    if session is None or not is_attached(session) or session.turns:
        return
    ended = session.last_turn_end
    if memory.get(session.id) == session.turn_count:
        return  # pressed twice
    if step.state.withholds_from(session.id):
        return  # the client cannot know: acp-spy has kept the response from it
    if ended is None or step.frame.t - ended > GRACE:
        remember(memory, session.id, session.turn_count)
        yield Remark(
            f"`session/cancel` was sent, but session {quoted(session.id)} has no open turn",
            at="/params/sessionId",
            see=session.seq,
            hint="cancel only while a prompt is pending",
        )
