"""A request for an unknown session is answered with an error."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._common import quoted
from acp_spy.lint.rules.lifecycle._examples import HANDSHAKE, NEW_SESSION, transcript
from acp_spy.protocol import events as ev
from acp_spy.wire.values import fields

_PROMPT = """
    -> {"jsonrpc": "2.0", "id": 2, "method": "session/prompt", "params": {"sessionId": "S1", "prompt": [{"type": "text", "text": "Fix the test"}]}}
"""
_BLIND = "a response that opened a session could not be read"


@rule(
    code="LIF032",
    name="unknown-session-accepted",
    severity=Severity.WARNING,
    summary="The agent accepted a request for a session that does not exist",
    on=("SessionOpened", "result:session/prompt"),
    version=1,
    covers=("SES-27", "PRM-14"),
    spec="https://agentclientprotocol.com/protocol/schema#errorcode",
    bad=transcript(
        HANDSHAKE,
        NEW_SESSION,
        _PROMPT,
        """
        <- {"jsonrpc": "2.0", "id": 2, "result": {"stopReason": "refusal"}}
        """,
    ),
    good=transcript(
        HANDSHAKE,
        NEW_SESSION,
        _PROMPT,
        """
        <- {"jsonrpc": "2.0", "id": 2, "error": {"code": -32002, "message": "Session not found", "data": {"sessionId": "S1"}}}
        """,
    ),
)
def unknown_session_accepted(step: Step, memory: dict[str, Any]) -> Iterator[Remark]:
    """
    ## What it does
    Reports successful responses to load, resume or prompt a session that does not exist. The
    specification requires error `-32002`.

    ## Why it matters
    The loss stays hidden: the user continues in a conversation that the agent does not know, or
    gets a `refusal` that the model never made.

    ## Use instead
    Answer with error `-32002` and `data.sessionId`.
    """
    session, exchange = step.session, step.exchange
    if isinstance(step.event, ev.SessionOpened):
        if step.event.session is None:
            memory[_BLIND] = True
        elif session is not None and session.closed == "delete" and step.event.how != "new":
            yield _remark(step, session.id, "was deleted")
        return
    if session is None or session.how != "used" or memory:
        return
    turn = session.turns.of(exchange)
    if turn is not None and (fields(step.body).get("stopReason") == "refusal" or not turn.shown):
        yield _remark(step, session.id, "was never opened on this connection")


def _remark(step: Step, session: str, why: str) -> Remark:
    return Remark(
        f"`{step.method}` succeeded for session {quoted(session)}, which {why}; expected error"
        " `-32002`",
        at="/result",
        see=step.exchange.seq if step.exchange else None,
        hint="answer with error `-32002` and `data.sessionId`",
    )
