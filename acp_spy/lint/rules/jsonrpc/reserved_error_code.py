"""Error codes mean what they say."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.envelope import error_code
from acp_spy.lint.rule import Remark, Severity, rule

_MEANINGS = frozenset((-32700, -32600, -32601, -32602, -32603, -32800, -32000, -32002))
_UNSUPPORTED_VERSION = -32022
_NOTES = {
    -32001: "sign in first is `-32000`, not found is `-32002`",
    -32042: "it asked for a URL elicitation in drafts until July 2026",
    -32801: "`-32800` is what a cancelled request is answered with",
}


@rule(
    code="RPC017",
    name="reserved-error-code",
    severity=Severity.WARNING,
    summary="An error code is reserved, or means something elsewhere",
    on=("error",),
    covers=("RPC-17",),
    spec="https://agentclientprotocol.com/protocol/schema#errorcode",
    bad="""
        -> {"jsonrpc": "2.0", "id": 1, "method": "session/list", "params": {}}
        <- {"jsonrpc": "2.0", "id": 1, "error": {"code": -32004, "message": "Not supported"}}
    """,
    good="""
        -> {"jsonrpc": "2.0", "id": 1, "method": "session/list", "params": {}}
        <- {"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "Method not found"}}
    """,
)
def reserved_error_code(step: Step) -> Iterator[Remark]:
    """
    The codes from -32768 to -32000 belong to JSON-RPC and to ACP: parse error -32700, invalid
    request -32600, unknown method -32601, invalid params -32602, internal error -32603, cancelled
    -32800, sign in first -32000, not found -32002. A peer decides by them what to do next; with
    another one from that range it can only guess, and a later version may give it a meaning.

    Codes outside that range are free. An HTTP status is legal there, but no peer expects it.
    """
    code = error_code(step)
    if code is None or code in _MEANINGS:
        return
    if code == _UNSUPPORTED_VERSION and step.method == "initialize":
        return
    if -32768 <= code <= -32000:
        note = _NOTES.get(code, "")
        yield Remark(
            f"the error code `{code}` is reserved, and ACP gives it no meaning"
            + (f"; {note}" if note else ""),
            at="/error/code",
            hint="use one of ACP's codes, or one outside -32768 to -32000",
        )
    elif 100 <= code <= 599:
        yield Remark(
            f"the error code `{code}` looks like an HTTP status, which tells an ACP peer nothing",
            at="/error/code",
            severity=Severity.NOTE,
            hint="use `-32603`, or `-32000` when the user has to sign in; keep the status in `data`",
        )
