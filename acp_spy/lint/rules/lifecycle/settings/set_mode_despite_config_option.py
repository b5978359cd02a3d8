"""Where the mode is a config option, the client sets it there."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._offers import mode_option
from acp_spy.lint.rules.lifecycle._opening import OPTIONS
from acp_spy.lint.rules.lifecycle._reading import is_first


@rule(
    code="LIF131",
    name="set-mode-despite-config-option",
    severity=Severity.WARNING,
    summary="The client called `session/set_mode` although the mode is a config option",
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
def set_mode_despite_config_option(step: Step, reported: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does

    Reports `session/set_mode` in a session that also offers the mode as a config option of the
    category `mode`. A client that supports config options should use only those. Each session is
    reported once.

    ## Why it matters

    `session/set_mode` does not return the config options, so the client still shows the old mode
    there. Version 2 does not have this method.

    ## Use instead

    Call `session/set_config_option`. If your client does not support config options, ignore this
    rule.
    """
    session = step.session
    if session is None or not isinstance(session.modes, dict):
        return
    option = mode_option(session)
    if option is not None and is_first(reported, session.id):
        yield Remark(
            f"`session/set_mode` was called, but the mode is config option `{option.get('id')}`;"
            " expected `session/set_config_option`",
            at="/method",
            see=session.seq,
            hint="call `session/set_config_option`",
        )
