"""A session survives the cancel of a turn."""

import re
from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.envelope import error_code
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._common import GONE, error_text, is_attached, quoted
from acp_spy.lint.rules.lifecycle._examples import (
    CANCEL,
    CANCELLED,
    HANDSHAKE,
    NEW_SESSION,
    PROMPT,
    transcript,
)
from acp_spy.wire.values import fields

_NEXT = """
    -> {"jsonrpc": "2.0", "id": 3, "method": "session/prompt", "params": {"sessionId": "s1", "prompt": [{"type": "text", "text": "Try again"}]}}
"""
_INTERNAL_ERROR = -32603
_UPSTREAM = re.compile(r"quota|rate.?limit|overloaded|upstream|\bapi\b|\b[45]\d\d\b|credit|billing")


@rule(
    code="LIF067",
    name="session-lost-after-cancel",
    severity=Severity.ERROR,
    summary="After a cancelled turn the session does not work any more",
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
    ## What it does
    Reports a prompt after a cancelled turn that is refused because the session does not exist any
    more, or that fails with an internal error although prompts before the cancel were answered.

    ## Why it matters
    `session/cancel` ends the turn, not the session. The user loses the whole conversation for one
    "stop".

    ## Use instead
    End only the turn on `session/cancel`, and keep the session.
    """
    session = step.session
    if session is None or not is_attached(session):
        return
    if not session.last_turn_cancelled:
        return
    text, code = error_text(step), error_code(step)
    is_gone = code == -32002 or ("session" in text and any(word in text for word in GONE))
    if is_gone or (code == _INTERNAL_ERROR and not _UPSTREAM.search(text)):
        why = "was refused because the session does not exist" if is_gone else "failed"
        error = "" if is_gone else f" ({quoted(fields(step.body).get('message'))})"
        yield Remark(
            f"the prompt after a cancelled turn {why}{error}; expected the session to survive",
            at="/error",
            see=step.exchange.seq if step.exchange else None,
            hint="end only the turn on `session/cancel`",
        )
