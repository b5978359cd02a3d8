"""A tool call is announced once and then updated."""

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
    ## What it does

    Reports a second `tool_call` with a `toolCallId` that the session already uses. `tool_call`
    announces a new tool call; later changes are sent as `tool_call_update`.

    ## Why it matters

    A client that adds an entry for each `tool_call` shows the call twice, and the first entry never
    ends. A client that replaces the entry loses the updates in between.

    ## Use instead

    Send `tool_call_update` for a known tool call. Use a new id for a new tool call.
    """
    place, sent = facts.tool_call
    name = sent.get("toolCallId")
    if step.session is None or not isinstance(name, str):
        return
    call = step.session.tool_calls.get(name)
    if call is not None and call.announced:
        yield Remark(
            f"`tool_call` announces `{name}` again; expected `tool_call_update`",
            at=f"{place}/sessionUpdate",
            see=call.seq,
            hint=(
                "send `tool_call_update` with the changed fields,"
                " or use a new id for a new tool call"
            ),
        )
