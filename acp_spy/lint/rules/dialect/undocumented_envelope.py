"""A dialect may have an envelope of its own, instead of JSON-RPC's."""

from collections.abc import Iterator

import msgspec

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.dialect._mismatches import remarks
from acp_spy.protocol.walk import walk
from acp_spy.wire.jsonrpc import Response
from acp_spy.wire.values import fields

_decode = msgspec.json.Decoder().decode


@rule(
    code="DIA004",
    name="undocumented-envelope",
    severity=Severity.ERROR,
    summary="A message does not match the envelope in the dialect's document",
    on=("request", "notification", "response"),
    dialect="threads",
    bad="""
        -> {"id": "a", "method": "getThreads", "params": null}
        <- {"id": "a", "result": {"threads": []}}
    """,
    good="""
        -> {"id": 0, "method": "getThreads", "params": null}
        <- {"id": 0, "result": {"threads": []}}
    """,
)
def undocumented_envelope(step: Step) -> Iterator[Remark]:
    """
    ## What it does

    Reports messages whose envelope is not as in the dialect's document. Runs only with `--dialect
    NAME`, and only for dialects that do not use JSON-RPC: in threads, every message is a request
    with an integer `id` and without `jsonrpc`. For the others, the RPC rules check the envelope.

    ## Why it matters

    A program that was written from the document refuses or drops such a message.

    ## Use instead

    Send the fields that the document shows.
    """
    dialect = step.state.dialects.settled
    if dialect is None or dialect.document is None or dialect.has_jsonrpc:
        return
    try:
        message = fields(_decode(step.frame.payload[step.glued_at :]))
    except (msgspec.DecodeError, RecursionError, ValueError):
        return
    shape = "Answer" if isinstance(step.message, Response) else "Call"
    yield from remarks(dialect, walk(dialect.document, shape, message))
