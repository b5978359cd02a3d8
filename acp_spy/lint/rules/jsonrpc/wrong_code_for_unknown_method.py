"""An unknown method is refused with `-32601`."""

import re
from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.envelope import error_code
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.wire.values import fields

METHOD_NOT_FOUND = -32601
_SAYS_SO = re.compile(
    r"(?:unknown|unsupported|unrecogni[sz]ed|no such|invalid) method|method not (?:found|supported)"
    r"|method .{0,60}(?:not found|not implemented|not supported|does not exist|unknown)"
    r"|^not implemented",
    re.IGNORECASE,
)


@rule(
    code="RPC012",
    name="wrong-code-for-unknown-method",
    severity=Severity.WARNING,
    summary="An unknown method is refused with a code other than -32601",
    on=("error",),
    covers=("RPC-12",),
    spec="https://agentclientprotocol.com/protocol/extensibility#custom-requests",
    bad="""
        -> {"jsonrpc": "2.0", "id": 3, "method": "session/set_mode", "params": {"sessionId": "s1", "modeId": "ask"}}
        <- {"jsonrpc": "2.0", "id": 3, "error": {"code": -32603, "message": "Method not found"}}
    """,
    good="""
        -> {"jsonrpc": "2.0", "id": 3, "method": "session/set_mode", "params": {"sessionId": "s1", "modeId": "ask"}}
        <- {"jsonrpc": "2.0", "id": 3, "error": {"code": -32601, "message": "Method not found"}}
    """,
)
def wrong_code_for_unknown_method(step: Step) -> Iterator[Remark]:
    """
    ## What it does

    Reports an error that says that the method is unknown, but has another code than -32601.

    ## Why it matters

    The code -32601 says that the peer does not have the method. The other peer then works without
    the feature. With another code it looks as if the feature existed and failed: the request is
    sent again, or the user sees an error.

    ## Use instead

    Use -32601 for methods that you do not implement.
    """
    code, said = error_code(step), fields(step.body).get("message")
    if step.exchange is None or code in (None, METHOD_NOT_FOUND) or not isinstance(said, str):
        return
    if _SAYS_SO.search(said[:300]):
        yield Remark(
            f"`{step.method}` is refused as unknown with the code `{code}`; expected `-32601`",
            at="/error/code",
            see=step.exchange.seq,
            hint="use `-32601` for methods that you do not implement",
        )
