"""Trace context has the W3C format."""

import re
from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._reading import is_first
from acp_spy.wire.jsonrpc import Response

_PARENT = re.compile(
    r"(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?"
)
_MEMBER = re.compile(r"(?:[a-z0-9][\w*/@.-]*=[\x20-\x2b\x2d-\x3c\x3e-\x7e]*)?")
_BAGGAGE = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+\s*=[^,]*")


@rule(
    code="LIF150",
    name="malformed-trace-context",
    severity=Severity.WARNING,
    summary="`traceparent`, `tracestate` or `baggage` in `_meta` is malformed",
    on=("meta",),
    covers=("EXT-04",),
    spec="https://agentclientprotocol.com/protocol/extensibility#the-_meta-field",
    bad="""
        -> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1, "clientCapabilities": {}, "clientInfo": {"name": "editor", "version": "1.0.0"}, "_meta": {"traceparent": "80e1afed08e019fc1110464cfa66635c"}}}
    """,
    good="""
        -> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1, "clientCapabilities": {}, "clientInfo": {"name": "editor", "version": "1.0.0"}, "_meta": {"traceparent": "00-80e1afed08e019fc1110464cfa66635c-7a085853722dc6d2-01"}}}
    """,
)
def malformed_trace_context(step: Step, reported: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does

    Reports malformed values of `traceparent`, `tracestate` and `baggage` at the root of `_meta`.
    These keys are reserved for W3C Trace Context. Each key is reported once per peer.

    ## Why it matters

    A tracing library drops a malformed value and starts a new trace. The spans of client and agent
    are then not connected.

    ## Use instead

    Let the tracing library write the values. Use other keys for your own data.
    """
    body = step.body
    meta = body.get("_meta") if isinstance(body, dict) else None
    if not isinstance(meta, dict):
        return
    for key in ("traceparent", "tracestate", "baggage"):
        if key not in meta or _is_well_formed(key, meta[key]):
            continue
        if is_first(reported, (key, step.frame.sender)):
            place = "/result" if isinstance(step.message, Response) else "/params"
            yield Remark(
                f"`{key}` is `{str(meta[key])[:60]}`; expected the W3C Trace Context format",
                at=f"{place}/_meta/{key}",
                hint="let the tracing library write it",
            )


def _is_well_formed(key: str, value: Any) -> bool:
    if not isinstance(value, str):
        return False
    if key == "traceparent":
        return bool(_PARENT.fullmatch(value)) and (value[:2] != "00" or len(value) == 55)
    form = _MEMBER if key == "tracestate" else _BAGGAGE
    return all(form.fullmatch(part.strip()) for part in value.split(","))
