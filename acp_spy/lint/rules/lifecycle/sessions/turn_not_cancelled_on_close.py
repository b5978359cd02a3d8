"""`session/close` cancels the open turn."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Step
from acp_spy.lint.races import may_have_crossed
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._common import quoted
from acp_spy.lint.rules.lifecycle._examples import HANDSHAKE, NEW_SESSION, PROMPT, transcript
from acp_spy.protocol import events as ev

_CLOSE = """
    -> {"jsonrpc": "2.0", "id": 3, "method": "session/close", "params": {"sessionId": "s1"}}
    @ 2
"""
_CLOSED = """
    <- {"jsonrpc": "2.0", "id": 3, "result": {}}
"""


@rule(
    code="LIF027",
    name="turn-not-cancelled-on-close",
    severity=Severity.ERROR,
    summary="A turn was not cancelled when its session was closed",
    on=("request:session/close", "error:session/close", "TurnEnded"),
    version=1,
    covers=("SES-15",),
    spec="https://agentclientprotocol.com/protocol/session-setup#closing-active-sessions",
    bad=transcript(
        HANDSHAKE,
        NEW_SESSION,
        PROMPT,
        _CLOSE,
        _CLOSED,
        """
        <- {"jsonrpc": "2.0", "id": 2, "result": {"stopReason": "end_turn"}}
        """,
    ),
    good=transcript(
        HANDSHAKE,
        NEW_SESSION,
        PROMPT,
        _CLOSE,
        """
        <- {"jsonrpc": "2.0", "id": 2, "result": {"stopReason": "cancelled"}}
        """,
        _CLOSED,
    ),
)
def turn_not_cancelled_on_close(step: Step, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does
    Reports a turn that was open when its session was closed and did not end with `cancelled`.
    `session/close` first cancels the work of the session, as `session/cancel` does.

    ## Why it matters
    The agent changes files for a session that the user has closed.

    ## Use instead
    Cancel the open turn before closing its session.
    """
    exchange, session = step.exchange, step.session
    if exchange is None or session is None:
        return
    if step.method == "session/close":
        memory.pop(session.id, None)
        if session.turns and not isinstance(step.event, ev.SessionClosed):
            remember(memory, session.id, (step.frame.t, step.frame.seq, exchange.seq))
        if step.frame.seq != exchange.seq:  # refused: the session stays open
            memory.pop(session.id, None)
        return
    if session.id not in memory or not isinstance(step.event, ev.TurnEnded):
        return
    t, seq, _ = memory[session.id]
    turn = session.turns.of(exchange)
    if turn is None or turn.cancelled_at is not None or exchange.seq > seq:
        return
    reason = step.event.stop_reason
    if reason != "cancelled" and not may_have_crossed(step, t, seq):
        ended = f"ended with {quoted(reason)}" if reason is not None else "ended in an error"
        yield Remark(
            f"the turn {ended}, {step.frame.t - t:.1f} s after `session/close`; expected"
            " `cancelled`",
            at="/result/stopReason" if reason is not None else "/error",
            see=seq,
            hint="cancel the open turn before closing its session",
        )
