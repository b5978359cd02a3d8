"""A response answers a request."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.noise import quote
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.wire.jsonrpc import Response


@rule(
    code="RPC008",
    name="unknown-response-id",
    severity=Severity.ERROR,
    summary="A response matches no pending request",
    on=("unmatched",),
    covers=("RPC-08",),
    spec="https://www.jsonrpc.org/specification#response_object",
    bad="""
        -> {"jsonrpc": "2.0", "id": 1, "method": "session/list", "params": {}}
        <- {"jsonrpc": "2.0", "id": 7, "result": {"sessions": []}}
    """,
    good="""
        -> {"jsonrpc": "2.0", "id": 1, "method": "session/list", "params": {}}
        <- {"jsonrpc": "2.0", "id": 1, "result": {"sessions": []}}
    """,
)
def unknown_response_id(step: Step, facts: Facts) -> Iterator[Remark]:
    """
    ## What it does

    Reports a response whose id is not the id of a pending request of the other peer.

    ## Why it matters

    The response is dropped, and the request that it was meant for waits forever.

    Each peer numbers its own requests: id 1 of the client and id 1 of the agent are different
    requests. A peer that keeps both in one table answers its own requests.

    ## Use instead

    Return the id of the request. Keep the ids of the two directions apart.
    """
    reason, meant = facts.unmatched
    if reason not in ("unknown", "own") or not isinstance(step.message, Response):
        return
    ident, this = quote(step.message.id), step.frame.sender.value
    other = step.frame.sender.other.value
    if meant:
        seen = (
            f"{ident} is the id of the {this}'s own `{meant.method}`;"
            f" the {other} has no pending request with this id"
        )
    else:
        seen = f"the response has the id {ident}; the {other} has no pending request with this id"
    yield Remark(
        seen,
        at="/id",
        see=meant.seq if meant else None,
        hint="return the id of the request; keep the ids of the two directions apart",
    )
