"""What rules in several folders of LIF share."""

import json
from typing import Any

from acp_spy.conversation.state import Conversation, Session, Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rules.lifecycle._pending import pending
from acp_spy.wire.frame import Peer
from acp_spy.wire.jsonrpc import Request
from acp_spy.wire.values import fields

# Words of an error about something that does not exist.
GONE = ("not found", "unknown", "no such", "not exist", "doesn't exist", "not active", "closed")
# Requests of the agent about a session.
AGENT_REQUESTS = (
    "session/request_permission",
    "fs/read_text_file",
    "fs/write_text_file",
    "terminal/create",
    "terminal/output",
    "terminal/wait_for_exit",
    "terminal/kill",
    "terminal/release",
    "elicitation/create",
)


def is_attached(session: Session | None) -> bool:
    """Return whether the client opened `session` on this connection and did not close it."""
    if session is None or session.closed:
        return False
    return session.how in ("new", "load", "resume", "fork")


def error_text(step: Step) -> str:
    """Return the texts of an error, `data` included, in lower case."""
    error = fields(step.body)
    said = [error.get("message"), error.get("data"), *fields(error.get("data")).values()]
    return " ".join(text for text in said if isinstance(text, str)).lower()


def is_opening(state: Conversation, session: str) -> bool:
    """Return whether a request of the client to load or resume `session` is pending."""
    return any(pending(state, f"session/{how}", session) for how in ("load", "resume"))


def quoted(value: Any) -> str:
    """Return `value` in backquotes, shortened if it is long; a string as it is, if it can be."""
    if isinstance(value, str) and value.isprintable() and value.strip():
        return backquoted(value)
    return quoted_json(value)


def quoted_json(value: Any) -> str:
    """Return `value` as JSON in backquotes, where a string must not look like a number."""
    # msgspec refuses integers that are too large
    return backquoted(json.dumps(value, ensure_ascii=False))


def backquoted(text: str) -> str:
    """Return `text` in backquotes, shortened if it is long."""
    return f"`{text if len(text) <= 80 else text[:77] + '...'}`"


def is_by_version_1(facts: Facts) -> bool:
    """Return whether a handshake is checked by version 1, which has other names than version 2."""
    return facts.spec.version == 1


def is_handshake(step: Step) -> bool:
    """Return whether the client sent this `initialize`; otherwise RPC015 reports it."""
    asker = step.frame.sender if isinstance(step.message, Request) else step.frame.sender.other
    return asker is Peer.CLIENT
