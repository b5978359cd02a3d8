"""Only the client cancels."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._common import is_attached
from acp_spy.lint.rules.lifecycle._examples import (
    CANCEL,
    CANCELLED,
    HANDSHAKE,
    NEW_SESSION,
    PROMPT,
    transcript,
)
from acp_spy.lint.rules.lifecycle._pending import pending
from acp_spy.protocol import events as ev
from acp_spy.wire.values import fields, items


@rule(
    code="LIF056",
    name="cancelled-without-cancel",
    severity=Severity.WARNING,
    summary="A turn ended as cancelled that nobody had cancelled",
    on=("TurnEnded", "PermissionAnswered"),
    version=1,
    covers=("PRM-13",),
    spec="https://agentclientprotocol.com/protocol/prompt-turn#stop-reasons",
    bad=transcript(HANDSHAKE, NEW_SESSION, PROMPT, CANCELLED),
    good=transcript(HANDSHAKE, NEW_SESSION, PROMPT, CANCEL, CANCELLED),
)
def cancelled_without_cancel(step: Step, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    `cancelled` says that the client has cancelled the turn. The client shows "stopped by you", or
    takes the turn for undone. An agent that gave up by itself (a time limit, a lost connection, an
    error) should say so with an error, or with the stop reason that fits.

    A turn that ends so after a permission was refused is passed over.
    """
    session, exchange = step.session, step.exchange
    if session is None or exchange is None:
        return
    if isinstance(step.event, ev.PermissionAnswered):
        if session.turn is not None and _is_refusal(step):
            remember(memory, session.turn.exchange.seq, True)
        return
    if not isinstance(step.event, ev.TurnEnded) or step.event.stop_reason != "cancelled":
        return
    turn = next((turn for turn in session.turns if turn.exchange is exchange), None)
    refused = memory.pop(exchange.seq, False)
    if turn is None or turn.cancelled_at is not None or exchange.cancelled_at is not None:
        return
    if refused or not is_attached(session) or _is_closing(step):
        return
    yield Remark(
        "the turn ends with `cancelled`, but was not cancelled by the client",
        at="/result/stopReason",
        see=exchange.seq,
        hint="use `cancelled` only after `session/cancel`; report a failure as an error",
    )


def _is_closing(step: Step) -> bool:
    name = step.exchange.session if step.exchange else None
    return any(
        pending(step.state, method, name)
        for method in ("session/close", "session/delete", "session/archive")
    )


def _is_refusal(step: Step) -> bool:
    """Tell whether the client did not give leave: a turn may well end there."""
    assert isinstance(step.event, ev.PermissionAnswered)
    if step.event.outcome != "selected":
        return True
    asked = fields(step.exchange.params) if step.exchange else {}
    for option in (fields(option) for option in items(asked.get("options"))):
        if option.get("optionId") == step.event.option:
            return str(option.get("kind")).startswith("reject")
    return True
