"""A response returns the id as it was sent."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.noise import quote
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.wire.jsonrpc import Response


@rule(
    code="RPC005",
    name="changed-id",
    severity=Severity.ERROR,
    summary="A response has the id of its request with another type",
    on=("unmatched",),
    covers=("RPC-05",),
    spec="https://www.jsonrpc.org/specification#response_object",
    bad="""
        -> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1}}
        <- {"jsonrpc": "2.0", "id": "0", "result": {"protocolVersion": 1}}
    """,
    good="""
        -> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1}}
        <- {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1}}
    """,
)
def changed_id(step: Step, facts: Facts) -> Iterator[Remark]:
    """
    ## What it does

    Reports a response whose id has another type than the id of the request: `"1"` or `1.0` instead
    of `1`.

    ## Why it matters

    The peer looks up the id and does not find it. It drops the response, and the request waits
    forever.

    ## Use instead

    Return the id as the JSON value that was sent. Do not convert it to a string or a float.
    """
    reason, exchange = facts.unmatched
    if reason == "changed" and exchange and isinstance(step.message, Response):
        yield Remark(
            f"the response to `{exchange.method}` has the id {quote(step.message.id)};"
            f" expected {quote(exchange.id)}, the same value and type",
            at="/id",
            see=exchange.seq,
            hint="return the id as it was sent",
        )
