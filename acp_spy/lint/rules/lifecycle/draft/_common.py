"""What the rules of this part have in common."""

from typing import Any

from acp_spy.conversation.state import Conversation, Exchange, Step

GRACE = 0.25  # seconds in which two frames of different peers may have crossed on their way
_GRACE_WITHOUT_A_WORD = 1.0  # the same, when not a frame came between the two
SETUPS = ("session/new", "session/load", "session/resume", "session/fork")
BUSY = ("running", "requires_action")
_KEPT = 1024


def fields(value: Any) -> dict[str, Any]:
    """Return `value` if it is a JSON object, else an empty one."""
    return value if isinstance(value, dict) else {}


def items(value: Any) -> list[Any]:
    """Return `value` if it is a JSON array, else an empty one."""
    return value if isinstance(value, list) else []


def is_draft(state: Conversation) -> bool:
    """Tell whether the peers have agreed on version 2."""
    return type(state.version) is int and state.version == 2


def told(step: Step) -> dict[str, Any]:
    """Return the update that a `session/update` carries."""
    return fields(fields(step.body).get("update"))


def name_of_session(step: Step) -> str:
    """Return the session that a step is about, asked or answered; empty if it names none."""
    holder = step.exchange.params if step.exchange else step.body
    name = fields(holder).get("sessionId")
    return name if isinstance(name, str) else ""


def asked(step: Step) -> dict[str, Any]:
    """Return the params of the request that a step opens or answers."""
    return fields(step.exchange.params) if step.exchange else {}


def asked_at(step: Step) -> int | None:
    """Return the frame of that request."""
    return step.exchange.seq if step.exchange else None


def pending(state: Conversation, method: str, session: str) -> Exchange | None:
    """Return the open request for `method` about `session`."""
    for exchange in state.pending.values():
        if exchange.method == method and exchange.session == session:
            return exchange
    return None


def have_crossed(step: Step, t: float, seq: int) -> bool:
    """Tell whether `step` may have been on its way when frame `seq` of time `t` passed."""
    passed = step.frame.t - t
    return passed <= GRACE or (step.frame.seq == seq + 1 and passed <= _GRACE_WITHOUT_A_WORD)


def keep(memory: dict[Any, Any], key: Any, value: Any) -> None:
    """Put into a rule's memory, which forgets its oldest when it is full."""
    if len(memory) >= _KEPT and key not in memory:
        del memory[next(iter(memory))]
    memory[key] = value
