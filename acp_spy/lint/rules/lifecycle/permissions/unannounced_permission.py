"""Permission is asked for a tool call that the client knows."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._lost_frames import is_lost_update, named
from acp_spy.lint.rules.lifecycle._opening import END, PERMISSION, PROMPT
from acp_spy.lint.rules.lifecycle._reading import is_first
from acp_spy.wire.jsonrpc import Request
from acp_spy.wire.values import fields


@rule(
    code="LIF111",
    name="unannounced-permission",
    severity=Severity.WARNING,
    summary="Permission was asked for a tool call that had not been announced",
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
def unannounced_permission(step: Step, reported: dict[Any, Any]) -> Iterator[Remark]:
    """
    A permission request names a tool call by its id. The agent should have announced that call with
    a `tool_call` before.

    Clients show the question inside the entry of the tool call. Without an entry some show an empty
    box, some none at all, and the turn waits for an answer that nobody can give. What the agent
    tells of the call afterwards has no entry either and is lost.

    Send `tool_call` first, then ask. It is told once for each call; later updates of the same call
    are not reported again. A call that was announced in a frame that is broken is passed over.
    """
    if is_lost_update(step):
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
    known = step.session.tool_calls.get(name) if step.session else None
    if (known and known.announced) or name in reported or not is_first(reported, (session, name)):
        return
    yield Remark(
        f"permission asked for `{name}`, but no `tool_call` has announced that id",
        at="/params/toolCall/toolCallId",
        see=known.seq if known else None,
        hint="send `tool_call` for it before asking",
    )
