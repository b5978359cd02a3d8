"""A tool call that has ended stays ended."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._opening import END, TOOL_CALL

_ORDER = ("pending", "in_progress", "completed", "failed")


@rule(
    code="LIF103",
    name="revived-tool-call",
    severity=Severity.WARNING,
    summary="A tool call went back to an earlier status",
    on=("update:tool_call_update",),
    covers=("TLC-08",),
    spec="https://agentclientprotocol.com/protocol/tool-calls#status",
    bad=TOOL_CALL
    + """
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "tool_call_update", "toolCallId": "call_1", "status": "completed"}}}
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "tool_call_update", "toolCallId": "call_1", "status": "in_progress"}}}
"""
    + END,
    good=TOOL_CALL
    + """
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "tool_call_update", "toolCallId": "call_1", "status": "in_progress"}}}
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "tool_call_update", "toolCallId": "call_1", "status": "completed"}}}
"""
    + END,
)
def revived_tool_call(step: Step, facts: Facts) -> Iterator[Remark]:
    """
    A tool call is `pending`, then `in_progress`, then `completed` or `failed`, and that is its end.
    It does not go back to `pending`, and an end is not followed by another status.

    Clients stop their spinner, fold the entry and count the result when a call ends. One that comes
    back shows as running for ever, or as failed though it was a success.

    Send the last status once, when the result is certain. More content after the end is fine: leave
    `status` out of that update.
    """
    place, sent = facts.tool_call
    name, status = sent.get("toolCallId"), sent.get("status")
    if step.session is None or not isinstance(name, str) or status not in _ORDER:
        return
    call = step.session.tool_calls.get(name)
    if call is None or call.status == status or call.status not in _ORDER:
        return
    if not call.is_open or status == "pending":
        yield Remark(
            f"`{name}` was `{call.status}` and is now `{status}`; expected no way back",
            at=f"{place}/status",
            see=call.seq,
            hint="send `completed` or `failed` once and last; leave `status` out when it is unchanged",
        )
