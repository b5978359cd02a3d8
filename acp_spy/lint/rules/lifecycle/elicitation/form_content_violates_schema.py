"""The content of a form matches its schema."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._common import quoted_json as as_json
from acp_spy.lint.rules.lifecycle._opening import PROMPT
from acp_spy.lint.rules.lifecycle._reading import is_number, names
from acp_spy.wire.values import fields

_FORM = (
    PROMPT
    + """
        <- {"jsonrpc": "2.0", "id": 0, "method": "elicitation/create", "params": {"sessionId": "s1", "mode": "form", "message": "How many workers?", "requestedSchema": {"type": "object", "properties": {"workers": {"type": "integer", "minimum": 1}}, "required": ["workers"]}}}
"""
)


@rule(
    code="LIF142",
    name="form-content-violates-schema",
    severity=Severity.WARNING,
    summary="The content of an accepted form does not match its schema",
    on=("result:elicitation/create",),
    covers=("ELI-08",),
    spec="https://agentclientprotocol.com/protocol/elicitation",
    bad=_FORM
    + """
        -> {"jsonrpc": "2.0", "id": 0, "result": {"action": "accept", "content": {"workers": "4"}}}
""",
    good=_FORM
    + """
        -> {"jsonrpc": "2.0", "id": 0, "result": {"action": "accept", "content": {"workers": 4}}}
""",
)
def form_content_violates_schema(step: Step) -> Iterator[Remark]:
    """
    ## What it does

    Reports form content that violates `requestedSchema`: a missing required field, a wrong type, a
    value that is not offered, or a value outside the limits.

    ## Why it matters

    An agent that trusts the schema fails on text where it expects a number. An agent that validates
    must ask the user again.

    ## Use instead

    Validate the form before you accept it. Convert text input to the type in the schema.
    """
    params = fields(step.exchange.params if step.exchange else None)
    schema, content = fields(params.get("requestedSchema")), fields(step.body).get("content")
    if params.get("mode") != "form" or fields(step.body).get("action") != "accept":
        return
    values = fields(content)
    required = schema.get("required")
    for name in required if isinstance(required, list) else ():
        if isinstance(name, str) and name not in values:
            yield _remark(step, f"field `{name}` is missing; expected all required fields", "")
            return
    for name, field in fields(schema.get("properties")).items():
        if name in values and (wrong := _wrong(values[name], fields(field))):
            place = name.replace("~", "~0").replace("/", "~1")
            yield _remark(step, f"field `{name}` is {wrong}", f"/{place}")
            return


def _remark(step: Step, text: str, place: str) -> Remark:
    return Remark(
        text,
        at=f"/result/content{place}",
        see=step.exchange.seq if step.exchange else None,
        hint="validate the content against `requestedSchema` before you accept",
    )


def _wrong(value: Any, field: dict[str, Any]) -> str:
    """Return what is wrong with a value and what was expected, as the end of a sentence."""
    type_name = field.get("type")
    if not isinstance(type_name, str):
        return ""
    fits = {
        "string": isinstance(value, str),
        "boolean": isinstance(value, bool),
        "integer": is_number(value) or (isinstance(value, float) and value.is_integer()),
        "number": is_number(value) or isinstance(value, float),
        "array": isinstance(value, list),
    }
    if not fits.get(type_name, True):
        return f"{as_json(value)}; expected type `{type_name}`"
    chosen, source = (
        (value, fields(field.get("items"))) if type_name == "array" else ([value], field)
    )
    choices = _choices(source)
    odd = next((one for one in chosen if choices and one not in choices), None)
    if odd is not None:
        return f"{as_json(odd)}; expected one of {', '.join(map(as_json, choices[:6]))}"
    size, seen = value, as_json(value)
    if isinstance(value, str | list):
        size, seen = len(value), f"of length {len(value)}"
    low, high = (field.get(key) for key in _LIMITS.get(type_name, (None, None)))
    if isinstance(low, int | float) and size < low:
        return f"{seen}; expected at least {low}"
    if isinstance(high, int | float) and size > high:
        return f"{seen}; expected at most {high}"
    return ""


_LIMITS: dict[str, tuple[Any, Any]] = {
    "string": ("minLength", "maxLength"),
    "integer": ("minimum", "maximum"),
    "number": ("minimum", "maximum"),
    "array": ("minItems", "maxItems"),
}


def _choices(source: dict[str, Any]) -> list[Any]:
    """Return the values that a field offers: `enum`, or constants with titles."""
    listed = source.get("enum")
    titled = names(source.get("oneOf"), "const") + names(source.get("anyOf"), "const")
    return listed if isinstance(listed, list) else titled
