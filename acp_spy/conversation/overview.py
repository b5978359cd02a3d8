"""
The conversation of a whole capture as data, for programs: see `acp_spy.capture.conversation`.

It follows the tracker, and keeps what the tracker's state lets go of: everything that has ended.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from acp_spy.capture.conversation import Conversation, Exchange, Session, ToolCall, Turn
from acp_spy.capture.records import Delivery, Header, Record
from acp_spy.conversation import state as tracked
from acp_spy.conversation.chunk import Chunk
from acp_spy.conversation.state import Step
from acp_spy.conversation.tracker import Tracker
from acp_spy.protocol import events as ev
from acp_spy.wire.frame import Peer
from acp_spy.wire.jsonrpc import Request, Response
from acp_spy.wire.values import fields, items, text

_ENDS = (ev.TurnEnded, ev.StateChanged)  # what may end turns; the tracker says which


def overview(header: Header, records: Iterable[Record]) -> Conversation:
    """Return the conversation that `records` are."""
    tracker, walk = Tracker(), _Walk()
    for record in records:
        moment = tracker.follow(record)
        if isinstance(record, Delivery) and tracker.answer is not None:
            walk.add_step(tracker.answer, tracker.state)
        elif isinstance(moment, Step):
            walk.add_step(moment, tracker.state)
        elif isinstance(moment, Chunk) and moment.role == "agent":
            walk.add_text(moment.session, moment.text)
    # Another tool may have written down no times: then every frame is at 0.
    has_times = not header.is_imported or walk.last_t > 0
    return walk.close(tracker.state, has_times=has_times)


class _Span(msgspec.Struct):
    """Something that began, and may have ended. `about` is what the tracker knows of it."""

    about: Any
    seq: int
    started: float
    ended: float | None = None
    last: int = 0


class _TurnSpan(_Span):
    session: str = ""
    prompt: str = ""
    said: list[str] = msgspec.field(default_factory=list)
    stop_reason: str | None = None
    error: Any = None


class _CallSpan(_Span):
    session: str = ""
    turn: int | None = None
    is_replayed: bool = False


class _ExchangeSpan(_Span):
    result: Any = None
    error: Any = None


class _Walk:
    def __init__(self) -> None:
        self.last_t = 0.0
        # By the identity of what the tracker knows: numbers may occur twice in a joined capture.
        self._exchanges: dict[int, _ExchangeSpan] = {}
        self._turns: dict[int, _TurnSpan] = {}
        self._open_turns: dict[str, dict[int, _TurnSpan]] = {}  # by session
        self._calls: dict[int, _CallSpan] = {}
        self._sessions: dict[str, _Span] = {}

    def add_text(self, session: tracked.Session, said: str) -> None:
        """Take a piece of the agent's message."""
        if session.turn and (turn := self._turns.get(id(session.turn.exchange))):
            turn.said.append(said)

    def add_step(self, step: Step, state: tracked.Conversation) -> None:
        """Take a frame, and the state after it."""
        self.last_t = max(self.last_t, step.frame.t)
        self._add_exchange(step)
        event = step.event
        events = event.events if isinstance(event, ev.Several) else (event,) if event else ()
        for each in events:
            session = state.sessions.get(getattr(each, "session", None) or "")
            if session is not None and session.how != "listed":
                self._add_session(step, session)
                self._add_event(step, state, each, session)
        if step.session and any(isinstance(event, _ENDS) for event in events):
            self._end_turns(step, step.session, events)

    def _add_exchange(self, step: Step) -> None:
        exchange, frame, message = step.exchange, step.frame, step.message
        if exchange is None:
            return
        if isinstance(message, Request):
            self._exchanges[id(exchange)] = _ExchangeSpan(exchange, frame.seq, frame.t)
        elif isinstance(message, Response) and (span := self._exchanges.get(id(exchange))):
            span.ended = frame.t
            span.last = frame.seq if frame.seq != span.seq else 0  # acp-spy answered
            if message.failed:
                span.error = step.body
            else:
                span.result = step.body

    def _add_session(self, step: Step, session: tracked.Session) -> None:
        known = self._sessions.get(session.id)
        if known is None:
            self._sessions[session.id] = _Span(session, step.frame.seq, step.frame.t)
        else:
            known.about = session  # opened after it was used, or loaded again

    def _add_event(
        self,
        step: Step,
        state: tracked.Conversation,
        event: ev.Event,
        session: tracked.Session,
    ) -> None:
        frame, turn = step.frame, session.turn
        if isinstance(event, ev.TurnStarted) and turn and turn.exchange is step.exchange:
            span = _TurnSpan(
                turn, frame.seq, frame.t, session=session.id, prompt=_text(event.prompt)
            )
            self._turns[id(turn.exchange)] = span
            self._open_turns.setdefault(session.id, {})[id(turn.exchange)] = span
        elif isinstance(event, ev.Said) and event.role == "agent":
            self.add_text(session, _text([event.content]))
        elif isinstance(event, ev.ToolCallChanged):
            call = session.tool_calls.get(event.tool_call or "")
            if call is not None:
                self._add_call(step, state, session, call)

    def _add_call(
        self,
        step: Step,
        state: tracked.Conversation,
        session: tracked.Session,
        call: tracked.ToolCall,
    ) -> None:
        frame = step.frame
        span = self._calls.get(id(call))
        if span is None:
            turn = session.turn.exchange.seq if session.turn else None
            is_replayed = any(state.pending.about("session/load", session.id))
            span = self._calls[id(call)] = _CallSpan(
                call, frame.seq, frame.t, session=session.id, turn=turn, is_replayed=is_replayed
            )
        span.last = frame.seq
        if span.ended is None and not call.is_open:
            span.ended = frame.t

    def _end_turns(self, step: Step, session: tracked.Session, events: Sequence[ev.Event]) -> None:
        """End the turns that the tracker has ended with this step."""
        spans = self._open_turns.get(session.id, {})
        if isinstance(step.message, Response):
            still_open = {id(step.exchange)} if session.turns.of(step.exchange) else set()
            mine = {id(step.exchange)} & spans.keys()
        else:
            still_open = {id(turn.exchange) for turn in session.turns}
            mine = {*spans}
        for key in sorted(mine - still_open, key=lambda key: spans[key].seq):
            span = spans.pop(key)
            span.ended = step.frame.t
            reasons = (getattr(event, "stop_reason", None) for event in events)
            span.stop_reason = next(filter(None, map(text, reasons)), None)
            if isinstance(step.message, Response) and step.message.failed:
                span.error = step.body

    def close(self, state: tracked.Conversation, *, has_times: bool) -> Conversation:
        """Return all of it."""

        def duration(span: _Span) -> float | None:
            if span.ended is None or not has_times:
                return None
            return round(max(0.0, span.ended - span.started), 6)

        exchanges = tuple(
            Exchange(
                span.seq,
                span.about.sender,
                span.about.method,
                span.about.params,
                span.about.session,
                span.started,
                span.ended,
                duration(span),
                span.last or None,
                span.result,
                span.error,
            )
            for span in self._exchanges.values()
        )
        calls: dict[str, list[ToolCall]] = {}
        calls_of_turns: dict[tuple[str, int | None], list[ToolCall]] = {}
        for span in self._calls.values():
            call = ToolCall(
                span.about.id,
                span.session,
                span.turn,
                span.seq,
                span.last,
                span.about.title or span.about.name,
                span.about.kind,
                span.about.status,
                span.about.permission,
                span.started,
                span.ended,
                None if span.is_replayed else duration(span),
                span.is_replayed,
            )
            calls.setdefault(span.session, []).append(call)
            calls_of_turns.setdefault((span.session, span.turn), []).append(call)
        turns: dict[str, list[Turn]] = {}
        for each in self._turns.values():
            turn = Turn(
                each.seq,
                each.session,
                each.prompt,
                "".join(each.said),
                each.stop_reason,
                each.error,
                each.about.cancelled_at is not None,
                each.started,
                each.ended,
                duration(each),
                tuple(calls_of_turns.get((each.session, each.seq), ())),
            )
            turns.setdefault(each.session, []).append(turn)
        sessions = tuple(
            Session(
                name,
                span.about.how,
                text(span.about.cwd) or "",
                span.seq,
                span.started,
                tuple(turns.get(name, ())),
                tuple(calls.get(name, ())),
            )
            for name, span in self._sessions.items()
        )
        return Conversation(
            state.version if type(state.version) is int else None,
            fields(state.info.get(Peer.CLIENT)),
            fields(state.info.get(Peer.AGENT)),
            sessions,
            exchanges,
        )


def _text(blocks: Any) -> str:
    """Return the texts in the blocks of a prompt or a message; of another shape, what is one."""
    texts = (text(fields(block).get("text")) for block in items(blocks))
    return text(blocks) or "\n".join(filter(None, texts))
