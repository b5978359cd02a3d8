"""
Records in, statistics out. It walks the one tracker and keeps no state of the conversation itself.

Memory does not grow with the capture: of all turns, tool calls and stalls the longest are kept,
and of the spans between request and response their distribution.
"""

import copy
import os
import time
from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from acp_spy.capture.files import records_of
from acp_spy.capture.folder import is_running
from acp_spy.capture.records import (
    ANSWERED,
    Capture,
    Delivery,
    Disconnect,
    Exit,
    Header,
    HttpExchange,
    Record,
    Stderr,
)
from acp_spy.conversation.chunk import Chunk
from acp_spy.conversation.state import Conversation, Run, Session, Step
from acp_spy.conversation.tracker import Moment, Tracker
from acp_spy.protocol import events as ev
from acp_spy.view.gists.words import who
from acp_spy.view.pending import pending_requests
from acp_spy.view.stats.calls import Calls, spans
from acp_spy.view.stats.longest import Longest
from acp_spy.view.stats.mcp import McpCalls
from acp_spy.view.stats.model import Http, PendingRequest, Stats, Turn, Turns
from acp_spy.view.stats.quantiles import Quantiles
from acp_spy.view.stats.traffic import Course, SenderTally
from acp_spy.view.stats.turn import STALL, TurnTally, events_of
from acp_spy.view.stats.untimed import without_times
from acp_spy.wire.frame import Frame, Peer
from acp_spy.wire.jsonrpc import Response, Unreadable, read_message
from acp_spy.wire.values import decoded, fields, text

MOST_TURNS = 200  # that are listed
_MOST_OPEN = 1000
_LONGEST_NAME = 500
_MOST_PENDING = 20


def stats(capture: Capture | str | os.PathLike[str]) -> Stats:
    """Return the statistics of a capture, a path or what `load` gave: those of `acp-spy stats`."""
    return collect(records_of(capture), now=time.time() if is_running(capture) else None)


def collect(records: Iterable[Record], *, now: float | None = None) -> Stats:
    """
    Return the statistics of a capture.

    While it is being recorded, `now` is the time in seconds since the epoch.
    """
    tracker, collector = Tracker(), Collector()
    state = tracker.state
    for record in records:
        if run := tracker.pass_text(record):
            collector.add_text(state.last, run)
        else:
            collector.add(tracker.follow(record), state)
    return collector.close(now)


class Collector:
    """Give it each moment of one conversation, with the state after it, then close it."""

    def __init__(self) -> None:
        self._senders = {peer: SenderTally() for peer in Peer}
        self._course = Course()
        self._calls = Calls()
        self._mcp = McpCalls()
        self._turns: Longest[Turn] = Longest(MOST_TURNS)
        self._durations, self._first_updates = Quantiles(), Quantiles()
        self._open: dict[int, TurnTally] = {}  # by the prompt's frame
        self._counts = {"ended": 0, "error": 0, "open": 0}
        self._t = 0.0
        self._stderr_bytes = 0
        self._http: Http | None = None
        self._status: int | None = None
        self._reason = ""
        self._header = Header()
        self._state = Conversation()

    def add(self, moment: Moment, state: Conversation) -> None:
        """Take what a record meant, and the state after it."""
        self._state = state
        if isinstance(moment, Chunk):
            self.add_text(moment.frame, moment.run)
        elif isinstance(moment, Step):
            frame = moment.frame
            self._pass_time(frame.t)
            self._senders[frame.sender].add(frame)
            self._course.add(frame)
            self._add_step(moment)
        elif isinstance(moment, Header):
            self._header = moment
        else:
            self._pass_time(moment.t)
            if isinstance(moment, Stderr):
                self._stderr_bytes += len(moment.raw)
            elif isinstance(moment, HttpExchange | Disconnect):
                self._add_http(moment)
            elif isinstance(moment, Delivery) and moment.action == ANSWERED:
                self._add_answer(moment)
            elif isinstance(moment, Exit):
                self._status, self._reason = moment.status, moment.reason

    def add_text(self, frame: Frame, run: Run) -> None:
        """Take a plain piece of text of an open turn: most frames are one."""
        t, sender = frame.t, frame.sender
        if t > self._t:  # noqa: PLR1730 - for every frame, and max() is a call
            self._t = t
        self._senders[sender].add(frame)
        self._course.add(frame)
        self._calls.add_notification(sender, "session/update")
        tally = self._open.get(run.session.turns[-1].exchange.seq)
        if tally is not None:
            tally.pass_time(t, frame.seq)
            tally.note_frame(t, is_chunk=run.name != "user_message_chunk")

    def _add_answer(self, delivery: Delivery) -> None:
        """Take in a response of acp-spy, in the place of a peer's."""
        exchange = self._state.answered[-1] if self._state.answered else None
        if exchange is None or exchange.seq != delivery.seq:
            return
        message = read_message((delivery.raw or b"").strip())
        failed = isinstance(message, Response) and message.failed
        self._calls.add_response(exchange, exchange.name, delivery.t, failed=failed)
        if ended := self._open.pop(exchange.seq, None):
            reason = fields(decoded(getattr(message, "result", b""))).get("stopReason")
            outcome = "error" if failed else "ended"
            self._add(ended.result(delivery.t, outcome, text(reason)))
        elif tally := self._tally(self._state.sessions.get(exchange.session or "")):
            tally.note_answer(exchange.seq, delivery.t)

    def _add_http(self, moment: HttpExchange | Disconnect) -> None:
        known = self._http or Http()
        if isinstance(moment, Disconnect):
            self._http = replace(known, lost=known.lost + moment.lost)
            return
        is_refused = moment.is_refused or bool(moment.error)
        opens = moment.method == "GET" and bool(moment.stream) and not is_refused
        self._http = replace(
            known,
            exchanges=known.exchanges + 1,
            refused=known.refused + is_refused,
            streams=known.streams + opens,
        )

    def _pass_time(self, t: float) -> None:
        if t > self._t:  # noqa: PLR1730 - for every frame, and max() is a call
            self._t = t

    def so_far(self, now: float | None = None) -> Stats:
        """Return what `close` would return; more can be added afterwards."""
        other = copy.copy(self)
        vars(other).update(
            _course=self._course.copy(),
            _turns=self._turns.copy(),
            _durations=self._durations.copy(),
            _first_updates=self._first_updates.copy(),
            _counts={**self._counts},
            _open={seq: tally.copy() for seq, tally in self._open.items()},
        )
        return other.close(now)

    def close(self, now: float | None = None) -> Stats:
        """Return the statistics; `now` is given while the recording runs."""
        imported = self._header.is_imported
        if now is not None:
            self._pass_time(self._header.elapsed(now) or 0.0)
        for tally in self._open.values():
            tally.pass_time(self._t, None)
            self._add(tally.result(self._t, "open", None))
        self._open = {}
        info = self._state.info
        stats = Stats(
            agent=who(info.get(Peer.AGENT))[:_LONGEST_NAME],
            client=who(info.get(Peer.CLIENT))[:_LONGEST_NAME],
            frames=sum(tally.frames for tally in self._senders.values()),
            seconds=self._t,
            cut_off=self._status is None and not imported and now is None,
            status=self._status,
            reason=self._reason or None,
            senders={peer.value: tally.result() for peer, tally in self._senders.items()},
            stderr_bytes=self._stderr_bytes,
            traffic=self._course.result(self._t),
            methods=self._calls.result(),
            turns=Turns(
                count=sum(self._counts.values()),
                open=self._counts["open"],
                errors=self._counts["error"],
                seconds=spans(self._durations),
                first_update=spans(self._first_updates),
                longest=tuple(sorted(self._turns.things(), key=lambda turn: turn.seq)),
            ),
            sessions=len(self._state.sessions),
            stall_after=STALL,
            imported=imported,
            running=now is not None,
            tool_calls=self._calls.tools(),
            slowest=self._calls.slowest(),
            mcp=self._mcp.result(),
            http=self._http,
            pending=tuple(self._pending(cut_off=now is None and self._status is None)),
        )
        # Where a tool kept no times, every frame is at 0; two frames of a pipe are never.
        return without_times(stats) if imported and not self._t else stats

    def _pending(self, *, cut_off: bool) -> Iterator[PendingRequest]:
        """Give what is pending; of a capture that was cut off nobody knows for how long it was."""
        for each in pending_requests(self._state)[:_MOST_PENDING]:
            for request in (each.request, *each.blocks):
                seconds = None if cut_off else round(max(self._t - request.t, 0.0), 6)
                method = request.name[:_LONGEST_NAME]
                kept = each.kept_by if request is each.request else None
                asker = request.sender.value
                yield PendingRequest(request.seq, asker, method, request.t, seconds, kept)

    def _add_step(self, step: Step) -> None:
        sender = self._senders[step.frame.sender]
        self._calls.add(step)
        if step.inner is not None or step.mcp is not None:
            self._mcp.add(step.inner or step)
        message = step.message
        if isinstance(message, Unreadable):
            sender.noise += 1
        elif isinstance(message, Response) and step.exchange is None:
            sender.unmatched += 1
        events = events_of(step)
        session = step.session or self._named_by(events)
        if session is None and step.inner is not None and step.exchange is not None:
            session = self._state.sessions.get(step.exchange.session or "")
        if session is None:
            return
        for event in events:
            if isinstance(event, ev.TurnStarted):
                self._begin(step, session)
            elif isinstance(event, ev.TurnEnded | ev.StateChanged):
                self._end(step, session, text(event.stop_reason))
        if tally := self._tally(session):
            self._concern(tally, step, events, session)

    def _concern(
        self, tally: TurnTally, step: Step, events: Sequence[ev.Event], session: Session
    ) -> None:
        """Take a step that belongs to an open turn."""
        frame = step.frame
        tally.pass_time(frame.t, frame.seq)
        if frame.sender is Peer.AGENT:
            is_chunk = any(isinstance(event, ev.Said) and event.role != "user" for event in events)
            tally.note_frame(frame.t, is_chunk=is_chunk)
        tally.note_requests(step, events)
        for event in events:
            if (
                isinstance(event, ev.ToolCallChanged)
                and (call := session.tool_calls.get(event.tool_call or ""))
                and (ended := tally.tools.change(call, frame.seq, frame.t))
            ):
                self._calls.add_tool(ended)

    def _named_by(self, events: Iterable[ev.Event]) -> Session | None:
        names = (getattr(event, "session", None) for event in events)
        return next(filter(None, (self._state.sessions.get(name or "") for name in names)), None)

    def _tally(self, session: Session | None) -> TurnTally | None:
        turn = session.turn if session else None
        return self._open.get(turn.exchange.seq) if turn else None

    def _begin(self, step: Step, session: Session) -> None:
        turn = session.turn
        if turn is None or turn.exchange is not step.exchange:
            return
        if len(self._open) >= _MOST_OPEN:  # the oldest will hardly end any more
            oldest = self._open.pop(next(iter(self._open)))
            self._add(oldest.result(step.frame.t, "open", None))
        self._open[turn.exchange.seq] = TurnTally(turn, session.id)

    def _end(self, step: Step, session: Session, reason: str | None) -> None:
        """Take in the end of those turns that, as the tracker says, `step` has ended."""
        frame, message = step.frame, step.message
        if isinstance(message, Response):
            ended = [step.exchange.seq] if step.exchange else []
        elif session.last_turn_end == frame.t:  # version 2: ended by the session's state
            still_open = {turn.exchange.seq for turn in session.turns}
            mine = (seq for seq, tally in self._open.items() if tally.session == session.id)
            ended = [seq for seq in mine if seq not in still_open]
        else:
            return
        outcome = "error" if isinstance(message, Response) and message.failed else "ended"
        for tally in filter(None, (self._open.pop(seq, None) for seq in ended)):
            tally.pass_time(frame.t, frame.seq)
            tally.note_frame(frame.t, is_chunk=False)
            self._add(tally.result(frame.t, outcome, reason))

    def _add(self, turn: Turn) -> None:
        self._counts[turn.outcome] += 1
        if turn.seconds is not None:
            self._durations.add(turn.seconds)
        if turn.first_update is not None:
            self._first_updates.add(turn.first_update)
        self._turns.add(self._t - turn.t if turn.seconds is None else turn.seconds, turn)
