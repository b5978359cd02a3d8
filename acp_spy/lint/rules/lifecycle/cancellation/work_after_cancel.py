"""The agent stops soon after `session/cancel`."""

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
_NEW_WORK = 1.0  # seconds after which nothing new should begin


@rule(
    code="LIF061",
    name="work-after-cancel",
    severity=Severity.WARNING,
    summary="The agent continued to work long after the turn was cancelled",
    on=("update:tool_call", "TurnEnded", "PermissionAnswered"),
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
    ## What it does
    Reports tool calls that begin more than 1 s after `session/cancel`, and turns that are answered
    more than 10 s after it. If the client answered a permission request later than that, the time
    is counted from its response.

    ## Why it matters
    The cancel did not reach the running work. The user waits, or sees files change.

    ## Use instead
    Pass the cancel on to the model and to every tool, and answer the prompt.
    """
    session = step.session
    turn = session.turn if session else None
    if turn is None or turn.cancelled_at is None:
        return
    if isinstance(step.event, ev.PermissionAnswered):
        remember(memory, ("waited", turn.exchange.seq), step.frame.t)  # until now, for the client
        return
    waited = memory.get(("waited", turn.exchange.seq))
    late = step.frame.t - (turn.cancelled_at if waited is None else waited)
    is_end = isinstance(step.event, ev.TurnEnded)
    if late <= (_SLOW if is_end else _NEW_WORK) or turn.exchange.seq in memory:
        return
    if not is_end:
        remember(memory, turn.exchange.seq, True)
    what = "the turn was answered" if is_end else "a tool call began"
    since = "`session/cancel`"
    if waited is not None:
        since = "the response to `session/request_permission` in a cancelled turn"
    yield Remark(
        f"{what} {late:.1f} s after {since}; expected the agent to stop before",
        at="" if is_end else "/params/update",
        see=turn.cancelled_seq,
        hint="pass the cancel on to the model and to every tool",
    )
