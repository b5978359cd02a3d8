"""A client can always be asked for permission."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._opening import END, PERMISSION
from acp_spy.wire.values import fields

_REST = (
    """
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "tool_call_update", "toolCallId": "call_1", "status": "failed"}}}
"""
    + END
)


@rule(
    code="LIF119",
    name="refused-permission-request",
    severity=Severity.ERROR,
    summary="The client does not know `session/request_permission`, or failed over it",
    on=("error:session/request_permission",),
    covers=("PER-02",),
    spec="https://agentclientprotocol.com/protocol/tool-calls#requesting-permission",
    bad=PERMISSION
    + """
        -> {"jsonrpc": "2.0", "id": 0, "error": {"code": -32601, "message": "Method not found"}}
"""
    + _REST,
    good=PERMISSION
    + """
        -> {"jsonrpc": "2.0", "id": 0, "result": {"outcome": {"outcome": "selected", "optionId": "no"}}}
"""
    + _REST,
)
def refused_permission_request(step: Step) -> Iterator[Remark]:
    """
    `session/request_permission` needs no capability: every client answers it with an outcome.

    An agent that gets an error has no answer from the user. It gives up the tool, or the whole
    turn, or hangs. Each tool that needs leave fails with such a client.

    Implement the method. A client without a user answers with an option by its settings, and with
    the outcome `cancelled` when the turn is cancelled.
    """
    code = fields(step.body).get("code")
    if code == -32601 or (code == -32603 and not _is_cancelled(step)):
        yield Remark(
            f"`session/request_permission` was answered with error `{code}`; expected an outcome",
            at="/error/code",
            see=step.exchange.seq if step.exchange else None,
            severity=None if code == -32601 else Severity.WARNING,
            hint="answer with `selected` and an `optionId`, or with `cancelled`",
        )


def _is_cancelled(step: Step) -> bool:
    turn = step.session.turn if step.session else None
    return turn is None or turn.cancelled_at is not None
