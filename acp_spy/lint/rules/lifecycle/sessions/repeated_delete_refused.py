"""Deleting a session that does not exist succeeds."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.envelope import error_code
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._common import quoted
from acp_spy.lint.rules.lifecycle._examples import HANDSHAKE, NEW_SESSION, transcript

_DELETED_TWICE = """
    -> {"jsonrpc": "2.0", "id": 2, "method": "session/delete", "params": {"sessionId": "s1"}}
    <- {"jsonrpc": "2.0", "id": 2, "result": {}}
    -> {"jsonrpc": "2.0", "id": 3, "method": "session/delete", "params": {"sessionId": "s1"}}
"""


@rule(
    code="LIF045",
    name="repeated-delete-refused",
    severity=Severity.WARNING,
    summary="Deleting a session that does not exist was refused",
    on=("error:session/delete",),
    covers=("DEL-03",),
    spec="https://agentclientprotocol.com/protocol/session-delete",
    bad=transcript(
        HANDSHAKE,
        NEW_SESSION,
        _DELETED_TWICE,
        """
        <- {"jsonrpc": "2.0", "id": 3, "error": {"code": -32002, "message": "Session not found"}}
        """,
    ),
    good=transcript(
        HANDSHAKE,
        NEW_SESSION,
        _DELETED_TWICE,
        """
        <- {"jsonrpc": "2.0", "id": 3, "result": {}}
        """,
    ),
)
def repeated_delete_refused(step: Step) -> Iterator[Remark]:
    """
    ## What it does
    Reports error `-32002` for `session/delete` of a session that is unknown or already deleted.

    ## Why it matters
    The session does not exist, which is what the client requested. With an error, the client shows
    the user a failure for nothing.

    ## Use instead
    Answer `{}` if there is nothing to delete.
    """
    exchange, session = step.exchange, step.session
    if error_code(step) != -32002 or exchange is None or exchange.session is None:
        return
    if session is None or session.closed == "delete":
        yield Remark(
            f"`session/delete` of session {quoted(exchange.session)}, which does not exist, was answered with"
            " `-32002`; expected success",
            at="/error/code",
            see=exchange.seq,
            hint="answer `{}` if there is nothing to delete",
        )
