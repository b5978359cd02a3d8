"""The turns that end at a moment, in either version, and those that are open at the end."""

from collections.abc import Iterator

from acp_spy.conversation.state import Ending, Step, Turn
from acp_spy.protocol import events as ev
from acp_spy.wire.jsonrpc import Response

# In version 1 the response ends a turn, in version 2 the state `idle`.
MOMENTS = ("result:session/prompt", "error:session/prompt", "update:state_update", "end")


def ended_turns(moment: Step | Ending) -> Iterator[Turn]:
    """Yield the turns that end here, or that are still open at the end."""
    if isinstance(moment, Ending):
        for session in moment.state.sessions.values():
            yield from session.turns
        return
    if moment.session is None:
        return
    is_response = isinstance(moment.message, Response)
    is_idle = isinstance(moment.event, ev.StateChanged) and moment.event.state == "idle"
    is_error = isinstance(moment.message, Response) and bool(moment.message.error)
    if is_response and moment.state.is_draft and not is_error:
        return  # it accepts the prompt
    if is_response:
        turn = moment.session.turns.of(moment.exchange)
        yield from (turn,) if turn else ()
    elif is_idle:
        yield from moment.session.turns


def time_of(moment: Step | Ending) -> float:
    """Return the time of a moment."""
    return moment.t if isinstance(moment, Ending) else moment.frame.t
