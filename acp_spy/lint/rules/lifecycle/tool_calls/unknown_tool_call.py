"""A tool call is announced before it is updated."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Session, Step, ToolCall
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._lost_frames import is_lost_update, named
from acp_spy.lint.rules.lifecycle._opening import END, PROMPT, TOOL_CALL
from acp_spy.protocol.spelling import is_spelling_of, nearest
from acp_spy.wire.jsonrpc import Notification, Request
from acp_spy.wire.values import fields

_UPDATE = "tool_call_update"
_MOST_CALLS = 100  # that are compared with an unknown id


@rule(
    code="LIF102",
    name="unknown-tool-call",
    severity=Severity.WARNING,
    summary="A tool call was updated that no `tool_call` announced",
    on=(
        "changed:unknown",
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
    ## What it does
    Reports a `tool_call_update` with an id that no `tool_call` announced, once per tool call. Ids
    from a permission request are reported by LIF111, and ids in a frame that could not be read are
    not reported.

    ## Why it matters
    The client has no title to show. Some clients drop the update; Zed shows "Tool call not found".

    ## Use instead
    Send a `tool_call` with id and title first, and use the same id in every update.
    """
    if is_lost_update(step, facts):
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
        return  # the session was never opened, which LIF029 reports
    if step.session.how == "resume" and not step.session.turns:
        return  # a call from before this connection continues
    hint = "announce the call with `tool_call` (id and title) before updating it"
    meant = _similar_call(step.session, name)
    if meant is not None:
        hint = f"did you mean `{meant.id}` (frame {meant.seq})? if not, {hint}"
    yield Remark(
        f"`tool_call_update` for `{name}`, but no `tool_call` announced that id",
        at=f"{place}/toolCallId",
        see=meant.seq if meant else None,
        hint=hint,
    )


def _similar_call(session: Session, name: str) -> ToolCall | None:
    """Return the announced tool call whose id is most like `name`, if one is like it."""
    recent = islice(reversed(session.tool_calls.values()), _MOST_CALLS)
    announced = [call for call in recent if call.announced]
    for call in announced:
        if is_spelling_of(name, call.id):
            return call
    # Ids often differ only in a number: a call that has ended is hardly the one that is meant.
    running = {call.id: call for call in announced if call.is_open}
    return running.get(nearest(name, tuple(running)))
