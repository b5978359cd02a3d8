"""A tool call is announced once, then updated."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._opening import END, TOOL_CALL


@rule(
    code="LIF101",
    name="repeated-tool-call",
    severity=Severity.WARNING,
    summary="The same tool call was announced twice",
    on=("update:tool_call",),
    covers=("TLC-02",),
    spec="https://agentclientprotocol.com/protocol/tool-calls#creating",
    bad=TOOL_CALL
    + """
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "tool_call", "toolCallId": "call_1", "title": "Run the tests", "kind": "execute", "status": "completed"}}}
"""
    + END,
    good=TOOL_CALL
    + """
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "tool_call_update", "toolCallId": "call_1", "status": "completed"}}}
"""
    + END,
)
def repeated_tool_call(step: Step, facts: Facts) -> Iterator[Remark]:
    """
    A `tool_call` announces a new tool call; what changes later comes as `tool_call_update`. Ids are
    unique within a session.

    A client that adds an entry for each `tool_call` shows the call twice, and the first entry never
    ends. One that replaces the entry loses what the updates in between have told.

    Send `tool_call_update` for a call that is known, and take a fresh id for one that is new.
    """
    place, sent = facts.tool_call
    name = sent.get("toolCallId")
    if step.session is None or not isinstance(name, str):
        return
    call = step.session.tool_calls.get(name)
    if call is not None and call.announced:
        yield Remark(
            f"`tool_call` for `{name}`, which was announced before; expected `tool_call_update`",
            at=f"{place}/sessionUpdate",
            see=call.seq,
            hint="send `tool_call_update` with what has changed, or give a new call an id of its own",
        )
