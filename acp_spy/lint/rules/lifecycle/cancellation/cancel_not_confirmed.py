"""A cancelled turn ends with `cancelled`."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.races import has_crossed, may_have_crossed
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._common import quoted
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
from acp_spy.wire.values import fields


@rule(
    code="LIF062",
    name="cancel-not-confirmed",
    severity=Severity.ERROR,
    summary="A cancelled turn ended with another stop reason",
    on=("result:session/prompt",),
    version=1,
    covers=("CAN-05",),
    spec="https://agentclientprotocol.com/protocol/prompt-turn#cancellation",
    bad=transcript(HANDSHAKE, NEW_SESSION, PROMPT, CANCEL, "@ 2", CHUNK, END_TURN),
    good=transcript(HANDSHAKE, NEW_SESSION, PROMPT, CANCEL, "@ 2", CHUNK, CANCELLED),
)
def cancel_not_confirmed(step: Step) -> Iterator[Remark]:
    """
    ## What it does
    Reports turns that end with another stop reason than `cancelled` after `session/cancel`. A
    response within 0.25 s may have crossed with the cancel, and is only a note. One within 2 ms
    has crossed with it, and is not reported. Without times, only the frame right after
    the cancel is not reported.

    ## Why it matters
    The client waits for `cancelled` to know that the cancel had an effect. With `end_turn` it shows
    a finished turn.

    ## Use instead
    Answer a cancelled prompt with `cancelled`, even if the model finished by itself.
    """
    turn = None
    if step.session is not None:
        turn = step.session.turns.of(step.exchange)
    if turn is None or turn.cancelled_at is None:
        return
    if has_crossed(step, turn.cancelled_at, turn.cancelled_seq):
        return
    reason = fields(step.body).get("stopReason")
    if not isinstance(reason, str) or reason == "cancelled":
        return
    crossed = may_have_crossed(step, turn.cancelled_at, turn.cancelled_seq)
    yield Remark(
        f"the turn ended with {quoted(reason)}, {step.frame.t - turn.cancelled_at:.1f} s after"
        " `session/cancel`; expected `cancelled`"
        + (", unless the two messages crossed" if crossed else ""),
        at="/result/stopReason",
        see=turn.cancelled_seq,
        severity=Severity.NOTE if crossed else None,
        hint="remember that the turn was cancelled, and answer `cancelled` in any case",
    )
