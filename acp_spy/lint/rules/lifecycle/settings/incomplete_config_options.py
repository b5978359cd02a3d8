"""Every list of config options is complete."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._offers import known_options
from acp_spy.lint.rules.lifecycle._opening import OPTIONS
from acp_spy.lint.rules.lifecycle._reading import options, place_of, quoted
from acp_spy.wire.values import fields

_SET = """
        -> {"jsonrpc": "2.0", "id": 2, "method": "session/set_config_option", "params": {"sessionId": "s1", "configId": "model", "value": "large"}}
"""


@rule(
    code="LIF133",
    name="incomplete-config-options",
    severity=Severity.ERROR,
    summary="A list of config options is incomplete",
    on=("result:session/set_config_option", "update:config_option_update"),
    covers=("CFG-07", "CFG-08"),
    spec="https://agentclientprotocol.com/protocol/session-config-options#setting-a-config-option",
    bad=OPTIONS
    + _SET
    + """
        <- {"jsonrpc": "2.0", "id": 2, "result": {"configOptions": []}}
""",
    good=OPTIONS
    + _SET
    + """
        <- {"jsonrpc": "2.0", "id": 2, "result": {"configOptions": [{"id": "mode", "name": "Mode", "category": "mode", "type": "select", "currentValue": "ask", "options": [{"value": "ask", "name": "Ask"}, {"value": "code", "name": "Code"}]}, {"id": "model", "name": "Model", "category": "model", "type": "select", "currentValue": "large", "options": [{"value": "small", "name": "Small"}, {"value": "large", "name": "Large"}]}, {"id": "web", "name": "Search the web", "type": "boolean", "currentValue": false}]}}
""",
)
def incomplete_config_options(step: Step) -> Iterator[Remark]:
    """
    ## What it does

    Reports a result of `session/set_config_option` without the option that was set, and, as a
    warning, a list without the mode or the model, or of at most one option when others are missing.
    Both the result and `config_option_update` must list all options, because the client replaces
    its list. Options that depend on the model (`thought_level`, `model_config`) may come and go.

    ## Why it matters

    The missing options disappear from the editor.

    ## Use instead

    Return all options with their current values.
    """
    body = fields(step.body)
    requested = fields(step.exchange.params if step.exchange else None).get("configId")
    listed = (body if step.exchange else fields(body.get("update"))).get("configOptions")
    if not isinstance(listed, list):
        return
    there, place = options(listed), f"{place_of(step)}/configOptions"
    if len(there) < len(listed):
        return  # an option without an id, or twice: another rule reports it
    known = known_options(step.session)
    gone = [name for name in known if name not in there]
    if requested in gone:
        yield Remark(
            f"`configOptions` lacks `{requested}`, which was just set; expected all options",
            at=place,
            see=step.exchange.seq if step.exchange else None,
            hint="return the complete list, with the new value",
        )
    elif _is_incomplete([known[name] for name in gone], there):
        yield Remark(
            f"`configOptions` lacks {quoted(gone)};"
            " expected all options, not only the changed ones",
            at=place,
            severity=Severity.WARNING,
            hint="send the complete list; the client drops options that are not in it",
        )


def _is_incomplete(gone: list[dict[str, Any]], there: dict[str, dict[str, Any]]) -> bool:
    """Return whether the missing options can only have been forgotten."""
    categories = [option.get("category") for option in gone]
    if any(category in ("mode", "model") for category in categories):
        return True
    depend = [category in ("thought_level", "model_config") for category in categories]
    return len(there) <= 1 and (len(gone) >= 2 or not all(depend))
