"""`-32000` means that the user must sign in."""

import re
from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.envelope import error_code
from acp_spy.lint.noise import quote
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.protocol.names import AUTH_REQUIRED

_OTHER = re.compile(
    r"quota|rate.?limit|too many requests|overloaded|billing|credit|timed? ?out|timeout"
    r"|not found|invalid (?:param|request)|unknown (?:session|method)|busy|in progress",
    re.IGNORECASE,
)
_SIGN_IN = re.compile(r"auth|log.?in|sign.?in|api.?key|credential|token|unauthori", re.IGNORECASE)


@rule(
    code="RPC018",
    name="misused-auth-error",
    severity=Severity.WARNING,
    summary="The code `-32000` (authentication required) is used for an unrelated error",
    on=("error",),
    covers=("RPC-18",),
    spec="https://agentclientprotocol.com/protocol/schema#errorcode",
    bad="""
        -> {"jsonrpc": "2.0", "id": 3, "method": "session/prompt", "params": {"sessionId": "s1", "prompt": []}}
        <- {"jsonrpc": "2.0", "id": 3, "error": {"code": -32000, "message": "Rate limit exceeded"}}
    """,
    good="""
        -> {"jsonrpc": "2.0", "id": 3, "method": "session/prompt", "params": {"sessionId": "s1", "prompt": []}}
        <- {"jsonrpc": "2.0", "id": 3, "error": {"code": -32603, "message": "Rate limit exceeded"}}
    """,
)
def misused_auth_error(step: Step) -> Iterator[Remark]:
    """
    ## What it does

    Reports errors with the code -32000 whose message is about something other than signing in: a
    quota, a timeout, a missing session.

    ## Why it matters

    A client that gets -32000 asks the user to sign in. For an unrelated error this does not help,
    and the user gets the same error again.

    ## Use instead

    Use -32603 for internal errors, -32002 for what does not exist, -32602 for invalid params.
    """
    if error_code(step) != AUTH_REQUIRED:
        return
    said = step.body.get("message")
    if isinstance(said, str) and _OTHER.search(said[:300]) and not _SIGN_IN.search(said[:300]):
        yield Remark(
            f"{quote(said.encode())} has the code `-32000`, which means that the user must sign in",
            at="/error/code",
            hint="use `-32603`, `-32002` or `-32602`",
        )
