"""An open request keeps its id to itself."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.noise import quote
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.wire.jsonrpc import Request


@rule(
    code="RPC009",
    name="reused-id",
    severity=Severity.ERROR,
    summary="A request has the id of one that is still open",
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
def reused_id(step: Step) -> Iterator[Remark]:
    """
    Two open requests with one id cannot be told apart: the first answer goes to one of them, as
    chance will have it, and the other waits for ever.

    Count up, once for the whole connection and not once for each session. An id may be used again
    when its request has been answered.
    """
    if not isinstance(step.message, Request) or step.message.id == b"null":
        return
    first = step.state.pending.get((step.frame.sender, step.message.id))
    if first is not None:
        yield Remark(
            f"the id {quote(step.message.id)} of `{step.method}` is still in use by `{first.method}`",
            at="/id",
            see=first.seq,
            hint="give every request of a connection an id of its own",
        )
