"""A deleted session is not listed."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._common import quoted
from acp_spy.lint.rules.lifecycle._examples import HANDSHAKE, NEW_SESSION, transcript
from acp_spy.protocol import events as ev
from acp_spy.wire.values import fields, items

_DELETED = """
    -> {"jsonrpc": "2.0", "id": 2, "method": "session/delete", "params": {"sessionId": "s1"}}
    <- {"jsonrpc": "2.0", "id": 2, "result": {}}
    -> {"jsonrpc": "2.0", "id": 3, "method": "session/list", "params": {}}
"""


@rule(
    code="LIF044",
    name="deleted-session-listed",
    severity=Severity.WARNING,
    summary="`session/list` returned a session that was deleted",
    on=("result:session/delete", "result:session/list", "SessionOpened"),
    covers=("DEL-02",),
    spec="https://agentclientprotocol.com/protocol/session-delete",
    bad=transcript(
        HANDSHAKE,
        NEW_SESSION,
        _DELETED,
        """
        <- {"jsonrpc": "2.0", "id": 3, "result": {"sessions": [{"sessionId": "s1", "cwd": "/home/dev/project"}]}}
        """,
    ),
    good=transcript(
        HANDSHAKE,
        NEW_SESSION,
        _DELETED,
        """
        <- {"jsonrpc": "2.0", "id": 3, "result": {"sessions": []}}
        """,
    ),
)
def deleted_session_listed(step: Step, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does
    Reports sessions in the result of `session/list` for which `session/delete` succeeded.

    ## Why it matters
    The user deleted the session and sees it again.

    ## Use instead
    Omit deleted sessions from the list, or let the deletion fail.
    """
    exchange = step.exchange
    if exchange is None:
        return
    if isinstance(step.event, ev.SessionClosed | ev.SessionOpened):
        name = step.event.session
        memory.pop(name, None)
        if name is not None and isinstance(step.event, ev.SessionClosed):
            remember(memory, name, step.frame.seq)
        return
    for index, session in enumerate(items(fields(step.body).get("sessions"))):
        name = fields(session).get("sessionId")
        deleted = memory.get(name) if isinstance(name, str) else None
        if deleted is not None and exchange.seq > deleted:
            yield Remark(
                f"session {quoted(name)} was listed, although `session/delete` succeeded for it",
                at=f"/result/sessions/{index}/sessionId",
                see=deleted,
                hint="omit deleted sessions from the list, or let the deletion fail",
            )
