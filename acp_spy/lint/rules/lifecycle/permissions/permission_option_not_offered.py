"""The response to a permission request names an offered option."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._opening import END, PERMISSION
from acp_spy.lint.rules.lifecycle._reading import names, quoted
from acp_spy.wire.values import fields

_REST = (
    """
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "tool_call_update", "toolCallId": "call_1", "status": "failed"}}}
"""
    + END
)


@rule(
    code="LIF112",
    name="permission-option-not-offered",
    severity=Severity.ERROR,
    summary="The client selected a permission option that was not offered",
    on=("result:session/request_permission",),
    covers=("PER-04",),
    spec="https://agentclientprotocol.com/protocol/tool-calls#requesting-permission",
    bad=PERMISSION
    + """
        -> {"jsonrpc": "2.0", "id": 0, "result": {"outcome": {"outcome": "selected", "optionId": "allow_once"}}}
"""
    + _REST,
    good=PERMISSION
    + """
        -> {"jsonrpc": "2.0", "id": 0, "result": {"outcome": {"outcome": "selected", "optionId": "yes"}}}
"""
    + _REST,
)
def permission_option_not_offered(step: Step) -> Iterator[Remark]:
    """
    ## What it does

    Reports an `optionId` in the response to a permission request that is not one of the offered
    options.

    ## Why it matters

    Each agent defines its own option ids. A client that always sends `allow` works with one agent
    only; another agent rejects the response, waits, or fails.

    ## Use instead

    Find an option with the right `kind`, and send its `optionId` unchanged.
    """
    outcome = fields(fields(step.body).get("outcome"))
    request = fields(step.exchange.params if step.exchange else None)
    selected, offered = outcome.get("optionId"), names(request.get("options"), "optionId")
    if outcome.get("outcome") != "selected" or not isinstance(selected, str) or not offered:
        return
    if selected not in offered:
        yield Remark(
            f"`optionId` is `{selected}`; expected one of {quoted(offered)}",
            at="/result/outcome/optionId",
            see=step.exchange.seq if step.exchange else None,
            hint="select an option by `kind`, and send its `optionId`",
        )
