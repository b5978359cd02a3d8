"""A form does not ask for secrets."""

import re
from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._opening import PROMPT
from acp_spy.wire.values import fields

_SECRET = re.compile(
    r"password|passwd|passphrase|api[ _-]?key|(?:secret|private)[ _-]?key|client[ _-]?secret"
    r"|(?:access|auth|bearer|refresh|api)[ _-]?token\b|(?:credit|card)[ _-]?(?:card|number)|\bcv[vc]\b",
    re.IGNORECASE,
)


@rule(
    code="LIF141",
    name="secret-in-form",
    severity=Severity.ERROR,
    summary="A form asks for a password, a key, a token or payment data",
    on=("request:elicitation/create",),
    covers=("ELI-06",),
    spec="https://agentclientprotocol.com/protocol/elicitation",
    bad=PROMPT
    + """
        <- {"jsonrpc": "2.0", "id": 0, "method": "elicitation/create", "params": {"sessionId": "s1", "mode": "form", "message": "Sign in to the registry", "requestedSchema": {"type": "object", "properties": {"apiKey": {"type": "string", "title": "API key"}}}}}
""",
    good=PROMPT
    + """
        <- {"jsonrpc": "2.0", "id": 0, "method": "elicitation/create", "params": {"sessionId": "s1", "mode": "form", "message": "Choose a registry", "requestedSchema": {"type": "object", "properties": {"registry": {"type": "string", "title": "Registry"}}}}}
""",
)
def secret_in_form(step: Step) -> Iterator[Remark]:
    """
    ## What it does

    Reports a form field whose name or title suggests a password, a key, a token or payment data.
    Secrets must be requested in the mode `url`.

    ## Why it matters

    Form content is plain JSON. It passes through the client, its logs and captures, and often into
    the context of the model.

    ## Use instead

    Use an elicitation with mode `url`: the user enters the secret on a page of the service.
    """
    params = fields(step.body)
    schema = fields(params.get("requestedSchema"))
    if params.get("mode") != "form":
        return
    for name, field in fields(schema.get("properties")).items():
        if fields(field).get("type") not in ("string", None):
            continue
        title = fields(field).get("title")
        found = _SECRET.search(name) or (isinstance(title, str) and _SECRET.search(title))
        if found:
            place = name.replace("~", "~0").replace("/", "~1")
            yield Remark(
                f"field `{name}` asks for a secret (`{found[0]}`); expected mode `url`",
                at=f"/params/requestedSchema/properties/{place}",
                hint='use `"mode": "url"`, so that the secret does not pass through the client',
            )
            return
