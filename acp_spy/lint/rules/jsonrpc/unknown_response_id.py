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
    summary="A response to a request that was never sent",
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
    A response carries the id of a request that the other peer has sent and that is still open.
    This one fits none, so it is dropped, and whoever waits for it waits on.

    Each peer counts its own requests: id 1 of the client and id 1 of the agent are two things. A
    peer that keeps both in one table answers its own requests.
    """
    reason, meant = facts.unmatched
    if reason not in ("unknown", "own") or not isinstance(step.message, Response):
        return
    ident, other = quote(step.message.id), step.frame.sender.other.value
    if meant:
        seen = (
            f"{ident} is the id of this peer's own `{meant.method}`; the {other} asked nothing so"
        )
    else:
        seen = f"the {other} has no open request with the id {ident}"
    yield Remark(
        seen,
        at="/id",
        see=meant.seq if meant else None,
        hint="answer with the id of the request; keep the ids of the two directions apart",
    )
