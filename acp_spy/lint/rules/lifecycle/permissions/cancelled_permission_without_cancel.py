"""The outcome `cancelled` belongs to a cancelled turn."""

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
    summary="A permission request was answered `cancelled`, but the turn was not cancelled",
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
    ## What it does

    Reports the outcome `cancelled` in a turn that ends without `session/cancel`. In version 1 this
    outcome means that the whole turn was cancelled. The cancel may come before or after the
    response, and may be in a broken frame.

    ## Why it matters

    The agent stops the whole turn although the user rejected one tool call, or it continues and the
    user does not learn what happened.

    ## Use instead

    Select a `reject_once` option, or cancel the turn with `session/cancel`.
    """
    if isinstance(step.message, Unreadable):
        if step.frame.sender is Peer.CLIENT:
            _excuse(named(step, "sessionId"), step, waiting)
        return
    session = str(fields(step.exchange.params if step.exchange else step.body).get("sessionId"))
    if step.method == "session/prompt":
        if (seq := waiting.pop(session, None)) is not None:
            yield Remark(
                "outcome is `cancelled`, but the turn ended without `session/cancel`;"
                " expected an option that rejects",
                on=seq,
                at="/result/outcome/outcome",
                see=step.frame.seq,
                blame=Peer.CLIENT,
                hint="select a `reject_once` option, or cancel the turn with `session/cancel`",
            )
    elif step.method == "$/cancel_request":
        waiting.clear()  # any cancelled request may explain the outcome
    elif step.method != "session/request_permission":
        if step.method == "session/cancel" and step.session is None:
            _excuse(step.state.sessions, step, waiting)  # it names an unknown session
        waiting.pop(session, None)
    elif ("cancelled", session, step.session and step.session.turn_count) in waiting:
        return
    elif fields(fields(step.body).get("outcome")).get("outcome") == "cancelled" and _is_unusual(
        step
    ):
        remember(waiting, session, waiting.get(session, step.frame.seq))


def _excuse(sessions: Iterable[str], step: Step, waiting: dict[Any, Any]) -> None:
    """Treat a broken frame of the client as the cancellation of the turns of these sessions."""
    for name in sessions:
        waiting.pop(name, None)
        if session := step.state.sessions.get(name):
            remember(waiting, ("cancelled", name, session.turn_count))


def _is_unusual(step: Step) -> bool:
    """Return whether nothing so far explains the outcome."""
    turn = step.session.turn if step.session else None
    if turn is None or turn.cancelled_at is not None or turn.exchange.cancelled_at is not None:
        return False
    if step.exchange is None or step.exchange.cancelled_at is not None or step.state.version == 2:
        return False
    return not any(step.state.pending.about("session/close", step.exchange.session))
