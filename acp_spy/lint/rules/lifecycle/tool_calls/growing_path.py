"""A path is told when it is whole."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._opening import END, TOOL_CALL
from acp_spy.lint.rules.lifecycle._reading import names
from acp_spy.wire.values import fields

_STEPS = 2  # once may be chance: main.ts, then main.tsx


@rule(
    code="LIF110",
    name="growing-path",
    severity=Severity.WARNING,
    summary="The location of a tool call grew letter by letter",
    on=("locations",),
    covers=("TLC-15",),
    spec="https://agentclientprotocol.com/protocol/tool-calls#following-the-agent",
    bad=TOOL_CALL
    + """
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "tool_call_update", "toolCallId": "call_1", "locations": [{"path": "/home/dev/pro"}]}}}
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "tool_call_update", "toolCallId": "call_1", "locations": [{"path": "/home/dev/project/ma"}]}}}
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "tool_call_update", "toolCallId": "call_1", "locations": [{"path": "/home/dev/project/main.py"}], "status": "completed"}}}
"""
    + END,
    good=TOOL_CALL
    + """
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "tool_call_update", "toolCallId": "call_1", "locations": [{"path": "/home/dev/project"}]}}}
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "tool_call_update", "toolCallId": "call_1", "locations": [{"path": "/home/dev/project/main.py"}], "status": "completed"}}}
"""
    + END,
)
def growing_path(step: Step, facts: Facts, calls: dict[Any, Any]) -> Iterator[Remark]:
    """
    `locations` tell the editor which files the agent is working on, and an editor that follows the
    agent opens them.

    An agent that passes on the model's arguments while they are still being written sends pieces of
    a path. The editor opens a folder, or complains about a file that does not exist, for each piece.

    Wait until the argument is complete, then send the location.
    """
    _, sent = facts.tool_call
    paths = names(sent.get("locations"), "path")
    if len(paths) != 1:
        return
    key = str(fields(step.body).get("sessionId")), str(sent.get("toolCallId"))
    before, steps = calls.get(key, ("", 0))
    path = paths[0]
    steps += before != "" and path.startswith(before) and path[len(before) :][:1] not in "/\\"
    remember(calls, key, (path, steps))
    if steps == _STEPS and path != before:
        remember(calls, key, (path, steps + 1))
        yield Remark(
            f"location `{path}` after `{before}`; expected the path when it is complete",
            at="/params/update/locations/0/path",
            hint="send `locations` once the tool's arguments are complete",
        )
