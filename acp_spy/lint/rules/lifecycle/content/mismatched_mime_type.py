"""The MIME type matches the type of the block."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._opening import SESSION
from acp_spy.lint.rules.lifecycle._reading import blocks


@rule(
    code="LIF148",
    name="mismatched-mime-type",
    severity=Severity.WARNING,
    summary="The MIME type of an image or audio block does not match its type",
    on=("media",),
    covers=("CNT-03",),
    spec="https://agentclientprotocol.com/protocol/content#image-content",
    bad=SESSION
    + """
        -> {"jsonrpc": "2.0", "id": 2, "method": "session/prompt", "params": {"sessionId": "s1", "prompt": [{"type": "image", "mimeType": "png", "data": "iVBORw0KGgo="}]}}
""",
    good=SESSION
    + """
        -> {"jsonrpc": "2.0", "id": 2, "method": "session/prompt", "params": {"sessionId": "s1", "prompt": [{"type": "image", "mimeType": "image/png", "data": "iVBORw0KGgo="}]}}
""",
)
def mismatched_mime_type(step: Step, facts: Facts) -> Iterator[Remark]:
    """
    ## What it does

    Reports an `image` block whose `mimeType` does not start with `image/`, and an `audio` block
    whose `mimeType` does not start with `audio/`.

    ## Why it matters

    The receiver selects the decoder by MIME type, or passes it to the model provider, which rejects
    unknown types.

    ## Use instead

    Send the full type, such as `image/png`. Send other data, such as a PDF, as a `resource`.
    """
    for place, block in blocks(step, facts):
        kind, mime = block.get("type"), block.get("mimeType")
        if kind not in ("image", "audio") or not isinstance(mime, str):
            continue
        if not mime.lower().startswith(f"{kind}/"):
            yield Remark(
                f"`mimeType` of an `{kind}` block is `{mime}`; expected `{kind}/...`",
                at=f"{place}/mimeType",
                hint="send the full MIME type, or send the data as a `resource`",
            )
