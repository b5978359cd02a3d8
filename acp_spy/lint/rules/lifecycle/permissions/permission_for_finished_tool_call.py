"""Permission is requested before a tool runs."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._common import quoted
from acp_spy.lint.rules.lifecycle._opening import END, PERMISSION, TOOL_CALL
from acp_spy.lint.rules.lifecycle._reading import is_first
from acp_spy.wire.values import fields

_DONE = """
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "tool_call_update", "toolCallId": "call_1", "status": "completed"}}}
"""
_RUNNING = _DONE.replace("completed", "in_progress")
_ASK = PERMISSION.removeprefix(TOOL_CALL)
_YES = """
        -> {"jsonrpc": "2.0", "id": 0, "result": {"outcome": {"outcome": "selected", "optionId": "yes"}}}
"""


@rule(
    code="LIF155",
    name="permission-for-finished-tool-call",
    severity=Severity.WARNING,
    summary="Permission was requested for a tool call that has already ended",
    on=("request:session/request_permission",),
    covers=("PER-08",),
    spec="https://agentclientprotocol.com/protocol/tool-calls#requesting-permission",
    since="0.2",
    bad=TOOL_CALL + _RUNNING + _DONE + _ASK + _YES + END,
    good=TOOL_CALL + _ASK + _YES + _RUNNING + _DONE + END,
)
def permission_for_finished_tool_call(
    step: Step, facts: Facts, reported: dict[Any, Any]
) -> Iterator[Remark]:
    """
    ## What it does

    Reports a permission request for a tool call that is `completed` or `failed`. Each tool call is
    reported once.

    ## Why it matters

    The user is asked about something that has happened. Either the tool ran without permission, or
    the request names the wrong tool call.

    ## Use instead

    Request permission while the tool call is `pending`.
    """
    name = facts.tool_call[1].get("toolCallId")
    if step.state.is_draft:
        subject = fields(fields(step.body).get("subject"))
        name = (fields(subject.get("toolCall")) or subject).get("toolCallId")
    if step.session is None or step.session.closed or not isinstance(name, str):
        return
    call = step.session.tool_calls.get(name)
    if call is None or call.is_open or not is_first(reported, (step.session.id, name)):
        return
    yield Remark(
        f"permission was requested for {quoted(name)}, which is {quoted(call.status)}; expected the"
        " request before the tool runs",
        at="/params",
        see=call.seq,
        hint="request permission while the tool call is `pending`",
    )
