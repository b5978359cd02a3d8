"""The answer to a form keeps to the form."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
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
    name="form-answer-off-schema",
    severity=Severity.WARNING,
    summary="The content of an accepted form does not fit its schema",
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
def form_answer_off_schema(step: Step) -> Iterator[Remark]:
    """
    A client should check what the user has entered against `requestedSchema` before it accepts: the
    required fields, their types, their choices and their limits.

    An agent that trusts the schema fails on a text where it wanted a number. One that checks again
    has to ask the user a second time.

    Check while the form is open, and turn the text of an input field into the type that is asked for.
    """
    params = fields(step.exchange.params if step.exchange else None)
    schema, content = fields(params.get("requestedSchema")), fields(step.body).get("content")
    if params.get("mode") != "form" or fields(step.body).get("action") != "accept":
        return
    answers = fields(content)
    required = schema.get("required")
    for name in required if isinstance(required, list) else ():
        if isinstance(name, str) and name not in answers:
            yield _remark(step, f"required field `{name}` is missing", "")
            return
    for name, field in fields(schema.get("properties")).items():
        if name in answers and (wrong := _wrong(answers[name], fields(field))):
            place = name.replace("~", "~0").replace("/", "~1")
            yield _remark(step, f"field `{name}` is {wrong}", f"/{place}")
            return


def _remark(step: Step, text: str, place: str) -> Remark:
    return Remark(
        f"{text}, against the form's schema",
        at=f"/result/content{place}",
        see=step.exchange.seq if step.exchange else None,
        hint="check the form against `requestedSchema` before accepting",
    )


def _wrong(value: Any, field: dict[str, Any]) -> str:
    """Return what is wrong with a value, as the end of a sentence."""
    wanted = field.get("type")
    if not isinstance(wanted, str):
        return ""
    fits = {
        "string": isinstance(value, str),
        "boolean": isinstance(value, bool),
        "integer": is_number(value) or (isinstance(value, float) and value.is_integer()),
        "number": is_number(value) or isinstance(value, float),
        "array": isinstance(value, list),
    }
    if not fits.get(wanted, True):
        return f"`{str(value)[:40]}`, not of type `{wanted}`"
    chosen, source = (value, fields(field.get("items"))) if wanted == "array" else ([value], field)
    choices = _choices(source)
    odd = next((one for one in chosen if choices and one not in choices), None)
    if odd is not None:
        return f"`{str(odd)[:40]}`, none of the choices"
    size = len(value) if isinstance(value, str | list) else value
    low, high = (field.get(key) for key in _LIMITS.get(wanted, (None, None)))
    if isinstance(low, int | float) and size < low:
        return f"less than {low}"
    if isinstance(high, int | float) and size > high:
        return f"more than {high}"
    return ""


_LIMITS: dict[str, tuple[Any, Any]] = {
    "string": ("minLength", "maxLength"),
    "integer": ("minimum", "maximum"),
    "number": ("minimum", "maximum"),
    "array": ("minItems", "maxItems"),
}


def _choices(source: dict[str, Any]) -> list[Any]:
    """Return what a field can be chosen from: `enum`, or constants with titles."""
    listed = source.get("enum")
    titled = names(source.get("oneOf"), "const") + names(source.get("anyOf"), "const")
    return listed if isinstance(listed, list) else titled
