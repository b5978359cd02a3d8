"""The outcome `cancelled` belongs to a turn that was cancelled."""

from collections.abc import Iterable, Iterator
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._lost_frames import named
from acp_spy.lint.rules.lifecycle._opening import PERMISSION
from acp_spy.wire.frame import Peer
from acp_spy.wire.jsonrpc import Unreadable
from acp_spy.wire.values import fields

_CANCELLED = """
        -> {"jsonrpc": "2.0", "id": 0, "result": {"outcome": {"outcome": "cancelled"}}}
"""
_REST = """
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "tool_call_update", "toolCallId": "call_1", "status": "failed"}}}
        <- {"jsonrpc": "2.0", "id": 2, "result": {"stopReason": "cancelled"}}
"""


@rule(
    code="LIF118",
    name="cancelled-permission-without-cancel",
    severity=Severity.WARNING,
    summary="A permission was answered `cancelled`, but the turn was not cancelled",
    on=(
        "result:session/request_permission",
        "notification:session/cancel",
        "notification:$/cancel_request",
        "request:session/close",
        "TurnEnded",
        "lost",
    ),
    covers=("PER-10",),
    spec="https://agentclientprotocol.com/protocol/tool-calls#requesting-permission",
    bad=PERMISSION + _CANCELLED + _REST,
    good=PERMISSION
    + _CANCELLED
    + """
        -> {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "s1"}}
"""
    + _REST,
)
def cancelled_permission_without_cancel(step: Step, waiting: dict[Any, Any]) -> Iterator[Remark]:
    """
    In version 1 the outcome `cancelled` says that the whole turn was cancelled with
    `session/cancel`. A user who says no to one tool call has chosen an option that rejects.

    An agent that reads `cancelled` stops the turn, although the user only refused one step; or it
    goes on, and the user who closed the question does not learn what became of it.

    Answer with a `reject_once` option, or send `session/cancel` as well. Which of the two comes
    first does not matter: the turn is judged when it ends. A cancellation in a broken frame counts.
    """
    if isinstance(step.message, Unreadable):
        if step.frame.sender is Peer.CLIENT:
            _excuse(named(step, "sessionId"), step, waiting)
        return
    session = str(fields(step.exchange.params if step.exchange else step.body).get("sessionId"))
    if step.method == "session/prompt":
        if (seq := waiting.pop(session, None)) is not None:
            yield Remark(
                "outcome `cancelled`, but no `session/cancel` came before the turn's end",
                on=seq,
                at="/result/outcome/outcome",
                see=step.frame.seq,
                blame=Peer.CLIENT,
                hint="choose a `reject_once` option, or cancel the turn with `session/cancel`",
            )
    elif step.method == "$/cancel_request":
        waiting.clear()  # whatever it withdraws, there is a cancellation
    elif step.method != "session/request_permission":
        if step.method == "session/cancel" and step.session is None:
            _excuse(step.state.sessions, step, waiting)  # it names the wrong one
        waiting.pop(session, None)
    elif ("cancelled", session, step.session and step.session.turn_count) in waiting:
        return
    elif fields(fields(step.body).get("outcome")).get("outcome") == "cancelled" and _is_unusual(
        step
    ):
        remember(waiting, session, waiting.get(session, step.frame.seq))


def _excuse(sessions: Iterable[str], step: Step, waiting: dict[Any, Any]) -> None:
    """Take a frame of the client that went wrong for the cancellation of these sessions' turns."""
    for name in sessions:
        waiting.pop(name, None)
        if session := step.state.sessions.get(name):
            remember(waiting, ("cancelled", name, session.turn_count))


def _is_unusual(step: Step) -> bool:
    """Tell whether nothing so far explains the outcome."""
    turn = step.session.turn if step.session else None
    if turn is None or turn.cancelled_at is not None or turn.exchange.cancelled_at is not None:
        return False
    if step.exchange is None or step.exchange.cancelled_at is not None or step.state.version == 2:
        return False
    return not any(step.state.pending.about("session/close", step.exchange.session))
