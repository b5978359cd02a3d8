"""The answer to a permission request is one of the options."""

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
    name="unoffered-permission-option",
    severity=Severity.ERROR,
    summary="The client chose a permission option that was not offered",
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
def unoffered_permission_option(step: Step) -> Iterator[Remark]:
    """
    The client answers a permission request with the `optionId` of one of the offered options.

    Ids are the agent's own words. A client that always answers `allow` or `allow_once` works with
    the agent it was written for; another agent does not know the id and refuses, waits, or fails.

    Look for an option with the right `kind`, and send back its `optionId` as it came.
    """
    outcome = fields(fields(step.body).get("outcome"))
    asked = fields(step.exchange.params if step.exchange else None)
    chosen, offered = outcome.get("optionId"), names(asked.get("options"), "optionId")
    if outcome.get("outcome") != "selected" or not isinstance(chosen, str) or not offered:
        return
    if chosen not in offered:
        yield Remark(
            f"`optionId` is `{chosen}`, but the options were {quoted(offered)}",
            at="/result/outcome/optionId",
            see=step.exchange.seq if step.exchange else None,
            hint="choose by `kind`, and send that option's `optionId`",
        )
