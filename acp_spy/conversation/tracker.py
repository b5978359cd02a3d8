"""
Frame in, step out; then advance. The one fold that every command walks.

`look` says what a frame means in the state that it meets, and changes nothing. `advance` takes the
step into the state. `hear` does both for a plain chunk of text. Whatever a peer sends, none of them
raises.
"""

from typing import Any

import msgspec

from acp_spy.conversation.chunk import Chunk, hear_chunk
from acp_spy.conversation.fold import fold, withdraw
from acp_spy.conversation.state import Conversation, Ending, Exchange, Step
from acp_spy.dialect.detect import tongues
from acp_spy.dialect.interpret import (
    interpret_call,
    interpret_error,
    interpret_result,
    session_of,
)
from acp_spy.dialect.known import AUTO
from acp_spy.wire.frame import Frame, Peer
from acp_spy.wire.jsonrpc import (
    CALL,
    Message,
    Notification,
    Request,
    Response,
    Unreadable,
    find_glued,
    read_message,
)

_decode = msgspec.json.Decoder().decode


class Tracker:
    """Feed it the frames of a capture in their order; `dialect` is what the peers speak."""

    def __init__(self, dialect: str = AUTO) -> None:
        self.state = Conversation(tongues=tongues(dialect))

    def hear(self, frame: Frame) -> Chunk | None:
        """Take in a plain chunk of text, in one go; give nothing, and do nothing, for others."""
        return hear_chunk(self.state, frame)

    def look(self, frame: Frame) -> Step:
        """Say what `frame` means here; a message with something glued to it is understood."""
        message = read_message(frame.payload)
        if isinstance(message, Unreadable) and (glued := find_glued(frame.payload)):
            step = self._read(frame, glued[1])
            step.glued_at = glued[0]
            return step
        return self._read(frame, message)

    def _read(self, frame: Frame, message: Message) -> Step:
        if isinstance(message, CALL):
            return self._look_at_call(frame, message)
        if isinstance(message, Response):
            return self._look_at_response(frame, message)
        return Step(frame, message, self.state)

    def _look_at_call(self, frame: Frame, message: Request | Notification) -> Step:
        state, method = self.state, message.method
        body = decoded(message.params)
        clues = state.tongues.weigh(message, body, method, frame.seq, frame.raw)
        dialect = state.tongues.understood(frame.sender, clues)
        session = session_of(dialect, body)
        event = interpret_call(dialect, method, body)
        if dialect and session is None:
            session = getattr(event, "session", None)  # there may be but one, without a name
        known = state.sessions.get(session) if session else None
        step = Step(frame, message, state, method, body, None, event, known)
        step.clues = clues
        if isinstance(message, Request):
            step.exchange = Exchange(
                frame.seq, frame.t, frame.sender, message.id, method, body, session
            )
        return step

    def _look_at_response(self, frame: Frame, message: Response) -> Step:
        state = self.state
        body = decoded(message.result or message.error)
        exchange = state.pending.get((frame.sender.other, message.id))
        if exchange is None:
            return Step(frame, message, state, "", body)
        method, params = exchange.method, exchange.params
        clues = state.tongues.weigh(message, body, method, frame.seq, frame.raw)
        dialect = state.tongues.understood(frame.sender, clues)
        dialect = dialect or state.tongues.understood(exchange.sender)
        event = (
            interpret_result(dialect, method, params, body)
            if message.result
            else interpret_error(dialect, method, params)
        )
        known = state.sessions.get(exchange.session) if exchange.session else None
        return Step(frame, message, state, method, body, exchange, event, known, clues=clues)

    def advance(self, step: Step) -> None:
        """Take `step` into the state."""
        state, frame, message = self.state, step.frame, step.message
        state.t = frame.t
        if step.clues:
            state.tongues.take(frame.sender, step.clues)
        if isinstance(message, Request) and step.exchange:
            state.pending[frame.sender, message.id] = step.exchange
        elif isinstance(message, Response) and step.exchange:
            del state.pending[frame.sender.other, message.id]
            state.answered.append(step.exchange)
        elif step.method == "$/cancel_request":
            withdraw(state, step)
        fold(state, step)

    def close(self, sender: Peer) -> None:
        """Take in that a peer has ended its stream."""
        self.state.closed.add(sender)

    def end(
        self, t: float, status: int | None = None, *, cut_off: bool = True, reason: str = ""
    ) -> Ending:
        """Return the end of the conversation."""
        return Ending(t, self.state, status, cut_off, reason)


def decoded(raw: bytes) -> Any:
    """Return the JSON value that `raw` spells; `None` for nothing, and for the unreadable."""
    if not raw:
        return None
    try:
        return _decode(raw)
    except (msgspec.DecodeError, RecursionError, ValueError):
        return None
