"""After a cancel, pending permissions are answered with `cancelled`."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
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
from acp_spy.protocol import events as ev

_ASKED = """
    <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "tool_call", "toolCallId": "t1", "title": "Run the tests"}}}
    <- {"jsonrpc": "2.0", "id": 0, "method": "session/request_permission", "params": {"sessionId": "s1", "toolCall": {"toolCallId": "t1"}, "options": [{"optionId": "yes", "name": "Allow", "kind": "allow_once"}]}}
"""


@rule(
    code="LIF060",
    name="permission-not-cancelled",
    severity=Severity.ERROR,
    summary="A pending permission was not answered with `cancelled` after the turn was cancelled",
    on=("result:session/request_permission", "error:session/request_permission"),
    version=1,
    covers=("CAN-03",),
    spec="https://agentclientprotocol.com/protocol/prompt-turn#cancellation",
    bad=transcript(
        HANDSHAKE,
        NEW_SESSION,
        PROMPT,
        _ASKED,
        CANCEL,
        """
        -> {"jsonrpc": "2.0", "id": 0, "result": {"outcome": {"outcome": "selected", "optionId": "yes"}}}
        """,
        CANCELLED,
    ),
    good=transcript(
        HANDSHAKE,
        NEW_SESSION,
        PROMPT,
        _ASKED,
        CANCEL,
        """
        -> {"jsonrpc": "2.0", "id": 0, "result": {"outcome": {"outcome": "cancelled"}}}
        """,
        CANCELLED,
    ),
)
def permission_not_cancelled(step: Step) -> Iterator[Remark]:
    """
    ## What it does
    Reports a permission request that was pending when the client sent `session/cancel`, and was not
    answered with the outcome `cancelled`.

    ## Why it matters
    With another outcome, a tool may run that the user has just stopped. With an error, the agent
    cannot distinguish a cancel from a failure.

    ## Use instead
    Answer every pending permission request with `cancelled` when you send `session/cancel`.
    """
    exchange, turn = step.exchange, step.session.turn if step.session else None
    if exchange is None or turn is None or turn.cancelled_seq is None:
        return
    if exchange.seq > turn.cancelled_seq or exchange.cancelled_at is not None:
        return
    if not isinstance(step.event, ev.PermissionAnswered):
        text, place = "with an error", "/error"
    elif step.event.outcome == "selected":
        text, place = f"with {quoted(step.event.outcome)}", "/result/outcome/outcome"
    else:
        return
    yield Remark(
        f"a permission request was answered {text} after `session/cancel`; expected the outcome"
        " `cancelled`",
        at=place,
        see=turn.cancelled_seq,
        hint='answer pending permission requests with `{"outcome": {"outcome": "cancelled"}}`',
    )
