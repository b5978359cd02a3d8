"""A cancelled turn does not end with an error."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.races import has_crossed, may_have_crossed
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._common import quoted
from acp_spy.lint.rules.lifecycle._examples import (
    CANCEL,
    CANCELLED,
    HANDSHAKE,
    NEW_SESSION,
    PROMPT,
    transcript,
)
from acp_spy.wire.values import fields


@rule(
    code="LIF063",
    name="cancel-as-error",
    severity=Severity.ERROR,
    summary="A cancelled turn ended with an error",
    on=("error:session/prompt",),
    version=1,
    covers=("CAN-06",),
    spec="https://agentclientprotocol.com/protocol/prompt-turn#cancellation",
    bad=transcript(
        HANDSHAKE,
        NEW_SESSION,
        PROMPT,
        CANCEL,
        """
        @ 2
        <- {"jsonrpc": "2.0", "id": 2, "error": {"code": -32603, "message": "The operation was aborted"}}
        """,
    ),
    good=transcript(HANDSHAKE, NEW_SESSION, PROMPT, CANCEL, "@ 2", CANCELLED),
)
def cancel_as_error(step: Step) -> Iterator[Remark]:
    """
    ## What it does
    Reports turns that end with an error after `session/cancel`. Unless the error says that
    something was cancelled, one that may have crossed with the cancel is only a note, and one
    within 2 ms is not reported. Without times, only the frame right after the cancel is not
    reported. A prompt that was cancelled with `$/cancel_request` may end with error `-32800`.

    ## Why it matters
    Models and tools raise exceptions when they are cancelled. If the agent does not catch them, the
    client shows the user a failure for pressing "stop".

    ## Use instead
    Catch these exceptions and answer the prompt with the stop reason `cancelled`.
    """
    turn = None
    if step.session is not None:
        turn = step.session.turns.of(step.exchange)
    if turn is None or turn.cancelled_at is None:
        return
    if turn.exchange.cancelled_at is not None:
        return
    code, text = (fields(step.body).get(key) for key in ("code", "message"))
    names_it = isinstance(text, str) and any(word in text.lower() for word in ("abort", "cancel"))
    if not names_it and has_crossed(step, turn.cancelled_at, turn.cancelled_seq):
        return
    crossed = not names_it and may_have_crossed(step, turn.cancelled_at, turn.cancelled_seq)
    yield Remark(
        f"the turn ended with error {quoted(code)}, {quoted(text)}, after `session/cancel`;"
        " expected the stop reason `cancelled`"
        + (", unless the two messages crossed" if crossed else ""),
        at="/error",
        see=turn.cancelled_seq,
        severity=Severity.NOTE if crossed else None,
        hint='catch the exception of the cancel, and answer `{"stopReason": "cancelled"}`',
    )
