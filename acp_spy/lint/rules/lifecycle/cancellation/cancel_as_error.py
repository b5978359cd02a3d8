"""To be cancelled is not to fail."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.races import may_have_crossed
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
    summary="A cancelled turn ended in an error",
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
    Cancelling makes model clients and tools raise. The agent must catch that and answer the prompt
    with the stop reason `cancelled`; otherwise the client shows its user a failure for having
    pressed "stop".

    An error that was already on its way when the cancellation passed is no mistake, unless it says
    that something was cancelled. Who withdraws the request by `$/cancel_request` gets an error,
    `-32800`.
    """
    turn = None
    if step.session is not None:
        turn = next((turn for turn in step.session.turns if turn.exchange is step.exchange), None)
    if turn is None or turn.cancelled_at is None:
        return
    if turn.exchange.cancelled_at is not None:
        return
    code, text = (fields(step.body).get(key) for key in ("code", "message"))
    names_it = isinstance(text, str) and any(word in text.lower() for word in ("abort", "cancel"))
    if names_it or not may_have_crossed(step, turn.cancelled_at, turn.cancelled_seq):
        yield Remark(
            f"the turn ends in error {quoted(code)}, {quoted(text)}, after"
            " `session/cancel`; the stop reason `cancelled` is expected",
            at="/error",
            see=turn.cancelled_seq,
            hint='catch what the abortion raises, and answer `{"stopReason": "cancelled"}`',
        )
