"""A location is sent when its path is complete."""

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
    name="partial-location-path",
    severity=Severity.WARNING,
    summary="The path of a tool call location was sent in pieces",
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
def partial_location_path(step: Step, facts: Facts, calls: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does

    Reports a path in `locations` that grows from update to update. Such an agent forwards the
    arguments of the tool while the model still writes them.

    ## Why it matters

    An editor that follows the agent opens each path. It opens a folder, or reports a missing file,
    for every piece.

    ## Use instead

    Wait until the arguments are complete, then send the location.
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
            f"location grew from `{before}` to `{path}`; expected only the complete path",
            at="/params/update/locations/0/path",
            hint="send `locations` when the arguments of the tool are complete",
        )
