"""The id of a request is a string or an integer."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.noise import quote
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.wire.jsonrpc import Request

_MOST = 2**63


@rule(
    code="RPC004",
    name="bad-request-id",
    severity=Severity.ERROR,
    summary="The id of a request is neither a string nor an integer",
    on=("request",),
    covers=("RPC-04", "V2-22"),
    spec="https://www.jsonrpc.org/specification#request_object",
    bad="""
        -> {"jsonrpc": "2.0", "id": 1.5, "method": "session/list", "params": {}}
        <- {"jsonrpc": "2.0", "id": 1.5, "result": {"sessions": []}}
    """,
    good="""
        -> {"jsonrpc": "2.0", "id": 1, "method": "session/list", "params": {}}
        <- {"jsonrpc": "2.0", "id": 1, "result": {"sessions": []}}
    """,
)
def bad_request_id(step: Step) -> Iterator[Remark]:
    """
    The answer is found by the id, so the id has to come back as it was sent. Strings and integers
    of 64 bits do; fractions, objects and `true` are refused or come back changed.

    A null id is discouraged in version 1, since an answer to null is also what a parse error looks
    like, and forbidden in version 2. A message that wants no answer has no `id` at all.
    """
    if not isinstance(step.message, Request):
        return
    ident = step.message.id
    if ident[:1] == b'"':
        return
    if ident == b"null":
        draft = step.state.version == 2
        yield Remark(
            f"the id of `{step.method}` is null, "
            + ("which version 2 forbids" if draft else "and its answer looks like a parse error's"),
            at="/id",
            severity=Severity.ERROR if draft else Severity.WARNING,
            hint="use a number or a string; leave `id` out if no answer is wanted",
        )
    elif not ident.removeprefix(b"-").isdigit() or abs(_number(ident)) >= _MOST:
        yield Remark(
            f"the id of `{step.method}` is {quote(ident)}; expected a string or a 64-bit integer",
            at="/id",
            hint="count requests with integers, or name them with strings",
        )


def _number(ident: bytes) -> int:
    return int(ident) if len(ident) < 40 else _MOST
