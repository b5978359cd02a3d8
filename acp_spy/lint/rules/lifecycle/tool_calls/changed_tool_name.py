"""A tool call keeps the name of its tool."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._opening import END, PROMPT


@rule(
    code="LIF105",
    name="changed-tool-name",
    severity=Severity.WARNING,
    summary="A tool call changed the name of its tool",
    on=("update:tool_call_update",),
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
    `name` says which tool runs. It should come with the first report and stay as it is; what the
    tool is doing belongs in `title`.

    Clients choose an icon, a renderer or an "always allow" rule by the name. When it changes, the
    entry is drawn as another tool, and a rule for the first name no longer fits.

    Send the name once, and change `title` instead.
    """
    place, sent = facts.tool_call
    call_id, name = sent.get("toolCallId"), sent.get("name")
    if step.session is None or not isinstance(call_id, str) or not isinstance(name, str):
        return
    call = step.session.tool_calls.get(call_id)
    if call is not None and call.name not in ("", name):
        yield Remark(
            f"`name` is `{name}`, but `{call_id}` was `{call.name}` before",
            at=f"{place}/name",
            see=call.seq,
            hint="keep `name`; say in `title` what the tool is doing",
        )
