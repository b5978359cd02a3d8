"""Error codes have the meaning that ACP defines."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.envelope import error_code
from acp_spy.lint.rule import Remark, Severity, rule

_MEANINGS = frozenset((-32700, -32600, -32601, -32602, -32603, -32800, -32000, -32002))
_UNSUPPORTED_VERSION = -32022
_NOTES = {
    -32001: "`-32000` means authentication required, `-32002` not found",
    -32042: "drafts until July 2026 requested a URL elicitation with it",
    -32801: "a cancelled request is answered with `-32800`",
}


@rule(
    code="RPC017",
    name="reserved-error-code",
    severity=Severity.WARNING,
    summary="An error code is reserved, or is an HTTP status",
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
    ## What it does

    Reports error codes from -32768 to -32000 that ACP does not define, and (as a note) codes that
    look like an HTTP status.

    ## Why it matters

    Peers decide by the code what to do next. The codes from -32768 to -32000 are reserved for
    JSON-RPC and ACP: parse error -32700, invalid request -32600, unknown method -32601, invalid
    params -32602, internal error -32603, cancelled -32800, authentication required -32000, not
    found -32002. A later version may give the others a meaning.

    ## Use instead

    Use one of these codes, or a code outside the reserved range.
    """
    code = error_code(step)
    if code is None or code in _MEANINGS:
        return
    if code == _UNSUPPORTED_VERSION and step.method == "initialize":
        return
    if -32768 <= code <= -32000:
        note = _NOTES.get(code, "")
        yield Remark(
            f"the error code `{code}` is reserved and has no meaning in ACP"
            + (f"; {note}" if note else ""),
            at="/error/code",
            hint="use one of ACP's codes, or one outside -32768 to -32000",
        )
    elif 100 <= code <= 599:
        yield Remark(
            f"the error code `{code}` looks like an HTTP status, which has no meaning in ACP",
            at="/error/code",
            severity=Severity.NOTE,
            hint="use `-32603`, or `-32000` if the user must sign in; put the status into `data`",
        )
