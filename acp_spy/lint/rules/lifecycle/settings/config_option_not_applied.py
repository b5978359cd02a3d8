"""A config option has the value that was set."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._common import quoted_json as as_json
from acp_spy.lint.rules.lifecycle._opening import OPTIONS
from acp_spy.lint.rules.lifecycle._reading import entries, option_id
from acp_spy.wire.values import fields

_SET = """
        -> {"jsonrpc": "2.0", "id": 2, "method": "session/set_config_option", "params": {"sessionId": "s1", "configId": "web", "type": "boolean", "value": true}}
"""
_RESULT = """
        <- {"jsonrpc": "2.0", "id": 2, "result": {"configOptions": [{"id": "mode", "name": "Mode", "category": "mode", "type": "select", "currentValue": "ask", "options": [{"value": "ask", "name": "Ask"}, {"value": "code", "name": "Code"}]}, {"id": "model", "name": "Model", "category": "model", "type": "select", "currentValue": "small", "options": [{"value": "small", "name": "Small"}, {"value": "large", "name": "Large"}]}, {"id": "web", "name": "Search the web", "type": "boolean", "currentValue": true}]}}
"""


@rule(
    code="LIF136",
    name="config-option-not-applied",
    severity=Severity.WARNING,
    summary="A config option has another value than the one that was set",
    on=("result:session/set_config_option",),
    covers=("CFG-13",),
    spec="https://agentclientprotocol.com/protocol/session-config-options#setting-a-config-option",
    bad=OPTIONS + _SET + _RESULT.replace('"currentValue": true', '"currentValue": false'),
    good=OPTIONS + _SET + _RESULT,
)
def config_option_not_applied(step: Step) -> Iterator[Remark]:
    """
    ## What it does

    Reports a successful result of `session/set_config_option` in which the option has another value
    than requested.

    ## Why it matters

    The selector jumps back, as if the click had no effect. Often the agent builds the response
    before it applies the value.

    ## Use instead

    Apply the value first, then build the list. If the value cannot be set, return an error.
    """
    request = fields(step.exchange.params if step.exchange else None)
    requested = request.get("value")
    for i, option in entries(fields(step.body).get("configOptions")):
        current = option.get("currentValue")
        if option_id(option) != request.get("configId"):
            continue
        if (
            isinstance(requested, str | bool)
            and isinstance(current, str | bool)
            and current != requested
        ):
            yield Remark(
                f"`currentValue` is {as_json(current)};"
                f" expected {as_json(requested)}, as requested",
                at=f"/result/configOptions/{i}/currentValue",
                see=step.exchange.seq if step.exchange else None,
                hint="apply the value before you build the response, or return an error",
            )
        return
