"""The client sets an existing option to an offered value."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._common import quoted_json as as_json
from acp_spy.lint.rules.lifecycle._offers import Values, known_options, option_values
from acp_spy.lint.rules.lifecycle._opening import OPTIONS
from acp_spy.lint.rules.lifecycle._reading import quoted
from acp_spy.wire.values import fields, items

_GRACE = 0.25  # seconds; the client may not have seen the new list of the agent yet
_REST = """
        <- {"jsonrpc": "2.0", "id": 2, "error": {"code": -32602, "message": "Invalid params"}}
"""


@rule(
    code="LIF134",
    name="config-option-not-offered",
    severity=Severity.ERROR,
    summary="The client set a config option or value that was not offered",
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
def config_option_not_offered(step: Step, changed: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does

    Reports `session/set_config_option` with an unknown `configId` or a value that the option does
    not offer. A boolean needs `true` or `false` with `"type": "boolean"`. Requests within 250 ms
    after a new list are not reported.

    ## Why it matters

    Ids and values are defined by the agent and differ from the displayed names. The agent returns
    an error, and a client that ignores it shows a setting that is not in effect.

    ## Use instead

    Use `id` and `value` from the latest list.
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
    known = known_options(session)
    if not known:
        if session.how == "new" and session.config is None:
            yield Remark(
                f"`configId` is `{name}`, but the session has no `configOptions`;"
                " expected no `session/set_config_option`",
                at="/params/configId",
                see=session.seq,
                hint="set only options that the session offers",
            )
    elif name not in known and len(known) == len(items(session.config)):
        yield Remark(
            f"`configId` is `{name}`; expected one of {quoted(known)}",
            at="/params/configId",
            hint="use an `id` from the `configOptions` of the session",
        )
    elif name in known and (
        wrong := _wrong_value(known[name].get("type"), option_values(session)[name], params)
    ):
        hint = "use a `value` from the list of the option; for a boolean add `type`"
        yield Remark(f"`{name}` was set to {wrong}", at="/params/value", hint=hint)


def _wrong_value(kind: Any, known: Values, params: dict[str, Any]) -> str:
    """Return what is wrong with the value, as the end of a sentence."""
    value, offered = params.get("value"), known.offered
    if not known.is_readable:
        return ""  # one that cannot be read may be meant: SCH rules report it
    if kind == "boolean":
        if isinstance(value, bool) and params.get("type") == "boolean":
            return ""
        return f'{as_json(value)}; expected `true` or `false`, with `"type": "boolean"`'
    if isinstance(value, bool):
        return f"{as_json(value)}; expected one of {quoted(offered)}"
    if isinstance(value, str) and offered and value not in offered:
        return f"`{value}`; expected one of {quoted(offered)}"
    return ""
