"""The client sets an option that there is, to a value that it has."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._opening import OPTIONS
from acp_spy.lint.rules.lifecycle._reading import options, quoted, values
from acp_spy.wire.values import fields

_GRACE = 0.25  # seconds in which the client may not have seen the agent's new list
_REST = """
        <- {"jsonrpc": "2.0", "id": 2, "error": {"code": -32602, "message": "Invalid params"}}
"""


@rule(
    code="LIF134",
    name="unoffered-option",
    severity=Severity.ERROR,
    summary="The client set a config option, or a value, that was not offered",
    on=("request:session/set_config_option", "update:config_option_update"),
    covers=("CFG-09",),
    spec="https://agentclientprotocol.com/protocol/session-config-options#setting-a-config-option",
    bad=OPTIONS
    + """
        -> {"jsonrpc": "2.0", "id": 2, "method": "session/set_config_option", "params": {"sessionId": "s1", "configId": "model", "value": "Large"}}
"""
    + _REST,
    good=OPTIONS
    + """
        -> {"jsonrpc": "2.0", "id": 2, "method": "session/set_config_option", "params": {"sessionId": "s1", "configId": "model", "value": "large"}}
"""
    + _REST,
)
def unoffered_option(step: Step, changed: dict[Any, Any]) -> Iterator[Remark]:
    """
    `session/set_config_option` names an option from the session's list. A select takes the `value` of
    one of its choices; a boolean takes `true` or `false` together with `"type": "boolean"`.

    Ids and values are the agent's own words, not the names on the screen. The agent refuses what it
    does not know, and a client that does not look at the error shows a setting that is not in force.

    Take `id` and `value` from the latest list. Within 250 ms after the agent has sent a new one the
    client may not have seen it; then nothing is reported.
    """
    params, session = fields(step.body), step.session
    if step.method == "session/update":
        remember(changed, str(params.get("sessionId")), step.frame.t)
        return
    name = params.get("configId")
    if session is None or not isinstance(name, str):
        return
    if step.frame.t - changed.get(session.id, -1.0) < _GRACE:
        return
    known = options(session.config)
    if not known:
        if session.how == "new" and session.config is None:
            text = f"`configId` is `{name}`, but the session was set up without `configOptions`"
            yield Remark(text, at="/params/configId", see=session.seq)
    elif name not in known:
        yield Remark(
            f"`configId` is `{name}`, but the options are {quoted(list(known))}",
            at="/params/configId",
            hint="take an `id` from the session's `configOptions`",
        )
    elif wrong := _wrong_value(known[name], params):
        hint = "take a `value` from the option's list; a boolean needs `type` as well"
        yield Remark(f"`{name}` set to {wrong}", at="/params/value", hint=hint)


def _wrong_value(option: dict[str, Any], params: dict[str, Any]) -> str:
    """Return what is wrong with the value, as the end of a sentence."""
    value, offered = params.get("value"), values(option)
    if option.get("type") == "boolean":
        if isinstance(value, bool) and params.get("type") == "boolean":
            return ""
        return f'`{value}`; expected `true` or `false`, with `"type": "boolean"`'
    if isinstance(value, bool):
        return f"`{str(value).lower()}`, but it is a select: {quoted(offered)}"
    if isinstance(value, str) and offered and value not in offered:
        return f"`{value}`, but its values are {quoted(offered)}"
    return ""
