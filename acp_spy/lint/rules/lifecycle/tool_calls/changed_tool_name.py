"""The tool name of a tool call does not change."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._opening import END, PROMPT


@rule(
    code="LIF105",
    name="changed-tool-name",
    severity=Severity.WARNING,
    summary="The tool name of a tool call changed",
    on=("changed:name",),
    covers=("TLC-14",),
    spec="https://agentclientprotocol.com/protocol/tool-calls#updating",
    bad=PROMPT
    + """
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "tool_call", "toolCallId": "call_1", "title": "Run the tests", "name": "bash"}}}
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "tool_call_update", "toolCallId": "call_1", "name": "pytest", "status": "completed"}}}
"""
    + END,
    good=PROMPT
    + """
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "tool_call", "toolCallId": "call_1", "title": "Run the tests", "name": "bash"}}}
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "tool_call_update", "toolCallId": "call_1", "title": "pytest", "status": "completed"}}}
"""
    + END,
)
def changed_tool_name(step: Step, facts: Facts) -> Iterator[Remark]:
    """
    ## What it does

    Reports a tool call whose `name` changes. `name` identifies the tool and should stay the same;
    `title` describes the current activity.

    ## Why it matters

    Clients select an icon, a renderer or an "always allow" rule by name. After a change the entry
    is shown as another tool, and the rule no longer matches.

    ## Use instead

    Send `name` once. Change `title` instead.
    """
    place, sent = facts.tool_call
    call_id, name = sent.get("toolCallId"), sent.get("name")
    if step.session is None or not isinstance(call_id, str) or not isinstance(name, str):
        return
    call = step.session.tool_calls.get(call_id)
    if call is not None and call.name not in ("", name):
        yield Remark(
            f"`name` of `{call_id}` changed from `{call.name}` to `{name}`; expected the same name",
            at=f"{place}/name",
            see=call.seq,
            hint="keep `name`; describe the activity in `title`",
        )
