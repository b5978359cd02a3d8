"""Permission is requested for a tool call that the client knows."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._lost_frames import is_lost_update, named
from acp_spy.lint.rules.lifecycle._opening import END, PERMISSION, PROMPT
from acp_spy.lint.rules.lifecycle._reading import is_first
from acp_spy.wire.jsonrpc import Request
from acp_spy.wire.values import fields


@rule(
    code="LIF111",
    name="permission-for-unannounced-tool-call",
    severity=Severity.WARNING,
    summary="Permission was requested for a tool call that was not announced",
    on=("request:session/request_permission", "mismatch", "lost"),
    covers=("PER-07", "TLC-01"),
    spec="https://agentclientprotocol.com/protocol/tool-calls#requesting-permission",
    bad=PROMPT
    + """
        <- {"jsonrpc": "2.0", "id": 0, "method": "session/request_permission", "params": {"sessionId": "s1", "toolCall": {"toolCallId": "call_1"}, "options": [{"optionId": "yes", "name": "Allow", "kind": "allow_once"}, {"optionId": "no", "name": "Reject", "kind": "reject_once"}]}}
        -> {"jsonrpc": "2.0", "id": 0, "result": {"outcome": {"outcome": "selected", "optionId": "no"}}}
"""
    + END,
    good=PERMISSION
    + """
        -> {"jsonrpc": "2.0", "id": 0, "result": {"outcome": {"outcome": "selected", "optionId": "no"}}}
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "tool_call_update", "toolCallId": "call_1", "status": "failed"}}}
"""
    + END,
)
def permission_for_unannounced_tool_call(
    step: Step, facts: Facts, reported: dict[Any, Any]
) -> Iterator[Remark]:
    """
    ## What it does

    Reports a permission request for a tool call that no `tool_call` announced. Each tool call is
    reported once. A tool call that may have been announced in a broken frame is not reported.

    ## Why it matters

    Clients show the permission request in the entry of the tool call. Without an entry some clients
    show an empty box or nothing, the turn hangs, and later updates of the call are lost.

    ## Use instead

    Send `tool_call` before `session/request_permission`.
    """
    if is_lost_update(step, facts):
        for lost in named(step, "toolCallId"):
            remember(reported, lost)
        return
    if step.method != "session/request_permission" or not isinstance(step.message, Request):
        return
    body = fields(step.body)
    session, call = body.get("sessionId"), fields(body.get("toolCall"))
    name = call.get("toolCallId")
    if not isinstance(session, str) or not isinstance(name, str) or step.state.version == 2:
        return
    if step.session is None or step.session.closed:
        return  # LIF029 and LIF030 report the session
    known = step.session.tool_calls.get(name)
    if (known and known.announced) or name in reported or not is_first(reported, (session, name)):
        return
    yield Remark(
        f"permission was requested for `{name}`; expected a `tool_call` with that id first",
        at="/params/toolCall/toolCallId",
        see=known.seq if known else None,
        hint="send `tool_call` before `session/request_permission`",
    )
