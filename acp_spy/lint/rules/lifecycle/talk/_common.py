"""What the rules of this part have in common."""

import json
from typing import Any

from acp_spy.conversation.state import Conversation, Exchange, Session, Step
from acp_spy.wire.frame import Peer
from acp_spy.wire.jsonrpc import Response

GRACE = 0.25  # seconds in which two frames of different peers may have crossed on their way
_GRACE_WITHOUT_A_WORD = 1.0  # the same, when not a frame came between the two
_KEPT = 1024


def fields(value: Any) -> dict[str, Any]:
    """Return `value` if it is a JSON object, else an empty one."""
    return value if isinstance(value, dict) else {}


def items(value: Any) -> list[Any]:
    """Return `value` if it is a JSON array, else an empty one."""
    return value if isinstance(value, list) else []


def is_draft(state: Conversation) -> bool:
    """Tell whether the peers have agreed on version 2, where turns work otherwise."""
    return bool(state.version == 2)


def is_attached(session: Session | None) -> bool:
    """Tell whether the client has opened `session` on this connection, and not closed it."""
    if session is None or session.closed:
        return False
    return session.how in ("new", "load", "resume", "fork")


def error_code(step: Step) -> Any:
    """Return the code of the error that a response carries; `None` if it is none."""
    if not isinstance(step.message, Response) or not step.message.error:
        return None
    return fields(step.body).get("code")


def error_text(step: Step) -> str:
    """Return what an error says for people, in small letters; `data` included."""
    error = fields(step.body)
    said = [error.get("message"), error.get("data"), *fields(error.get("data")).values()]
    return " ".join(text for text in said if isinstance(text, str)).lower()


def have_crossed(step: Step, t: float | None, seq: int | None) -> bool:
    """Tell whether `step` may have been sent before its sender had read frame `seq` of time `t`."""
    if t is None:
        return False
    passed = step.frame.t - t
    return passed <= GRACE or (
        seq is not None and step.frame.seq == seq + 1 and passed <= _GRACE_WITHOUT_A_WORD
    )


def pending(state: Conversation, method: str, session: str | None) -> Exchange | None:
    """Return the client's open request for `method` about `session`."""
    for exchange in state.pending.values():
        if (
            exchange.method == method
            and exchange.session == session
            and exchange.sender is Peer.CLIENT
        ):
            return exchange
    return None


def is_opening(state: Conversation, session: str) -> bool:
    """Tell whether the client has asked to load or resume `session`, and not been answered."""
    return any(pending(state, f"session/{how}", session) for how in ("load", "resume"))


def keep(memory: dict[Any, Any], key: Any, value: Any) -> None:
    """Put into a rule's memory, which forgets its oldest when it is full."""
    if len(memory) >= _KEPT and key not in memory:
        del memory[next(iter(memory))]
    memory[key] = value


def quoted(value: Any) -> str:
    """Return `value` as JSON in backticks, cut where it gets long."""
    text = json.dumps(value, ensure_ascii=False)  # msgspec refuses integers that are too large
    return f"`{text if len(text) <= 80 else text[:77] + '...'}`"
