"""To delete what is gone is no error."""

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
    summary="Deleting a session that is gone already was refused",
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
    To delete a session that is unknown or was deleted before should succeed without a word: what
    the client wants is the case. With an error, a client that tidies up shows its user a failure
    that is none.
    """
    exchange, session = step.exchange, step.session
    if error_code(step) != -32002 or exchange is None or exchange.session is None:
        return
    if session is None or session.closed == "delete":
        yield Remark(
            f"`session/delete` of {quoted(exchange.session)}, which is not there, is answered"
            " `-32002`; it should succeed",
            at="/error/code",
            see=exchange.seq,
            hint="answer `{}` when there is nothing to delete",
        )
