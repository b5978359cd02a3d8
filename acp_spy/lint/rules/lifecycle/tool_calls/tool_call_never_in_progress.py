"""An allowed tool call is reported as running."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._opening import END, PERMISSION


@rule(
    code="LIF104",
    name="tool-call-never-in-progress",
    severity=Severity.WARNING,
    summary="An allowed tool call completed without being in progress",
    on=("changed:allowed",),
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
    ## What it does

    Reports a tool call that goes from `pending` to `completed` after the user allowed it. The agent
    should send `in_progress` when the tool starts. A tool call that was in progress before the
    permission request is not reported.

    ## Why it matters

    The user allows the call and sees nothing happen. The entry looks as if it still waits for
    permission until it is suddenly completed.

    ## Use instead

    Send `tool_call_update` with `in_progress` when permission is granted and the tool starts.
    """
    place, sent = facts.tool_call
    name = sent.get("toolCallId")
    if step.session is None or not isinstance(name, str) or sent.get("status") != "completed":
        return
    call = step.session.tool_calls.get(name)
    if call and call.is_open and call.permission.startswith("allow_") and not call.ran:
        yield Remark(
            f"`{name}` was allowed and is now `completed`; expected `in_progress` in between",
            at=f"{place}/status",
            see=call.seq,
            hint="send `in_progress` when the tool starts",
        )
