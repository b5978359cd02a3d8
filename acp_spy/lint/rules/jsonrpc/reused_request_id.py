"""A pending request has an id of its own."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.noise import quote
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.wire.jsonrpc import Request


@rule(
    code="RPC009",
    name="reused-request-id",
    severity=Severity.ERROR,
    summary="A request has the id of one that is still pending",
    on=("request",),
    covers=("RPC-09",),
    spec="https://www.jsonrpc.org/specification#request_object",
    bad="""
        -> {"jsonrpc": "2.0", "id": 1, "method": "session/list", "params": {}}
        -> {"jsonrpc": "2.0", "id": 1, "method": "logout", "params": {}}
        <- {"jsonrpc": "2.0", "id": 1, "result": {"sessions": []}}
    """,
    good="""
        -> {"jsonrpc": "2.0", "id": 1, "method": "session/list", "params": {}}
        -> {"jsonrpc": "2.0", "id": 2, "method": "logout", "params": {}}
        <- {"jsonrpc": "2.0", "id": 1, "result": {"sessions": []}}
        <- {"jsonrpc": "2.0", "id": 2, "result": {}}
    """,
)
def reused_request_id(step: Step) -> Iterator[Remark]:
    """
    ## What it does

    Reports a request with the id of another pending request of the same peer.

    ## Why it matters

    The responses cannot be assigned: the first one goes to either of the two requests, and the
    other waits forever.

    ## Use instead

    Use a new id for every request on the connection, not for every session. An id can be used again
    after its request was answered.
    """
    if not isinstance(step.message, Request) or step.message.id == b"null":
        return
    first = step.state.pending.get((step.frame.sender, step.message.id))
    if first is not None:
        yield Remark(
            f"the id {quote(step.message.id)} of `{step.method}` is still in use by `{first.method}`;"
            " expected a new id",
            at="/id",
            see=first.seq,
            hint="use a new id for every request on the connection",
        )
