"""A permission request offers options."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._opening import END, PERMISSION, TOOL_CALL
from acp_spy.wire.values import fields


@rule(
    code="LIF113",
    name="permission-without-options",
    severity=Severity.ERROR,
    summary="A permission request has no options",
    on=("request:session/request_permission",),
    covers=("PER-05",),
    spec="https://agentclientprotocol.com/protocol/tool-calls#permission-options",
    bad=TOOL_CALL
    + """
        <- {"jsonrpc": "2.0", "id": 0, "method": "session/request_permission", "params": {"sessionId": "s1", "toolCall": {"toolCallId": "call_1"}, "options": []}}
"""
    + END,
    good=PERMISSION
    + """
        -> {"jsonrpc": "2.0", "id": 0, "result": {"outcome": {"outcome": "selected", "optionId": "no"}}}
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "tool_call_update", "toolCallId": "call_1", "status": "failed"}}}
"""
    + END,
)
def permission_without_options(step: Step) -> Iterator[Remark]:
    """
    ## What it does

    Reports a permission request with an empty `options` list. The options are the buttons that the
    user sees.

    ## Why it matters

    Without a button the user can neither allow nor reject. The turn hangs until it is cancelled.

    ## Use instead

    Offer at least one option that allows and one that rejects.
    """
    if fields(step.body).get("options") == []:
        yield Remark(
            "`options` is empty; expected at least one option",
            at="/params/options",
            hint="offer at least `allow_once` and `reject_once`",
        )
