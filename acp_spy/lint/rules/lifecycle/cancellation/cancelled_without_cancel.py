"""A turn ends with `cancelled` only if the client cancelled it."""

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

_EARLY = "the cancel before the prompt"


@rule(
    code="LIF056",
    name="cancelled-without-cancel",
    severity=Severity.WARNING,
    summary="A turn ended with `cancelled`, but was not cancelled",
    on=("notification:session/cancel", "TurnEnded", "PermissionAnswered"),
    version=1,
    covers=("PRM-13",),
    spec="https://agentclientprotocol.com/protocol/prompt-turn#stop-reasons",
    bad=transcript(HANDSHAKE, NEW_SESSION, PROMPT, CANCELLED),
    good=transcript(HANDSHAKE, NEW_SESSION, PROMPT, CANCEL, CANCELLED),
)
def cancelled_without_cancel(step: Step, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does
    Reports turns that end with `cancelled` although the client did not cancel them. A turn that
    ends so after a refused permission is not reported.

    ## Why it matters
    `cancelled` means that the client cancelled the turn. The client shows "stopped by you", or
    treats the turn as undone.

    ## Use instead
    If the agent stops by itself (a time limit, a lost connection, an error), answer with an error
    or with the right stop reason. Clear a cancel when its turn ends.
    """
    session, exchange = step.session, step.exchange
    if session is not None and step.method == "session/cancel":
        if not session.turns:
            remember(memory, (session.id, _EARLY), step.frame.seq)
        return
    if session is None or exchange is None:
        return
    if isinstance(step.event, ev.PermissionAnswered):
        if session.turn is not None and _is_refusal(step):
            remember(memory, session.turn.exchange.seq, True)
        return
    early = memory.pop((session.id, _EARLY), None)
    if not isinstance(step.event, ev.TurnEnded) or step.event.stop_reason != "cancelled":
        return
    turn = session.turns.of(exchange)
    refused = memory.pop(exchange.seq, False)
    if turn is None or turn.cancelled_at is not None or exchange.cancelled_at is not None:
        return
    if refused or not is_attached(session) or _is_closing(step):
        return
    text = "the turn ended with `cancelled`, but the client did not cancel it"
    hint = "use `cancelled` only after `session/cancel`; report a failure as an error"
    if early is not None and early < exchange.seq:
        text = (
            f"the turn ended with `cancelled`, but the cancel at frame {early} came before this prompt"
            f" (frame {exchange.seq}); a cancel must not carry over to the next turn"
        )
        hint = "ignore a cancel while no turn is open"
    yield Remark(text, at="/result/stopReason", see=exchange.seq, hint=hint)


def _is_closing(step: Step) -> bool:
    name = step.exchange.session if step.exchange else None
    return any(
        pending(step.state, method, name)
        for method in ("session/close", "session/delete", "session/archive")
    )


def _is_refusal(step: Step) -> bool:
    """Return whether the client refused permission: the turn may end there."""
    assert isinstance(step.event, ev.PermissionAnswered)
    if step.event.outcome != "selected":
        return True
    asked = fields(step.exchange.params) if step.exchange else {}
    for option in (fields(option) for option in items(asked.get("options"))):
        if option.get("optionId") == step.event.option:
            return str(option.get("kind")).startswith("reject")
    return True
