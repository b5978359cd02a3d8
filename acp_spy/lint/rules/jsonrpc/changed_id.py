"""A response repeats the id as it was sent."""

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
    The id comes back with the same type and value: `1` is not `"1"`, nor `1.0`. The one who asked
    looks the id up in a table and finds nothing; the answer is dropped and the request waits for
    ever.

    Keep the id as the JSON value it was. Do not turn it into text, nor into a float.
    """
    reason, exchange = facts.unmatched
    if reason == "changed" and exchange and isinstance(step.message, Response):
        yield Remark(
            f"{quote(step.message.id)} answers `{exchange.method}`, whose id is"
            f" {quote(exchange.id)}; expected the same value of the same type",
            at="/id",
            see=exchange.seq,
            hint="send the id back as it came",
        )
