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
    summary="A field of a form contains a link",
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
    The fields of a form should contain no links to click.

    In mode `url` a client shows the whole address and asks before it opens anything. A link in the
    description of a field goes around that, and is what a phishing agent would use.

    Ask with an elicitation of mode `url` first. Addresses at `example.*` are taken for examples.
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
                    f"field `{name}` has the link `{found[0][:80]}` in its {key}",
                    at=f"/params/requestedSchema/properties/{place}/{key}",
                    hint='send users to a page with `"mode": "url"`',
                )
                return
