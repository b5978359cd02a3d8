"""A turn that is cancelled stops."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._examples import (
    CANCEL,
    CANCELLED,
    HANDSHAKE,
    NEW_SESSION,
    PROMPT,
    transcript,
)
from acp_spy.protocol import events as ev

_SLOW = 10.0  # seconds until a cancelled turn should be answered
_NEW_WORK = 1.0  # seconds after which nothing new should be begun


@rule(
    code="LIF061",
    name="work-after-cancel",
    severity=Severity.WARNING,
    summary="The agent worked on long after the turn was cancelled",
    on=("update:tool_call", "TurnEnded"),
    version=1,
    covers=("CAN-04",),
    spec="https://agentclientprotocol.com/protocol/prompt-turn#cancellation",
    bad=transcript(
        HANDSHAKE,
        NEW_SESSION,
        PROMPT,
        CANCEL,
        """
        @ 3
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "tool_call", "toolCallId": "t1", "title": "Run the tests", "status": "in_progress"}}}
        """,
        CANCELLED,
    ),
    good=transcript(HANDSHAKE, NEW_SESSION, PROMPT, CANCEL, CANCELLED),
)
def work_after_cancel(step: Step, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    After `session/cancel` the agent should stop the model and its tools as soon as it can, and
    answer. A tool call that is begun a second later, or an answer that takes ten, means that the
    cancellation did not reach what is running: its user waits, or sees files change.
    """
    session = step.session
    turn = session.turn if session else None
    if turn is None or turn.cancelled_at is None:
        return
    late = step.frame.t - turn.cancelled_at
    is_end = isinstance(step.event, ev.TurnEnded)
    if late <= (_SLOW if is_end else _NEW_WORK) or turn.exchange.seq in memory:
        return
    if not is_end:
        remember(memory, turn.exchange.seq, True)
    what = "the turn is answered" if is_end else "a tool call is begun"
    yield Remark(
        f"{what} {late:.1f} s after `session/cancel`; the agent should have stopped by then",
        at="" if is_end else "/params/update",
        see=turn.cancelled_seq,
        hint="pass the cancellation on to the model and to every tool",
    )
