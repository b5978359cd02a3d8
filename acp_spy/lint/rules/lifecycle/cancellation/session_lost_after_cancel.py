"""A turn is cancelled, not its session."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.envelope import error_code
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._common import error_text, is_attached
from acp_spy.lint.rules.lifecycle._examples import (
    CANCEL,
    CANCELLED,
    HANDSHAKE,
    NEW_SESSION,
    PROMPT,
    transcript,
)

_NEXT = """
    -> {"jsonrpc": "2.0", "id": 3, "method": "session/prompt", "params": {"sessionId": "s1", "prompt": [{"type": "text", "text": "Try again"}]}}
"""
_GONE = ("not found", "unknown", "no such", "not exist", "doesn't exist", "not active", "closed")


@rule(
    code="LIF067",
    name="session-lost-after-cancel",
    severity=Severity.ERROR,
    summary="After a cancelled turn the session was gone",
    on=("error:session/prompt",),
    version=1,
    covers=("CAN-14",),
    spec="https://agentclientprotocol.com/protocol/prompt-turn#cancellation",
    bad=transcript(
        HANDSHAKE,
        NEW_SESSION,
        PROMPT,
        CANCEL,
        CANCELLED,
        _NEXT,
        """
        <- {"jsonrpc": "2.0", "id": 3, "error": {"code": -32002, "message": "Session not found"}}
        """,
    ),
    good=transcript(
        HANDSHAKE,
        NEW_SESSION,
        PROMPT,
        CANCEL,
        CANCELLED,
        _NEXT,
        """
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "Once more."}}}}
        <- {"jsonrpc": "2.0", "id": 3, "result": {"stopReason": "end_turn"}}
        """,
    ),
)
def session_lost_after_cancel(step: Step) -> Iterator[Remark]:
    """
    `session/cancel` ends the turn; the session lives on and takes the next prompt. An agent that
    throws its session away with the turn costs its user the whole conversation for one "stop".
    """
    session = step.session
    if session is None or not is_attached(session):
        return
    if not session.last_turn_cancelled:
        return
    text = error_text(step)
    if error_code(step) == -32002 or ("session" in text and any(word in text for word in _GONE)):
        yield Remark(
            "the prompt after a cancelled turn is refused because the session is gone; it should"
            " have survived",
            at="/error",
            see=step.exchange.seq if step.exchange else None,
            hint="end the turn alone on `session/cancel`",
        )
