"""A finished tool call keeps its status."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._opening import END, TOOL_CALL

_ORDER = ("pending", "in_progress", "completed", "failed")


@rule(
    code="LIF103",
    name="tool-call-status-reversed",
    severity=Severity.WARNING,
    summary="A tool call went back to an earlier status",
    on=("changed:ended", "changed:pending"),
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
def tool_call_status_reversed(step: Step, facts: Facts) -> Iterator[Remark]:
    """
    ## What it does

    Reports a tool call that changes status after `completed` or `failed`, or that returns to
    `pending`. The order is `pending`, `in_progress`, then `completed` or `failed`.

    ## Why it matters

    Clients stop the spinner and collapse the entry when a tool call finishes. A later status makes
    the call look as if it runs forever, or as failed although it succeeded.

    ## Use instead

    Send the final status once, when the result is certain. To add content later, omit `status` from
    the update.
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
            f"`{name}` was `{call.status}` and is now `{status}`; {_expected(call.is_open)}",
            at=f"{place}/status",
            see=call.seq,
            hint=(
                "send `completed` or `failed` once, as the last status;"
                " omit `status` when it has not changed"
            ),
        )


def _expected(is_open: bool) -> str:
    if is_open:
        return "a tool call must not return to `pending`"
    return "a finished tool call must not change status again"
