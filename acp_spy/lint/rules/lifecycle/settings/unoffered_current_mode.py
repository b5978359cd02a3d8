"""The current mode is one of the modes."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._reading import is_first, names, quoted
from acp_spy.wire.jsonrpc import Response
from acp_spy.wire.values import fields

_START = """
        -> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1, "clientCapabilities": {}, "clientInfo": {"name": "editor", "version": "1.0.0"}}}
        <- {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1, "agentCapabilities": {}, "agentInfo": {"name": "agent", "version": "1.0.0"}}}
        -> {"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {"cwd": "/home/dev/project", "mcpServers": []}}
"""


@rule(
    code="LIF129",
    name="unoffered-current-mode",
    severity=Severity.WARNING,
    summary="The agent is in a mode that it does not offer",
    on=("SessionOpened", "update:current_mode_update"),
    covers=("MOD-02", "MOD-05"),
    spec="https://agentclientprotocol.com/protocol/session-modes#initial-state",
    bad=_START
    + """
        <- {"jsonrpc": "2.0", "id": 1, "result": {"sessionId": "s1", "modes": {"currentModeId": "default", "availableModes": [{"id": "ask", "name": "Ask"}, {"id": "code", "name": "Code"}]}}}
""",
    good=_START
    + """
        <- {"jsonrpc": "2.0", "id": 1, "result": {"sessionId": "s1", "modes": {"currentModeId": "ask", "availableModes": [{"id": "ask", "name": "Ask"}, {"id": "code", "name": "Code"}]}}}
""",
)
def unoffered_current_mode(step: Step, reported: dict[Any, Any]) -> Iterator[Remark]:
    """
    `currentModeId`, when the session is set up and in each `current_mode_update`, is the id of one of
    the `availableModes`.

    Clients look up the name to show. With an id that is not in the list the mode selector is empty
    or still shows the old mode, and the user does not see that the agent may now edit without asking.

    List every mode that the agent can be in, and use the same ids everywhere.
    """
    body = fields(step.body)
    if isinstance(step.message, Response):
        modes = fields(body.get("modes"))
        place, current = "/result/modes/currentModeId", modes.get("currentModeId")
    else:
        modes = fields(step.session.modes if step.session else None)
        current = fields(body.get("update")).get("currentModeId")
        place = "/params/update/currentModeId"
    offered = names(modes.get("availableModes"), "id")
    if not isinstance(current, str) or current in offered or not is_first(reported, current):
        return
    if offered:
        yield Remark(
            f"current mode is `{current}`, but the modes are {quoted(offered)}",
            at=place,
            hint="list this mode in `availableModes`, or use the id that is listed",
        )
    elif step.session and step.session.how == "new" and step.session.modes is None:
        yield Remark(
            f"current mode is `{current}`, but `session/new` has returned no `modes`",
            at=place,
            see=step.session.seq,
            hint="return `modes` when the session is set up",
        )
