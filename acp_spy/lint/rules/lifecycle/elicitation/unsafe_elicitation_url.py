"""The URL of an elicitation contains no secrets."""

import re
from collections.abc import Iterator
from urllib.parse import parse_qsl, urlsplit

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._opening import PROMPT
from acp_spy.wire.values import fields

_SECRET = re.compile(
    r"(?:.*[_-])?(?:token|password|passwd|secret|api_?key|jwt)|session_?id|auth", re.IGNORECASE
)
_LOCAL = re.compile(r"localhost|.*\.localhost|127\..*|::1|0\.0\.0\.0|host\.docker\.internal")


@rule(
    code="LIF145",
    name="unsafe-elicitation-url",
    severity=Severity.ERROR,
    summary="The URL of an elicitation contains credentials or is not HTTPS",
    on=("request:elicitation/create",),
    covers=("ELI-15",),
    spec="https://agentclientprotocol.com/protocol/elicitation",
    bad=PROMPT
    + """
        <- {"jsonrpc": "2.0", "id": 0, "method": "elicitation/create", "params": {"sessionId": "s1", "mode": "url", "message": "Sign in", "elicitationId": "e1", "url": "https://example.com/login?access_token=dummy"}}
""",
    good=PROMPT
    + """
        <- {"jsonrpc": "2.0", "id": 0, "method": "elicitation/create", "params": {"sessionId": "s1", "mode": "url", "message": "Sign in", "elicitationId": "e1", "url": "https://example.com/login?state=dummy"}}
""",
)
def unsafe_elicitation_url(step: Step) -> Iterator[Remark]:
    """
    ## What it does

    Reports an elicitation URL with a user name, a password or a token, and, as a warning, plain
    HTTP to another machine.

    ## Why it matters

    URLs end up in logs, browser history and captures. Anyone who has a signed-in link has the
    account. Plain HTTP can be read and changed in transit.

    ## Use instead

    Send an HTTPS link to a page where the user signs in, with at most an opaque `state`.
    """
    url = fields(step.body).get("url")
    if fields(step.body).get("mode") != "url" or not isinstance(url, str):
        return
    try:
        parts = urlsplit(url)
        keys = [key for key, _ in parse_qsl(parts.query, max_num_fields=256)]
        host = parts.hostname or ""
    except ValueError:
        return
    secret = next((key for key in keys if _SECRET.fullmatch(key)), None)
    if parts.username or parts.password:
        yield Remark(
            "the URL contains a user name or password; expected none",
            at="/params/url",
            hint="remove it; let the user sign in on the page",
        )
    elif secret:
        hint = "remove it; let the user sign in on the page"
        yield Remark(
            f"the URL contains the parameter `{secret}`; expected no credentials",
            at="/params/url",
            hint=hint,
        )
    elif parts.scheme == "http" and not _LOCAL.fullmatch(host):
        yield Remark(
            f"the URL for `{host}` is HTTP; expected HTTPS",
            at="/params/url",
            severity=Severity.WARNING,
            hint="use `https://`",
        )
