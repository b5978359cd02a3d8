"""What the rules of this part have in common."""

import json
from typing import Any

from acp_spy.conversation.state import Conversation, Session, Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rules.lifecycle._pending import pending
from acp_spy.wire.frame import Peer
from acp_spy.wire.jsonrpc import Request
from acp_spy.wire.values import fields


def is_attached(session: Session | None) -> bool:
    """Tell whether the client has opened `session` on this connection, and not closed it."""
    if session is None or session.closed:
        return False
    return session.how in ("new", "load", "resume", "fork")


def error_text(step: Step) -> str:
    """Return what an error says for people, in small letters; `data` included."""
    error = fields(step.body)
    said = [error.get("message"), error.get("data"), *fields(error.get("data")).values()]
    return " ".join(text for text in said if isinstance(text, str)).lower()


def is_opening(state: Conversation, session: str) -> bool:
    """Tell whether the client has asked to load or resume `session`, and not been answered."""
    return any(pending(state, f"session/{how}", session) for how in ("load", "resume"))


def quoted(value: Any) -> str:
    """Return `value` as JSON in backticks, cut where it gets long."""
    text = json.dumps(value, ensure_ascii=False)  # msgspec refuses integers that are too large
    return f"`{text if len(text) <= 80 else text[:77] + '...'}`"


def is_by_version_1(facts: Facts) -> bool:
    """Tell whether a handshake is judged by version 1, whose names for things are not version 2's."""
    return facts.spec.version == 1


def is_handshake(step: Step) -> bool:
    """Tell whether the client asks or the agent answers; the other way it is another mistake."""
    asker = step.frame.sender if isinstance(step.message, Request) else step.frame.sender.other
    return asker is Peer.CLIENT
