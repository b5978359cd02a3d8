"""A dialect may have messages of its own, in place of JSON-RPC's."""

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
    summary="A message is not built as the dialect's document has it",
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
    Asked with `--dialect NAME` only, and only where the dialect's messages are not JSON-RPC's: those
    of threads have an `id`, which is an integer, and no `jsonrpc`; everything is a request. Where
    they are JSON-RPC's, the rules of the family RPC watch over them.
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
