"""An option that was set has the value that it was set to."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._opening import OPTIONS
from acp_spy.lint.rules.lifecycle._reading import entries
from acp_spy.wire.values import fields

_SET = """
        -> {"jsonrpc": "2.0", "id": 2, "method": "session/set_config_option", "params": {"sessionId": "s1", "configId": "web", "type": "boolean", "value": true}}
"""
_ANSWER = """
        <- {"jsonrpc": "2.0", "id": 2, "result": {"configOptions": [{"id": "mode", "name": "Mode", "category": "mode", "type": "select", "currentValue": "ask", "options": [{"value": "ask", "name": "Ask"}, {"value": "code", "name": "Code"}]}, {"id": "model", "name": "Model", "category": "model", "type": "select", "currentValue": "small", "options": [{"value": "small", "name": "Small"}, {"value": "large", "name": "Large"}]}, {"id": "web", "name": "Search the web", "type": "boolean", "currentValue": true}]}}
"""


@rule(
    code="LIF136",
    name="unheeded-option",
    severity=Severity.WARNING,
    summary="A config option was set, and has another value in the answer",
    on=("result:session/set_config_option",),
    covers=("CFG-13",),
    spec="https://agentclientprotocol.com/protocol/session-config-options#setting-a-config-option",
    bad=OPTIONS + _SET + _ANSWER.replace('"currentValue": true', '"currentValue": false'),
    good=OPTIONS + _SET + _ANSWER,
)
def unheeded_option(step: Step) -> Iterator[Remark]:
    """
    After `session/set_config_option` has succeeded, the answer shows the option with the value that
    was asked for.

    With another value the user's click seems to have no effect: the selector jumps back. Often the
    agent has built its answer before it took the new value over.

    Apply the value first, then build the list. Answer with an error if it cannot be set.
    """
    asked = fields(step.exchange.params if step.exchange else None)
    wanted = asked.get("value")
    for i, option in entries(fields(step.body).get("configOptions")):
        current = option.get("currentValue")
        if option.get("id") != asked.get("configId") or "id" not in option:
            continue
        if isinstance(wanted, str | bool) and isinstance(current, str | bool) and current != wanted:
            yield Remark(
                f"`currentValue` is `{current}` after it was set to `{wanted}`",
                at=f"/result/configOptions/{i}/currentValue",
                see=step.exchange.seq if step.exchange else None,
                hint="apply the value before you build the answer, or answer with an error",
            )
        return
