"""Texts and tool calls that come while no turn is open, and what they are a sign of."""

import enum
from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Conversation, Ending, Session, Step, Stray
from acp_spy.lint.rules.lifecycle._common import is_attached
from acp_spy.protocol import events as ev
from acp_spy.wire.frame import Peer

# When the strays of a session are complete: its next turn begins, or it ends.
MOMENTS = ("TurnStarted", "SessionAsked", "SessionClosed", "end")
_REPLAY = 5.0  # seconds after `session/load` in which what comes is taken for its history
_AFTERMATH = 10.0  # seconds after a cancelled turn in which what comes is taken for a part of it


class Sign(enum.Enum):
    """What strays are a sign of."""

    REPLAY = "history that comes after the answer to `session/load`"
    CANCELLED = "work of a turn that was cancelled"
    OTHER = "anything else"


def strays(
    moment: Step | Ending, memory: dict[Any, Any], sign: Sign
) -> Iterator[tuple[Session, Stray]]:
    """Give the strays with this sign that have become complete; each once."""
    if isinstance(moment, Step):
        sessions = [moment.session] if moment.session else []
    else:
        sessions = list(moment.state.sessions.values())
    for session in sessions:
        stray = session.stray
        if stray is None or not is_attached(session):
            continue
        if _sign_of(moment.state, session, stray) is not sign:
            continue
        if (session.id, stray.seq) not in memory:
            remember(memory, (session.id, stray.seq), True)
            yield session, stray


def _sign_of(state: Conversation, session: Session, stray: Stray) -> Sign:
    ended = session.last_turn_end
    if ended is not None:
        soon = session.last_turn_cancelled and stray.t - ended <= _AFTERMATH
        return Sign.CANCELLED if soon and not _is_reply(state, session, stray) else Sign.OTHER
    users = isinstance(stray.event, ev.Said) and stray.event.role == "user"
    if session.how == "load" and (users or stray.t - session.opened_at <= _REPLAY):
        return Sign.REPLAY
    return Sign.OTHER


def _is_reply(state: Conversation, session: Session, stray: Stray) -> bool:
    """Tell whether the client had asked for something else in between, such as another mode."""
    asked = (*state.pending.values(), *reversed(state.answered))
    return any(
        exchange.session == session.id
        and exchange.sender is Peer.CLIENT
        and exchange.seq < stray.seq
        and exchange.t >= (session.last_turn_end or 0.0)
        for exchange in asked
    )


def named(stray: Stray) -> str:
    """Return what the first stray is, for people, and how many followed."""
    if isinstance(stray.event, ev.Said):
        first = "text of the user" if stray.event.role == "user" else "text of the agent"
    else:
        first = "an update of a tool call"
    more = stray.count - 1
    return first + (f" (and {more} more update{'s' if more > 1 else ''})" if more else "")
