"""Nothing is allowed any more once the turn is cancelled."""

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
    summary="A permission that was open when the turn was cancelled was answered otherwise",
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
    A client that sends `session/cancel` answers every permission request of that turn that is still
    open with the outcome `cancelled`. With another answer a tool may be run that the user has just
    stopped; with an error the agent cannot tell that from a failure.
    """
    exchange, turn = step.exchange, step.session.turn if step.session else None
    if exchange is None or turn is None or turn.cancelled_seq is None:
        return
    if exchange.seq > turn.cancelled_seq or exchange.cancelled_at is not None:
        return
    if not isinstance(step.event, ev.PermissionAnswered):
        text, place = "with an error", "/error"
    elif step.event.outcome == "selected":
        text, place = f"{quoted(step.event.outcome)}", "/result/outcome/outcome"
    else:
        return
    yield Remark(
        f"a permission is answered {text} after `session/cancel`; the outcome `cancelled` is"
        " expected",
        at=place,
        see=turn.cancelled_seq,
        hint='answer `{"outcome": {"outcome": "cancelled"}}` to what is open when you cancel',
    )
