"""
Record in, moment out; then advance. The one fold that every consumer follows.

`look` returns what a record means in the state that it meets, and changes nothing. `advance` takes
that into the state. Who judges does so in between, by the state before the record; who shows or
counts does so afterwards. Whatever a peer sends, none of them raises.
"""

from typing import Any

import msgspec

from acp_spy.capture.records import (
    ANSWERED,
    DROPPED,
    REPLACED,
    Closed,
    Delivery,
    Disconnect,
    Exit,
    HttpExchange,
    Record,
    Stderr,
)
from acp_spy.conversation.chunk import Chunk, read_chunk, read_next
from acp_spy.conversation.deliveries import (
    end_turn,
    forget_cancel,
    forget_request,
    is_reworded,
    note_delivery,
)
from acp_spy.conversation.fold import fold, note_tool_call, withdraw
from acp_spy.conversation.mcp import MCP_METHODS, note_mcp, read_mcp
from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Conversation, Ending, Exchange, Run, Step
from acp_spy.conversation.successor import SPELLINGS, SUCCESSOR, mirrored, unwrapped
from acp_spy.conversation.updates import note_text
from acp_spy.dialect.declaration import Dialect
from acp_spy.dialect.detect import detector_for, is_plain_update
from acp_spy.dialect.interpret import (
    interpret_call,
    interpret_error,
    interpret_result,
    session_of,
)
from acp_spy.dialect.known import AUTO
from acp_spy.protocol.events import Event, ToolCallChanged, TurnEnded
from acp_spy.protocol.interpret import interpret_update
from acp_spy.wire.frame import Frame, Peer, Via
from acp_spy.wire.jsonrpc import (
    CALL,
    Message,
    Notification,
    Request,
    Response,
    Unreadable,
    find_glued,
    read_huge,
    read_message,
    read_plain,
)
from acp_spy.wire.values import BEYOND, decoded, fields

# What a record means: a frame is a step, or a plain chunk of text; other records are themselves.
Moment = Step | Chunk | Record


class Tracker:
    """
    Feed it the records of a capture in their order; `dialect` is what the peers speak.

    With `only_steps` every frame is a step, also a plain chunk of text. What a proxy and its
    successor say to each other has a tracker of its own, `successor`.
    """

    def __init__(
        self, dialect: str = AUTO, *, only_steps: bool = False, unwraps: bool = True
    ) -> None:
        self.state = Conversation(dialects=detector_for(dialect))
        self.successor: Tracker | None = None  # from the first message to or from it
        self._dialect = dialect
        self._unwraps = unwraps
        self._only_steps = only_steps
        self._t = 0.0  # of the last record that is not a frame
        self._exit: Exit | None = None
        self._last: Step | None = None  # what becomes of it may follow
        self.answer: Step | None = None  # with which acp-spy answered, in the last delivery
        self._answers: dict[int, Exchange] = {}  # in POSTs whose status is not known yet
        # Requests in POSTs that were refused, by asker and id: the bridge then sends an error.
        self._refused: dict[tuple[Peer, bytes], Exchange] = {}

    def follow(self, record: Record) -> Moment:
        """Return what `record` means, and take it into the state."""
        moment = self.look(record)
        self.advance(moment)
        return moment

    def pass_text(self, record: Record) -> Run | None:
        """
        Take in a frame that goes on with the text of the one before it; return what they share.

        Most frames do. To `follow` them is the same, and takes longer. For others, nothing is done.
        """
        state = self.state
        run = state.run
        if run is None or type(record) is not Frame or record.via is not None:
            return None
        text = read_next(run, state, record)
        if text is None:
            return None
        state.last = record
        state.last_said[record.sender] = record.seq
        note_text(record, run, text)
        return run

    def look(self, record: Record) -> Moment:
        """Return what `record` means here."""
        if type(record) is not Frame:
            return record
        if self._only_steps or (record.via is not None and not _is_usual(record.via)):
            return self.look_closely(record)
        return read_chunk(self.state, record) or self.look_closely(record)

    def look_closely(self, frame: Frame) -> Step:
        """Return what `frame` means; a message with something glued to it is understood."""
        plain = None if frame.raw[BEYOND] else read_plain(frame.raw)
        if plain is None:
            return self._look_at_odd(frame)
        message, body = plain
        step = self._look_at_update(frame, message, body) or self._read(frame, message, body)
        step.is_plain = True
        return step

    def _look_at_odd(self, frame: Frame) -> Step:
        message = (frame.raw[BEYOND] and read_huge(frame.raw)) or read_message(frame.payload)
        if type(message) is not Unreadable:
            return self._read(frame, message, _body_of(message))
        glued = find_glued(frame.payload)
        if glued is None:
            return Step(frame, message, self.state)
        step = self._read(frame, glued[1], _body_of(glued[1]))
        step.glued_at = glued[0]
        return step

    def _look_at_update(self, frame: Frame, message: Message, body: Any) -> Step | None:
        """Return what a frame means that is an update as nearly all are; nothing for others."""
        state = self.state
        if type(message) is not Notification or message.method != "session/update":
            return None
        session, update = body.get("sessionId"), body.get("update")
        if not session or type(session) is not str or not is_plain_update(update):
            return None
        if state.dialects.is_suspicious:
            return None
        event, known = interpret_update(session, update), state.sessions.get(session)
        return Step(frame, message, state, message.method, body, None, event, known)

    def _read(self, frame: Frame, message: Message, body: Any) -> Step:
        if type(message) is Response:
            return self._look_at_response(frame, message, body)
        assert isinstance(message, CALL)
        return self._look_at_call(frame, message, body)

    def _look_at_call(self, frame: Frame, message: Request | Notification, body: Any) -> Step:
        state, method = self.state, message.method
        if method in SPELLINGS:
            method = SPELLINGS[method]
        clues = state.dialects.weigh(message, body, method, frame.seq, frame.raw)
        dialect = state.dialects.understood(frame.sender, clues)
        session = session_of(dialect, body)
        event = interpret_call(dialect, method, body)
        if dialect and session is None:
            session = getattr(event, "session", None)  # there may be but one, without a name
        known = state.sessions.get(session) if session else None
        exchange = None
        if type(message) is Request:
            exchange = Exchange(frame.seq, frame.t, frame.sender, message.id, method, body, session)
        step = Step(frame, message, state, method, body, exchange, event, known, 0, clues)
        if method == SUCCESSOR and self._unwraps:
            self._unwrap(step, message)
        elif method in MCP_METHODS:
            self._read_mcp(step)
        return step

    def _unwrap(self, step: Step, message: Request | Notification) -> None:
        """Add to `step` what the message inside it means in the conversation with the successor."""
        frame = unwrapped(step.frame, message)
        if frame is None:
            return
        if self.successor is None:
            self.successor = Tracker(self._dialect, only_steps=True, unwraps=False)
        step.inner = self.successor.look_closely(frame)
        if step.exchange and step.inner.exchange:
            step.exchange.session = step.inner.exchange.session
            step.exchange.wraps = step.inner.exchange.name

    def _read_mcp(self, step: Step) -> None:
        step.mcp = mcp = read_mcp(self.state, step.method, step.body)
        if mcp.session is not None and step.session is None:
            step.session = self.state.sessions.get(mcp.session)
        if step.exchange:
            step.exchange.mcp, step.exchange.wraps = mcp, mcp.method
            step.exchange.session = step.exchange.session or mcp.session

    def _look_at_response(self, frame: Frame, message: Response, body: Any) -> Step:
        state = self.state
        key = frame.sender.other, message.id
        exchange = state.pending.get(key)
        if exchange is None and frame.via is not None and _is_our_error(message):
            exchange = self._refused.get(key)
        if exchange is None:
            return Step(frame, message, state, "", body)
        method = exchange.method
        clues = state.dialects.weigh(message, body, method, frame.seq, frame.raw)
        dialect = state.dialects.understood(frame.sender, clues)
        dialect = dialect or state.dialects.understood(exchange.sender)
        event = _event_of(dialect, exchange, message, body)
        known = state.sessions.get(exchange.session) if exchange.session else None
        step = Step(frame, message, state, method, body, exchange, event, known, clues=clues)
        step.mcp = exchange.mcp
        if method == SUCCESSOR and self.successor:
            inner = self.successor.look_closely(mirrored(frame))
            step.inner = inner if inner.exchange else None  # what was wrapped was not a message
        return step

    def advance(self, moment: Moment) -> None:
        """Take `moment` into the state."""
        state = self.state
        if type(moment) is Chunk:
            state.last, state.run = moment.frame, moment.run
            state.last_said[moment.frame.sender] = moment.frame.seq
            note_text(moment.frame, moment.run, moment.text)
            return
        state.run = None
        if isinstance(moment, Step):
            self._advance(moment)
        elif isinstance(moment, Delivery):
            self._t = moment.t
            self._note_delivery(moment)
        elif isinstance(moment, Closed):
            self._t = moment.t
            state.closed.add(moment.sender)
            if self.successor:
                self.successor.state.closed.add(moment.sender.other)
        elif isinstance(moment, HttpExchange):
            self._t = moment.t
            self._note_exchange(moment)
        elif isinstance(moment, Stderr | Disconnect):
            self._t = moment.t
        elif isinstance(moment, Exit):
            self._t, self._exit = moment.t, moment

    def _advance(self, step: Step) -> None:
        self.state.last, self._last = step.frame, step
        if step.message.__class__ is not Response:  # to ask for the type is a call
            self.state.last_said[step.frame.sender] = step.frame.seq
        self._take_in(step)

    def _take_in(self, step: Step) -> None:
        """Take in what a message says, from a peer or from acp-spy."""
        state, frame, message = self.state, step.frame, step.message
        if step.clues:
            state.dialects.take(frame.sender, step.clues)
        if type(message) is Notification:  # nearly all
            if step.method == "$/cancel_request":
                self._withdraw(step)
        elif type(message) is Request and step.exchange:
            state.pending[frame.sender, message.id] = step.exchange
        elif type(message) is Response and step.exchange:
            if frame.via is not None:
                self._note_remote_answer(frame, message, step.exchange)
            del state.pending[frame.sender.other, message.id]
            state.answered.append(step.exchange)
        fold(state, step)
        if state.withheld and step.exchange and isinstance(step.event, TurnEnded):
            end_turn(state, step.exchange)
        if step.mcp is not None:
            note_mcp(state, step)
        if step.inner is not None and self.successor:
            self.successor.advance(step.inner)

    def _note_remote_answer(self, frame: Frame, message: Response, exchange: Exchange) -> None:
        key = frame.sender.other, message.id
        if self._refused.get(key) is exchange:  # it is answered after all, by the bridge
            self.state.pending[key] = self._refused.pop(key)
        remember(self._answers, frame.seq, exchange)
        exchange.is_failed_by_us = _is_our_error(message)

    def _withdraw(self, step: Step) -> None:
        withdraw(self.state, step, step.frame.sender)
        if self.successor:  # the id is that of the wrapper
            withdraw(self.successor.state, step, step.frame.sender.other)

    def _note_exchange(self, exchange: HttpExchange) -> None:
        """Take in what became of a POST: what was refused has not reached the agent."""
        self.state.is_remote = True
        answered = self._answers.pop(exchange.request, None)
        if not exchange.is_refused:
            return
        if answered is not None:
            self._reopen(answered)
        elif not exchange.brings_message:
            forget_cancel(self.state, exchange.session, exchange.request)
            for asked in self.state.pending.asked_in(exchange.request):
                remember(self._refused, (asked.sender, asked.id), asked)
            forget_request(self.state, exchange.request)

    def _reopen(self, exchange: Exchange) -> None:
        """Expect a response again: the one that was sent was refused."""
        state = self.state
        key = exchange.sender, exchange.id
        if key not in state.pending:
            state.pending[key] = exchange
            for place, answered in enumerate(state.answered):
                if answered is exchange:
                    del state.answered[place]
                    break

    def _note_delivery(self, delivery: Delivery) -> None:
        """Take in what became of a frame; a response from acp-spy counts as one."""
        if delivery.action == REPLACED and delivery.by.startswith("fix "):
            self._note_repaired(delivery)
        note_delivery(self.state, delivery, self._last, self.look_closely)
        self.answer = self._look_at_answer(delivery)
        if self.answer is not None:
            self._take_in(self.answer)
        if delivery.action in (ANSWERED, DROPPED):
            forget_request(self.state, delivery.seq)
            if self.successor:
                forget_request(self.successor.state, delivery.seq)

    def _note_repaired(self, delivery: Delivery) -> None:
        """Take in what only the receiver knows: a tool call, a response whose id was restored."""
        if delivery.raw is None or not is_reworded(delivery):
            return
        frame = Frame(delivery.seq, delivery.t, delivery.to.other, delivery.raw)
        step = self.look_closely(frame)
        if isinstance(step.message, Response) and step.exchange:  # it is pending: none was sent
            self._take_in(step)
        elif step.session is not None and isinstance(step.event, ToolCallChanged):
            note_tool_call(step.session, frame, step.event)
        else:
            return
        remember(self.state.repaired, frame.seq)

    def _look_at_answer(self, delivery: Delivery) -> Step | None:
        """Return what it means if acp-spy answered a request; `None` for anything else."""
        if delivery.action != ANSWERED or delivery.raw is None:
            return None
        step = self.look_closely(Frame(delivery.seq, delivery.t, delivery.to.other, delivery.raw))
        if not step.exchange or not isinstance(step.message, Response):
            return None
        if is_reworded(delivery):  # in the words of who asked: they are no evidence of the other's
            step.clues = ()
            dialect = self.state.dialects.understood(delivery.to)
            step.event = _event_of(dialect, step.exchange, step.message, step.body)
        return step

    @property
    def ended(self) -> bool:
        """Whether the agent's exit has been recorded."""
        return self._exit is not None

    def end(self) -> Ending:
        """Return the end of the conversation, as the records so far have it."""
        t, end = max(self._t, self.state.t), self._exit
        ending = Ending(t, self.state)
        if end is not None:
            ending = Ending(t, self.state, end.status, cut_off=False, reason=end.reason)
        if self.successor:
            ending.inner = msgspec.structs.replace(ending, state=self.successor.state)
        return ending


def _body_of(message: Message) -> Any:
    """Return the params, the result or the error of a message, decoded."""
    if isinstance(message, CALL):
        return decoded(message.params)
    return decoded(message.result or message.error) if isinstance(message, Response) else None


def _event_of(
    dialect: Dialect | None, asked: Exchange, message: Response, body: Any
) -> Event | None:
    """Return what a response means in the words of a dialect."""
    if message.result:
        return interpret_result(dialect, asked.method, asked.params, body)
    return interpret_error(dialect, asked.method, asked.params)


def _is_usual(via: Via) -> bool:
    """Whether a frame came where a piece of text should: no rule could object to that."""
    return not via.binary and (via.stream == "session" or via.transport == "ws")


def _is_our_error(message: Response) -> bool:
    if not message.error:
        return False
    return fields(fields(decoded(message.error)).get("data")).get("origin") == "acp-spy"
