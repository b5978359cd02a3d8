"""Where there are config options, modes are set there."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._opening import OPTIONS
from acp_spy.lint.rules.lifecycle._reading import entries, is_first


@rule(
    code="LIF131",
    name="mode-set-beside-options",
    severity=Severity.WARNING,
    summary="The client called `session/set_mode` though the mode is a config option",
    on=("request:session/set_mode",),
    covers=("CFG-01",),
    spec="https://agentclientprotocol.com/protocol/session-config-options#relationship-to-session-modes",
    bad=OPTIONS
    + """
        -> {"jsonrpc": "2.0", "id": 2, "method": "session/set_mode", "params": {"sessionId": "s1", "modeId": "code"}}
        <- {"jsonrpc": "2.0", "id": 2, "result": {}}
""",
    good=OPTIONS
    + """
        -> {"jsonrpc": "2.0", "id": 2, "method": "session/set_config_option", "params": {"sessionId": "s1", "configId": "mode", "value": "code"}}
        <- {"jsonrpc": "2.0", "id": 2, "result": {"configOptions": [{"id": "mode", "name": "Mode", "category": "mode", "type": "select", "currentValue": "code", "options": [{"value": "ask", "name": "Ask"}, {"value": "code", "name": "Code"}]}, {"id": "model", "name": "Model", "category": "model", "type": "select", "currentValue": "small", "options": [{"value": "small", "name": "Small"}, {"value": "large", "name": "Large"}]}, {"id": "web", "name": "Search the web", "type": "boolean", "currentValue": false}]}}
""",
)
def mode_set_beside_options(step: Step, reported: dict[Any, Any]) -> Iterator[Remark]:
    """
    An agent may offer its modes twice: as `modes`, for older clients, and as a config option of the
    category `mode`. A client that knows config options should use them alone.

    `session/set_mode` returns nothing, so the client's list of options still shows the old mode. And
    it is on its way out: version 2 does not have it.

    Call `session/set_config_option`. A client that does not know config options at all may stay with
    modes; then this can be ignored. It is told once for each session.
    """
    session = step.session
    if session is None or not isinstance(session.modes, dict):
        return
    for _, option in entries(session.config):
        if option.get("category") == "mode" and is_first(reported, session.id):
            yield Remark(
                f"`session/set_mode`, though config option `{option.get('id')}` holds the mode",
                at="/method",
                see=session.seq,
                hint="call `session/set_config_option` instead",
            )
            return
