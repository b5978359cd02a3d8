"""Every client answers permission requests."""

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
    name="permission-request-error",
    severity=Severity.ERROR,
    summary="The client answered `session/request_permission` with an error",
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
def permission_request_error(step: Step) -> Iterator[Remark]:
    """
    ## What it does

    Reports `session/request_permission` that fails with -32601 (method not found), or with -32603
    (internal error) in a turn that was not cancelled. The method needs no capability; every client
    must implement it.

    ## Why it matters

    The agent gets no decision. It skips the tool, ends the turn, or hangs, for every tool that
    needs permission.

    ## Use instead

    Implement the method. Without a user, select an option from settings; if the turn is cancelled,
    answer `cancelled`.
    """
    code = fields(step.body).get("code")
    if code == -32601 or (code == -32603 and not _is_cancelled(step)):
        yield Remark(
            f"`session/request_permission` failed with error {code}; expected an outcome",
            at="/error/code",
            see=step.exchange.seq if step.exchange else None,
            severity=None if code == -32601 else Severity.WARNING,
            hint="answer with `selected` and an `optionId`, or with `cancelled`",
        )


def _is_cancelled(step: Step) -> bool:
    turn = step.session.turn if step.session else None
    return turn is None or turn.cancelled_at is not None
