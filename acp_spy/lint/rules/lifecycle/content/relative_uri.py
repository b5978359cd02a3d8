"""A URI has a scheme."""

import re
from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._opening import SESSION
from acp_spy.lint.rules.lifecycle._reading import blocks
from acp_spy.wire.values import fields

# At least two letters: `C:\project` is a path.
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")


@rule(
    code="LIF149",
    name="relative-uri",
    severity=Severity.WARNING,
    summary="The URI of a resource is a path or has no scheme",
    on=("media",),
    covers=("CNT-08",),
    spec="https://agentclientprotocol.com/protocol/content#resource-link",
    bad=SESSION
    + """
        -> {"jsonrpc": "2.0", "id": 2, "method": "session/prompt", "params": {"sessionId": "s1", "prompt": [{"type": "resource_link", "name": "main.py", "uri": "/home/dev/project/main.py"}]}}
""",
    good=SESSION
    + """
        -> {"jsonrpc": "2.0", "id": 2, "method": "session/prompt", "params": {"sessionId": "s1", "prompt": [{"type": "resource_link", "name": "main.py", "uri": "file:///home/dev/project/main.py"}]}}
""",
)
def relative_uri(step: Step, facts: Facts) -> Iterator[Remark]:
    """
    ## What it does

    Reports a `uri` of a resource, a resource link or an image that is not absolute. A file is
    written as `file:///home/dev/project/main.py`.

    ## Why it matters

    The agent finds no scheme and drops the block. The file of the user does not reach the model.

    ## Use instead

    Convert paths to `file://` URIs with a library function, which escapes spaces and other
    characters.
    """
    for place, block in blocks(step, facts):
        where, uri = _uri(place, block)
        if isinstance(uri, str) and not _SCHEME.match(uri):
            yield Remark(
                f"`uri` is `{uri[:80]}`; expected an absolute URI such as `file:///...`",
                at=where,
                hint="convert the path to a `file://` URI",
            )


def _uri(place: str, block: dict[str, Any]) -> tuple[str, Any]:
    if block.get("type") == "resource":
        return f"{place}/resource/uri", fields(block.get("resource")).get("uri")
    if block.get("type") in ("resource_link", "image"):
        return f"{place}/uri", block.get("uri")
    return "", None
