"""The current mode is one of the available modes."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._offers import ids_in, mode_ids
from acp_spy.lint.rules.lifecycle._reading import is_first, quoted
from acp_spy.wire.jsonrpc import Response
from acp_spy.wire.values import fields

_START = """
        -> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1, "clientCapabilities": {}, "clientInfo": {"name": "editor", "version": "1.0.0"}}}
        <- {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1, "agentCapabilities": {}, "agentInfo": {"name": "agent", "version": "1.0.0"}}}
        -> {"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {"cwd": "/home/dev/project", "mcpServers": []}}
"""


@rule(
    code="LIF129",
    name="current-mode-not-offered",
    severity=Severity.WARNING,
    summary="The current mode is not one of the available modes",
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
def current_mode_not_offered(step: Step, reported: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does

    Reports a `currentModeId` that is not the id of one of the `availableModes`, in the response
    that opens a session and in `current_mode_update`.

    ## Why it matters

    Clients look up the name of the mode by its id. The mode selector is empty or shows the old
    mode, and the user may not see that the agent now edits without permission.

    ## Use instead

    List every mode in `availableModes`, and use the same ids everywhere.
    """
    body = fields(step.body)
    if isinstance(step.message, Response):
        modes = fields(body.get("modes"))
        place, current = "/result/modes/currentModeId", modes.get("currentModeId")
        offered = ids_in(modes)
    else:
        modes = fields(step.session.modes if step.session else None)
        current = fields(body.get("update")).get("currentModeId")
        place = "/params/update/currentModeId"
        offered = mode_ids(step.session) if step.session else ids_in(None)
    if not isinstance(current, str) or current in offered or not is_first(reported, current):
        return
    if offered:
        yield Remark(
            f"current mode is `{current}`; expected one of {quoted(offered)}",
            at=place,
            hint="list this mode in `availableModes`, or use a listed id",
        )
    elif isinstance(modes.get("availableModes"), list):
        yield Remark(
            f"current mode is `{current}`, but `availableModes` is empty; expected a listed mode",
            at=place,
            hint="list this mode in `availableModes`, or omit `modes`",
        )
    elif step.session and step.session.how == "new" and step.session.modes is None:
        yield Remark(
            f"current mode is `{current}`, but `session/new` returned no `modes`;"
            " expected a listed mode",
            at=place,
            see=step.session.seq,
            hint="return `modes` in the response to `session/new`",
        )
