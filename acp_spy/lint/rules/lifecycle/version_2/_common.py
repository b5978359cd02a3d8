"""Helpers that the rules of version 2 share."""

from typing import Any

from acp_spy.conversation.state import Conversation, Session, Step
from acp_spy.wire.values import fields

BUSY = ("running", "requires_action")


def is_working(session: Session, state: Conversation) -> bool:
    """Return whether the agent is at work, or has accepted a prompt and not become idle since."""
    if session.state in BUSY:
        return True
    prompts = [turn.exchange for turn in session.turns]
    return any(state.pending.get((each.sender, each.id)) is not each for each in prompts)


def update_of(step: Step) -> dict[str, Any]:
    """Return the update that a `session/update` carries."""
    return fields(fields(step.body).get("update"))


def name_of_session(step: Step) -> str:
    """Return the session id of a request, response or notification; empty if there is none."""
    holder = step.exchange.params if step.exchange else step.body
    name = fields(holder).get("sessionId")
    return name if isinstance(name, str) else ""


def request_params(step: Step) -> dict[str, Any]:
    """Return the params of the request that a step sends or answers."""
    return fields(step.exchange.params) if step.exchange else {}


def request_seq(step: Step) -> int | None:
    """Return the frame of that request."""
    return step.exchange.seq if step.exchange else None
