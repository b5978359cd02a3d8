"""Binary content is Base64."""

import binascii
from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._opening import SESSION
from acp_spy.lint.rules.lifecycle._reading import blocks
from acp_spy.wire.values import fields

_BY_SCHEMA = "bad-format"  # the rule that compares with the formats of the schema


@rule(
    code="LIF147",
    name="invalid-base64",
    severity=Severity.ERROR,
    summary="The data of an image, audio or blob is not valid Base64",
    on=("media",),
    covers=("CNT-03", "CNT-04"),
    spec="https://agentclientprotocol.com/protocol/content#image-content",
    bad=SESSION
    + """
        -> {"jsonrpc": "2.0", "id": 2, "method": "session/prompt", "params": {"sessionId": "s1", "prompt": [{"type": "image", "mimeType": "image/png", "data": "data:image/png;base64,iVBORw0KGgo="}]}}
""",
    good=SESSION
    + """
        -> {"jsonrpc": "2.0", "id": 2, "method": "session/prompt", "params": {"sessionId": "s1", "prompt": [{"type": "image", "mimeType": "image/png", "data": "iVBORw0KGgo="}]}}
""",
)
def invalid_base64(step: Step, facts: Facts) -> Iterator[Remark]:
    """
    ## What it does

    Reports `data` of an image or audio block, and `blob` of a resource, that is not Base64 with the
    standard alphabet and padding. In version 2 this is part of the schema, and SCH028 reports it.

    ## Why it matters

    The receiver cannot decode it. The agent rejects the prompt, the model provider fails with an
    unclear error, or the client shows a broken image.

    ## Use instead

    Encode the bytes with standard Base64, without a `data:` prefix, line breaks or the URL-safe
    alphabet.
    """
    if step.state.is_draft and facts.mistakes_of(_BY_SCHEMA):
        return
    for place, block in blocks(step, facts):
        for where, data in _data(place, block):
            if not isinstance(data, str):
                continue
            try:
                binascii.a2b_base64(data, strict_mode=True)
            except ValueError as error:
                yield Remark(
                    f"data is {_begin(data)}; expected Base64 ({error})", at=where, hint=_hint(data)
                )


def _data(place: str, block: dict[str, Any]) -> list[tuple[str, Any]]:
    if block.get("type") in ("image", "audio"):
        return [(f"{place}/data", block.get("data"))]
    if block.get("type") == "resource":
        return [(f"{place}/resource/blob", fields(block.get("resource")).get("blob"))]
    return []


def _begin(data: str) -> str:
    return f"`{data[:24]}...`" if len(data) > 24 else f"`{data}`"


def _hint(data: str) -> str:
    if data.startswith("data:"):
        return "remove everything up to the comma; the MIME type has its own field"
    if "-" in data or "_" in data:
        return "use the standard alphabet with `+` and `/`, not the URL-safe one"
    if "\n" in data or " " in data:
        return "remove line breaks and spaces"
    return "encode all bytes as one string, with padding"
