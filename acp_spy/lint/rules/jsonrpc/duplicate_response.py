"""A request gets one response."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule


@rule(
    code="RPC010",
    name="duplicate-response",
    severity=Severity.ERROR,
    summary="A request was answered twice",
    on=("unmatched",),
    covers=("RPC-06",),
    spec="https://www.jsonrpc.org/specification#response_object",
    bad="""
        -> {"jsonrpc": "2.0", "id": 1, "method": "session/list", "params": {}}
        <- {"jsonrpc": "2.0", "id": 1, "result": {"sessions": []}}
        <- {"jsonrpc": "2.0", "id": 1, "error": {"code": -32603, "message": "Internal error"}}
    """,
    good="""
        -> {"jsonrpc": "2.0", "id": 1, "method": "session/list", "params": {}}
        <- {"jsonrpc": "2.0", "id": 1, "result": {"sessions": []}}
    """,
)
def duplicate_response(_step: Step, facts: Facts) -> Iterator[Remark]:
    """
    ## What it does

    Reports a second response to the same request.

    ## Why it matters

    At best the second response is dropped. At worst the id was reused meanwhile, and another
    request gets the wrong response.

    The usual cause is an error handler around code that has already answered, or a cancellation
    that answers what the work then answers again.

    A response is not reported if the one before is an error of acp-spy's own, which the bridge to a
    remote agent sends when it has lost a stream.

    ## Use instead

    Answer in one place, after the work has ended in any way.
    """
    reason, exchange = facts.unmatched
    if reason == "again" and exchange and not exchange.is_failed_by_us:
        yield Remark(
            f"`{exchange.method}` (frame {exchange.seq}) was already answered; expected one response",
            at="/id",
            see=exchange.seq,
            hint="answer in one place, after the work has ended in any way",
        )
