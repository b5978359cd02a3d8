"""An image has the type of an image."""

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
    summary="The MIME type of an image or a sound is of another kind",
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
    A block of type `image` has a MIME type that begins with `image/`, and one of type `audio` one that
    begins with `audio/`.

    The receiver picks the decoder by it, or passes it on to the model's service, which refuses what
    it does not know. Something else, such as a PDF, belongs in a `resource`.

    Send the full type, `image/png` rather than `png`, or the block type that fits.
    """
    for place, block in blocks(step, facts):
        kind, mime = block.get("type"), block.get("mimeType")
        if kind not in ("image", "audio") or not isinstance(mime, str):
            continue
        if not mime.lower().startswith(f"{kind}/"):
            yield Remark(
                f"`mimeType` of an {kind} is `{mime}`; expected `{kind}/...`",
                at=f"{place}/mimeType",
                hint="send the full MIME type, or put the data into a `resource`",
            )
