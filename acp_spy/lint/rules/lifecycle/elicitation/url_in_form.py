"""Links belong in a URL elicitation."""

import re
from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._opening import PROMPT
from acp_spy.wire.values import fields

_URL = re.compile(r"https?://(?![^/\s]*example\.)[^\s\"'<>)]+")


@rule(
    code="LIF146",
    name="url-in-form",
    severity=Severity.WARNING,
    summary="A form field contains a link",
    on=("request:elicitation/create",),
    covers=("ELI-16",),
    spec="https://agentclientprotocol.com/protocol/elicitation",
    bad=PROMPT
    + """
        <- {"jsonrpc": "2.0", "id": 0, "method": "elicitation/create", "params": {"sessionId": "s1", "mode": "form", "message": "Confirm the account", "requestedSchema": {"type": "object", "properties": {"code": {"type": "string", "description": "Shown at https://login.corp.test/device"}}}}}
""",
    good=PROMPT
    + """
        <- {"jsonrpc": "2.0", "id": 0, "method": "elicitation/create", "params": {"sessionId": "s1", "mode": "form", "message": "Confirm the account", "requestedSchema": {"type": "object", "properties": {"code": {"type": "string", "description": "Shown on the sign-in page"}}}}}
""",
)
def url_in_form(step: Step) -> Iterator[Remark]:
    """
    ## What it does

    Reports a URL in the title or description of a form field. Form fields should not contain links.
    Addresses at `example.*` are not reported.

    ## Why it matters

    In the mode `url` the client shows the full address and requests consent before it opens it. A
    link in a form bypasses that, as phishing does.

    ## Use instead

    Use an elicitation with mode `url`.
    """
    params = fields(step.body)
    if params.get("mode") != "form":
        return
    for name, field in fields(fields(params.get("requestedSchema")).get("properties")).items():
        for key in ("title", "description"):
            text = fields(field).get(key)
            if isinstance(text, str) and (found := _URL.search(text)):
                place = name.replace("~", "~0").replace("/", "~1")
                yield Remark(
                    f"`{key}` of field `{name}` contains the link `{found[0][:80]}`;"
                    " expected no links in a form",
                    at=f"/params/requestedSchema/properties/{place}/{key}",
                    hint='send the link with `"mode": "url"`',
                )
                return
