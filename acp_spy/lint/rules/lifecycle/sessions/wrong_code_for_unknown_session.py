"""A session that does not exist has its own error code."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.envelope import error_code
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._common import GONE, error_text, quoted
from acp_spy.lint.rules.lifecycle._examples import HANDSHAKE, NEW_SESSION, transcript

_NOT_FOUND = -32002
_OTHER_REASONS = (-32000, -32601, -32800)  # login required, unknown method, cancelled
_LOAD = """
    -> {"jsonrpc": "2.0", "id": 3, "method": "session/load", "params": {"sessionId": "s9", "cwd": "/home/dev/project", "mcpServers": []}}
"""


@rule(
    code="LIF034",
    name="wrong-code-for-unknown-session",
    severity=Severity.NOTE,
    summary="An unknown session is refused with a code other than -32002",
    on=(
        "error:session/prompt",
        "error:session/load",
        "error:session/resume",
        "error:session/set_mode",
        "error:session/set_config_option",
    ),
    covers=("SES-27", "PRM-14"),
    spec="https://agentclientprotocol.com/protocol/schema#errorcode",
    since="0.2",
    bad=transcript(
        HANDSHAKE,
        NEW_SESSION,
        _LOAD,
        """
        <- {"jsonrpc": "2.0", "id": 3, "error": {"code": -32603, "message": "Session not found"}}
        """,
    ),
    good=transcript(
        HANDSHAKE,
        NEW_SESSION,
        _LOAD,
        """
        <- {"jsonrpc": "2.0", "id": 3, "error": {"code": -32002, "message": "Session not found"}}
        """,
    ),
)
def wrong_code_for_unknown_session(step: Step) -> Iterator[Remark]:
    """
    ## What it does
    Reports an error for a session that does not exist, if its code is not -32002 (resource not
    found). An error of `session/load` or `session/resume` must say so; for other methods the session
    was never opened on this connection.

    ## Why it matters
    With this code a client knows that the session is gone, and can offer a new one. Other codes are
    shown as a failure.

    ## Use instead
    Answer with error -32002.
    """
    session, exchange, code = step.session, step.exchange, error_code(step)
    if exchange is None or exchange.session is None or not isinstance(code, int):
        return
    if code == _NOT_FOUND or code in _OTHER_REASONS:
        return
    if step.method in ("session/load", "session/resume") and not _says_so(step):
        return
    if step.state.dialects.is_suspicious:
        return  # a dialect has codes of its own
    if session is None or session.how == "used":
        yield Remark(
            f"session {quoted(exchange.session)}, which does not exist here, was refused with"
            f" `{code}`; expected `{_NOT_FOUND}`",
            at="/error/code",
            see=exchange.seq,
            hint=f"answer with error `{_NOT_FOUND}` and `data.sessionId`",
        )


def _says_so(step: Step) -> bool:
    text = error_text(step)
    return "session" in text and any(word in text for word in (*GONE, "invalid"))
