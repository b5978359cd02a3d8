"""Text and tool calls that are sent while no turn is open, and the probable cause."""

import enum
from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Conversation, Ending, Session, Step, Stray
from acp_spy.lint.rules.lifecycle._common import is_attached
from acp_spy.protocol import events as ev
from acp_spy.wire.frame import Peer

# The strays of a session are complete when its next turn begins, or when it ends.
MOMENTS = ("TurnStarted", "SessionAsked", "SessionClosed", "end")
_REPLAY = 5.0  # seconds after `session/load` in which updates count as its history
_AFTERMATH = 10.0  # seconds after a cancelled turn in which updates count as part of it


class Sign(enum.Enum):
    """The probable cause of strays."""

    REPLAY = "history after the response to `session/load`"
    CANCELLED = "work of a cancelled turn"
    OVERTAKEN = "history that was overtaken by the response, which had another stream"
    OTHER = "anything else"


def strays(
    moment: Step | Ending, memory: dict[Any, Any], sign: Sign
) -> Iterator[tuple[Session, Stray]]:
    """Yield the strays with this cause that are complete; each once."""
    sessions: list[Session]
    if moment.__class__ is Step:  # to ask for the type is a call
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
    is_soon = stray.t - session.opened_at <= _REPLAY
    if session.how == "load" and (users or is_soon):
        return Sign.OVERTAKEN if is_soon and session.may_have_overtaken else Sign.REPLAY
    return Sign.OTHER


def _is_reply(state: Conversation, session: Session, stray: Stray) -> bool:
    """Return whether the client sent a request in between, such as for another mode."""
    asked = (*state.pending.values(), *reversed(state.answered))
    return any(
        exchange.session == session.id
        and exchange.sender is Peer.CLIENT
        and exchange.seq < stray.seq
        and exchange.t >= (session.last_turn_end or 0.0)
        for exchange in asked
    )


def named(stray: Stray) -> str:
    """Describe the first stray, and how many followed."""
    if isinstance(stray.event, ev.Said):
        first = "user text" if stray.event.role == "user" else "agent text"
    else:
        first = "a tool call update"
    more = stray.count - 1
    return first + (f" (and {more} more update{'s' if more > 1 else ''})" if more else "")
