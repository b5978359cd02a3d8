"""The id of a request is a string or an integer."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.noise import quote
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.wire.jsonrpc import Request
from acp_spy.wire.values import fields

_MOST = 2**63


@rule(
    code="RPC004",
    name="invalid-request-id",
    severity=Severity.ERROR,
    summary="The id of a request is not a string or an integer",
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
def invalid_request_id(step: Step) -> Iterator[Remark]:
    """
    ## What it does

    Reports request ids that are not strings or 64-bit integers: fractions, objects, booleans, and
    larger numbers. A null id is a warning in version 1 and an error in version 2.

    ## Why it matters

    A response is matched by its id, so the id must come back exactly as it was sent. Other values
    are refused or come back changed. The response to a request with a null id looks like a parse
    error.

    ## Use instead

    Use integers or strings. To send a notification, omit `id`.
    """
    if step.is_plain or not isinstance(step.message, Request):
        return  # nearly all are plain, and have an id that is
    ident = step.message.id
    if ident[:1] == b'"':
        return
    if ident == b"null":
        version = step.state.version
        if step.method == "initialize":
            version = fields(step.body).get("protocolVersion")
        draft = version == 2
        yield Remark(
            f"the id of `{step.method}` is null; "
            + ("version 2 forbids it" if draft else "its response looks like a parse error"),
            at="/id",
            severity=Severity.ERROR if draft else Severity.WARNING,
            hint="use an integer or a string; omit `id` to send a notification",
        )
    elif not ident.removeprefix(b"-").isdigit() or abs(_number(ident)) >= _MOST:
        yield Remark(
            f"the id of `{step.method}` is {quote(ident)}; expected a string or a 64-bit integer",
            at="/id",
            hint="use integers or strings as ids",
        )


def _number(ident: bytes) -> int:
    return int(ident) if len(ident) < 40 else _MOST
