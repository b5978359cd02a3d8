"""The error for an unreadable message has a null id."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Step
from acp_spy.lint.envelope import error_code
from acp_spy.lint.facts import Facts
from acp_spy.lint.noise import quote
from acp_spy.lint.pairing import PARSE_ERROR
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.wire.jsonrpc import Response


@rule(
    code="RPC011",
    name="invented-error-id",
    severity=Severity.ERROR,
    summary="A parse error has an id that no request has",
    on=("unmatched", "unreadable", "error"),
    covers=("RPC-11",),
    spec="https://www.jsonrpc.org/specification#response_object",
    bad="""
        -> {"jsonrpc": "2.0", "id": 5, "method"
        <- {"jsonrpc": "2.0", "id": -1, "error": {"code": -32700, "message": "Parse error"}}
    """,
    good="""
        -> {"jsonrpc": "2.0", "id": 5, "method"
        <- {"jsonrpc": "2.0", "id": null, "error": {"code": -32700, "message": "Parse error"}}
    """,
)
def invented_error_id(step: Step, facts: Facts, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does

    Reports errors about unreadable messages (-32700, -32600) that have an id other than null.

    ## Why it matters

    The id of a message that cannot be read is not known. An invented id, such as 0 or -1, belongs
    to no request, or worse, to another one, which then fails for no reason.

    ## Use instead

    Send `"id": null`.
    """
    if type(step.message) is not Response:
        memory[step.frame.sender] = step.frame.seq
        return
    ident = quote(step.message.id)
    if step.exchange is None:
        if facts.unmatched[0] != "invented":
            return
        seen = f"the error about an unreadable message has the id {ident}, which no request has"
    else:
        unread = memory.get(step.exchange.sender, 0)
        if error_code(step) != PARSE_ERROR or unread < step.exchange.seq:
            return
        seen = f"the parse error has the id {ident} of `{step.method}`, which is readable"
    yield Remark(
        f"{seen}; expected `null`",
        at="/id",
        see=memory.get(step.frame.sender.other),
        hint='send `"id": null` when the id is not known',
    )
