"""A tool call that was allowed is told to be running."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._opening import END, PERMISSION


@rule(
    code="LIF104",
    name="tool-call-never-in-progress",
    severity=Severity.WARNING,
    summary="An allowed tool call was completed without having been in progress",
    on=("update:tool_call_update",),
    covers=("TLC-07",),
    spec="https://agentclientprotocol.com/protocol/prompt-turn#5-tool-invocation-and-status-reporting",
    bad=PERMISSION
    + """
        -> {"jsonrpc": "2.0", "id": 0, "result": {"outcome": {"outcome": "selected", "optionId": "yes"}}}
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "tool_call_update", "toolCallId": "call_1", "status": "completed"}}}
"""
    + END,
    good=PERMISSION
    + """
        -> {"jsonrpc": "2.0", "id": 0, "result": {"outcome": {"outcome": "selected", "optionId": "yes"}}}
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "tool_call_update", "toolCallId": "call_1", "status": "in_progress"}}}
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "tool_call_update", "toolCallId": "call_1", "status": "completed"}}}
"""
    + END,
)
def tool_call_never_in_progress(step: Step, facts: Facts) -> Iterator[Remark]:
    """
    When the user has allowed a tool call, the agent should mark it `in_progress` as it begins.

    Without that the user says yes and sees nothing happen: the entry stands as pending, as if it
    still waited for an answer, until it is suddenly done.

    Send a `tool_call_update` with `in_progress` right after the permission. A call that was in
    progress before it asked is not reported.
    """
    place, sent = facts.tool_call
    name = sent.get("toolCallId")
    if step.session is None or not isinstance(name, str) or sent.get("status") != "completed":
        return
    call = step.session.tool_calls.get(name)
    if call and call.is_open and call.permission.startswith("allow_") and not call.ran:
        yield Remark(
            f"`{name}` was allowed and is `completed`; expected `in_progress` in between",
            at=f"{place}/status",
            see=call.seq,
            hint="send `in_progress` when the tool starts to run",
        )
