"""All tool calls of a turn are finished when it ends."""

from collections.abc import Iterator
from itertools import takewhile
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._common import is_attached, quoted
from acp_spy.lint.rules.lifecycle._examples import (
    END_TURN,
    HANDSHAKE,
    NEW_SESSION,
    PROMPT,
    transcript,
)
from acp_spy.lint.rules.lifecycle._lost_frames import is_lost_update, named
from acp_spy.wire.jsonrpc import Response
from acp_spy.wire.values import fields

_CALL = """
    <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "tool_call", "toolCallId": "t1", "title": "Run the tests", "status": "in_progress"}}}
"""


@rule(
    code="LIF054",
    name="tool-call-left-open",
    severity=Severity.WARNING,
    summary="A turn ended while a tool call was still open",
    on=("result:session/prompt", "changed:unknown", "changed:ended", "mismatch", "lost"),
    version=1,
    covers=("PRM-11",),
    spec="https://agentclientprotocol.com/protocol/prompt-turn#4-check-for-completion",
    bad=transcript(HANDSHAKE, NEW_SESSION, PROMPT, _CALL, END_TURN),
    good=transcript(
        HANDSHAKE,
        NEW_SESSION,
        PROMPT,
        _CALL,
        """
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "tool_call_update", "toolCallId": "t1", "status": "completed"}}}
        """,
        END_TURN,
    ),
)
def tool_call_left_open(step: Step, facts: Facts, excused: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does
    Reports tool calls that are neither `completed` nor `failed` when their turn ends. Cancelled
    turns are not reported, because the client marks open tool calls as cancelled. Nor are tool
    calls whose updates another rule reports.

    ## Why it matters
    The client shows the tool call as running forever.

    ## Use instead
    Send a last `tool_call_update` for each tool call before answering the prompt.
    """
    if not isinstance(step.message, Response):
        _note(step, facts, excused)
        return
    if step.method != "session/prompt" or not step.message.result:
        return
    session, exchange = step.session, step.exchange
    if session is None or exchange is None or not is_attached(session):
        return
    if fields(step.body).get("stopReason") == "cancelled" or len(session.turns) != 1:
        return
    turn = session.turns[0]
    if turn.exchange is not exchange or turn.cancelled_at is not None:
        return
    of_turn = takewhile(lambda call: call.seq > exchange.seq, reversed(session.tool_calls.values()))
    left = [
        call
        for call in reversed(list(of_turn))
        if call.status in ("pending", "in_progress")
        and excused.keys().isdisjoint((call.id, (session.id, call.id)))
    ]
    if left:
        names = ", ".join(f"{quoted(call.id)} (`{call.status}`)" for call in left[:4])
        more = f" and {len(left) - 4} more" if len(left) > 4 else ""
        yield Remark(
            f"the turn ended with open tool calls: {names}{more}; expected `completed` or `failed`"
            " before",
            at="/result",
            see=left[0].seq,
            hint="send a last `tool_call_update` for each before answering the prompt",
        )


def _note(step: Step, facts: Facts, excused: dict[Any, Any]) -> None:
    """Remember a tool call with a new status after its end, or with an unreadable update."""
    if is_lost_update(step, facts):
        for lost in named(step, "toolCallId"):
            remember(excused, lost, True)
        return
    _, sent = facts.tool_call
    name = sent.get("toolCallId")
    if "status" not in sent or not isinstance(name, str):
        return
    if step.session is None or step.session.how == "used":
        remember(excused, name, True)  # it may have ended here, with the wrong session id
        return
    call = step.session.tool_calls.get(name)
    if call is not None and not call.is_open and sent["status"] != call.status:
        remember(excused, (step.session.id, name), True)
