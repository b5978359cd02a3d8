"""A tool call is announced before it is updated."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._lost_frames import is_lost_update, named
from acp_spy.lint.rules.lifecycle._opening import END, PROMPT, TOOL_CALL
from acp_spy.wire.jsonrpc import Notification, Request
from acp_spy.wire.values import fields

_UPDATE = "tool_call_update"


@rule(
    code="LIF102",
    name="unknown-tool-call",
    severity=Severity.WARNING,
    summary="A tool call was updated that no `tool_call` had announced",
    on=(
        "update:tool_call_update",
        "request:session/request_permission",
        "mismatch",
        "lost",
    ),
    covers=("TLC-03",),
    spec="https://agentclientprotocol.com/protocol/tool-calls#updating",
    bad=PROMPT
    + """
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "tool_call_update", "toolCallId": "call_1", "status": "completed"}}}
"""
    + END,
    good=TOOL_CALL
    + """
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "tool_call_update", "toolCallId": "call_1", "status": "completed"}}}
"""
    + END,
)
def unknown_tool_call(step: Step, facts: Facts, asked: dict[Any, Any]) -> Iterator[Remark]:
    """
    In version 1 a `tool_call_update` changes a tool call that the client knows from a `tool_call`.

    A client that gets an update for an id it has never seen has no title to show. Some drop the
    update; Zed shows an entry that says "Tool call not found".

    Send a `tool_call` with id and title first. It is told once for each call. A call that was
    first heard of in a permission request is another rule's business, and so is one that was
    announced in a frame that is broken.
    """
    if is_lost_update(step):
        for lost in named(step, "toolCallId"):
            remember(asked, lost)
        return
    session, (place, sent) = fields(step.body).get("sessionId"), facts.tool_call
    name = sent.get("toolCallId")
    if not isinstance(session, str) or not isinstance(name, str) or step.state.version == 2:
        return
    if step.method == "session/request_permission" and isinstance(step.message, Request):
        remember(asked, (session, name))
    if not isinstance(step.message, Notification) or sent.get("sessionUpdate") != _UPDATE:
        return
    if (
        name in asked
        or (session, name) in asked
        or (step.session and name in step.session.tool_calls)
    ):
        return
    if step.session is None or step.session.how == "used":
        return  # nobody has opened the session, which is told elsewhere
    if step.session.how == "resume" and not step.session.turns:
        return  # a call from before the connection goes on
    yield Remark(
        f"`tool_call_update` for `{name}`, but no `tool_call` has announced that id",
        at=f"{place}/toolCallId",
        hint="announce the call with `tool_call` (id and title) before updating it",
    )
