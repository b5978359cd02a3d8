"""One message at a time."""

from collections.abc import Iterator

from acp_spy.conversation.state import Ending, Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule


@rule(
    code="RPC016",
    name="batch",
    severity=Severity.ERROR,
    summary="Messages were sent as a batch",
    on=("line:batch",),
    covers=("RPC-16", "V2-26"),
    spec="https://agentclientprotocol.com/protocol/overview#communication-model",
    bad="""
        -> [{"jsonrpc": "2.0", "id": 1, "method": "session/list"}, {"jsonrpc": "2.0", "id": 2, "method": "logout"}]
        <- {"jsonrpc": "2.0", "id": null, "error": {"code": -32600, "message": "Invalid request"}}
    """,
    good="""
        -> {"jsonrpc": "2.0", "id": 1, "method": "session/list"}
        <- {"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "Method not found"}}
    """,
)
def batch(step: Step | Ending, facts: Facts) -> Iterator[Remark]:
    """
    ## What it does

    Reports a list of messages on one line, in one HTTP request or in one WebSocket message.

    ## Why it matters

    JSON-RPC allows batches; ACP does not use them, and the SDKs refuse the whole list with one
    error (over HTTP, with status 400 or 501). A draft of version 2 allowed them for a while.

    ## Use instead

    Send each message on its own line or in its own request.
    """
    is_line = not isinstance(step, Step) or step.frame.via is None
    for line in facts.lines:
        if line.kind == "batch":
            size = len(line.value)
            yield Remark(
                f"a batch of {size} message{'s' if size != 1 else ''}; ACP does not allow batches",
                on=line.seq,
                hint=f"send each message {'on its own line' if is_line else 'by itself'}",
            )
