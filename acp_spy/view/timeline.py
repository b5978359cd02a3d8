"""A capture as rows: the one model that every renderer reads."""

from collections.abc import Iterable
from typing import final

import msgspec

from acp_spy.capture.records import (
    ANSWERED,
    DROPPED,
    Closed,
    Delivery,
    Disconnect,
    Exit,
    Header,
    HttpExchange,
    Record,
    Stderr,
)
from acp_spy.conversation.chunk import ROLES, Chunk, text_in
from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Conversation, Exchange, Run, Step
from acp_spy.conversation.tracker import Moment, Tracker
from acp_spy.diagnosis.diagnose import Diagnoser
from acp_spy.diagnosis.diagnosing_checker import DiagnosingChecker
from acp_spy.diagnosis.kinds import Diagnosis
from acp_spy.lint.linter import Crash
from acp_spy.lint.rule import Finding
from acp_spy.lint.ruleset import ALL_RULES, Ruleset
from acp_spy.protocol import events as ev
from acp_spy.view.gists import gist_of, spoken
from acp_spy.view.gists.http import disconnect_words, exchange_words
from acp_spy.view.gists.mcp import is_mcp_error
from acp_spy.view.gists.words import plain
from acp_spy.wire.frame import Frame, Peer
from acp_spy.wire.jsonrpc import Notification, Request, Response, Unreadable
from acp_spy.wire.values import fields, text


class Row(msgspec.Struct, frozen=True, gc=False):
    """
    One thing that happened.

    `kind` is request, response, notification, noise (a frame that is not a message), delivery (what
    became of a frame that was not delivered as sent), exchange (an HTTP request and its status),
    disconnect (the end of a stream or WebSocket), stderr, closed or exit. `what` is a method, the
    response to one, or a word for anything else; `gist` is its content for a person. Both hold
    what a peer has sent: a renderer must not let it act.
    """

    kind: str
    t: float
    what: str
    record: Record
    gist: str = ""
    gap: float = 0.0  # seconds since the row before
    seq: int | None = None
    sender: Peer | None = None
    method: str = ""  # of the request or notification, or of the request that this responds to
    failed: bool = False  # an error response
    latency: float | None = None  # of a response, in seconds, where times are known
    size: int = 0  # in bytes, as sent
    session: str | None = None
    turn: int | None = None  # the frame of the prompt that this belongs to
    turn_number: int | None = None  # of that turn, counted from 1 in the whole capture
    turn_edge: str = ""  # start, end
    tool: str | None = None  # the tool call's id
    tool_edge: str = ""  # start, end
    duration: float | None = None  # of the tool call that ends here, in seconds
    partner: int | None = None  # the frame of the request that a response belongs to
    stream: str = ""  # agent, thought or user: `text` is a piece of what it says
    text: str = ""  # else the output of a tool call
    findings: tuple[Finding, ...] = ()
    fate: str = ""  # of a frame that was not delivered as sent: the action
    hop: str = ""  # successor: wrapped, between a proxy and its successor
    mcp: str = ""  # the method of the MCP message that it carries, or responds to
    server: str = ""  # the MCP server that this is for

    @property
    def is_message(self) -> bool:
        """Whether it is a frame that means something in JSON-RPC."""
        return self.kind in ("request", "response", "notification")


_Turn = tuple[int | None, int | None]  # the frame of its prompt, and its number
_NO_TURN: _Turn = (None, None)
# What becomes of a line that is not delivered because of a repair, by the code of its rule.
_DROPS = {
    "FRM004": "moved to stderr",
    "FRM007": "joined with the lines after it",
    "FRM016": "moved to stderr",
}
_VARIANT_KEYS = ("sessionUpdate", "@type", "type", "kind")
Late = dict[int, list[Finding]]


@final
class Passed(msgspec.Struct, frozen=True, gc=False):
    """A frame that goes on with a text: what its row is made of, if somebody asks for the row."""

    frame: Frame
    run: Run
    turn: _Turn
    gap: float


class Timeline:
    """
    Feed it the records of one capture in their order, then close it. Memory does not grow.

    Without a ruleset nothing is judged. A finding can come to light long after its frame: `late`,
    made by `late_findings`, puts each under its frame; without it, a finding is shown with the row
    at which it came to light.
    """

    def __init__(self, ruleset: Ruleset | None = ALL_RULES, late: Late | None = None) -> None:
        checker = ruleset.checker() if ruleset else None
        self._linter = checker.linter if checker else None
        self._tracker = checker.tracker if checker else Tracker()
        self._diagnoser = Diagnoser(self._tracker.state) if checker else None
        self.moment: Moment = Header()  # what the last record meant
        self._late = None if late is None else dict(late)
        self._t: float | None = None
        self._seq = 0
        self._responses: dict[int, str] = {}  # to what they responded, by frame
        self._open: dict[str, _Turn] = {}  # the open turn of each session
        self._numbers: dict[int, int] = {}  # of the open turns, by the frame of the prompt
        # When each open tool call began: by hop, session and id.
        self._calls: dict[tuple[bool, str, str], float] = {}

    @property
    def last_seq(self) -> int:
        """The number of the last frame."""
        return self._seq

    @property
    def state(self) -> Conversation:
        """The conversation so far."""
        return self._tracker.state

    @property
    def ended(self) -> bool:
        """Whether the agent's exit has been recorded."""
        return self._tracker.ended

    @property
    def exited(self) -> float | None:
        """When the agent exited, if that has been recorded."""
        return self._tracker.end().t if self._tracker.ended else None

    @property
    def crashes(self) -> list[Crash]:
        """The rules that raised so far: what they would have found is not known."""
        return self._linter.crashes if self._linter else []

    def add_findings(self, found: Iterable[Finding]) -> None:
        """Take note, for the diagnosis, of findings from elsewhere."""
        if self._diagnoser:
            self._diagnoser.add_findings(found)

    def diagnosis(self, now: float | None = None) -> Diagnosis | None:
        """Return the diagnosis so far, if it is judged; `now` is that of a running recording."""
        return self._diagnoser.diagnosis(now) if self._diagnoser else None

    def feed(self, record: Record) -> list[Row]:
        """Return the rows that `record` makes: one, or none for a header."""
        moment = self.moment = self._tracker.look(record)
        if isinstance(moment, Delivery):
            return [self._follow_delivery(moment)]
        found = self._linter.judge(moment) if self._linter else []
        if self._diagnoser and type(moment) is not Chunk:
            self._diagnoser.feed(moment, found)
        self._tracker.advance(moment)
        match moment:
            case Chunk():
                row = self._row_of_chunk(moment, self._placed(found, moment.frame.seq))
            case Step():
                row = self._row_of_step(moment, self._placed(found, moment.frame.seq))
            case Stderr(t=t, raw=raw):
                findings = self._placed(found, self._seq, add_late=False)
                row = Row(
                    "stderr",
                    t,
                    "stderr",
                    record,
                    plain(raw),
                    gap=self._gap(t),
                    size=len(raw),
                    findings=findings,
                )
            case Closed(t=t, sender=sender):
                findings = self._placed(found, self._seq, add_late=False)
                row = Row(
                    "closed",
                    t,
                    "closed its stream",
                    record,
                    gap=self._gap(t),
                    sender=sender,
                    findings=findings,
                )
            case HttpExchange() | Disconnect():
                row = self._row_of_http(moment, self._placed(found, self._seq, add_late=False))
            case Exit(t=t, status=status, reason=reason):
                end = f"status {status}" if status >= 0 else f"killed by signal {-status}"
                what = "agent not started" if reason else "agent exited"
                row = Row("exit", t, what, record, reason or end, gap=self._gap(t))
            case _:
                return []
        return [row]

    def pass_text(self, frame: Frame) -> Passed | None:
        """
        Take in a frame that goes on with a text, as `Tracker.pass_text` does; nothing for others.

        To `feed` them is the same with a row, and takes longer. Only without a ruleset.
        """
        run = self._tracker.pass_text(frame)
        if run is None:
            return None
        t, self._t = self._t, frame.t
        self._seq = frame.seq
        turn = self._open.get(run.session.id, _NO_TURN)
        return Passed(frame, run, turn, 0.0 if t is None else frame.t - t)

    def row_of(self, passed: Passed) -> Row:
        """Return the row of a frame that `pass_text` has taken in, whatever came since."""
        frame, run = passed.frame, passed.run
        return _row_of_text(frame, run, text_in(frame, run), passed.turn, passed.gap, ())

    def close(self, *, running: bool = False) -> list[Finding]:
        """
        Return what came to light only at the end, and has not been placed.

        Nothing is at its end while the recording is `running`.
        """
        found = self._linter.judge(self._tracker.end()) if self._linter and not running else []
        self.add_findings(found)
        if self._late is None:
            return found
        return [finding for late in self._late.values() for finding in late]  # of no frame

    def _placed(
        self, found: list[Finding], seq: int, *, add_late: bool = True
    ) -> tuple[Finding, ...]:
        if self._late is None:
            return tuple(found)
        late = self._late.pop(seq, ()) if add_late else ()
        if not found and not late:
            return ()
        return (*(finding for finding in found if finding.seq == seq), *late)

    def _gap(self, t: float) -> float:
        gap = 0.0 if self._t is None else t - self._t
        self._t = t
        return gap

    def _follow_delivery(self, delivery: Delivery) -> Row:
        row = self._row_of_delivery(delivery)  # what it is a response to is forgotten afterwards
        if self._diagnoser:
            self._diagnoser.feed(delivery)
        self._tracker.advance(delivery)
        return self._end_turn(delivery, row) if delivery.action == ANSWERED else row

    def _row_of_delivery(self, delivery: Delivery) -> Row:
        gist, raw = delivery.error, delivery.raw or b""
        if raw:
            line = Frame(delivery.seq, delivery.t, delivery.to.other, raw)
            meant = self._tracker.look_closely(line)
            kind, what, failed = _name(meant)
            if kind == "response":  # to a request that is not pending any more
                what = self._responses.get(delivery.seq, what)
            gist = f"{what}  {gist_of(meant, failed)}"
        by, done = f" by {delivery.by}" if delivery.by else "", delivery.action
        if done == DROPPED and delivery.by.startswith("fix "):
            codes = delivery.by[4:].split(", ")
            done = next((_DROPS[code] for code in codes if code in _DROPS), done)
        return Row(
            "delivery",
            delivery.t,
            f"#{delivery.seq} {done}{by}",
            delivery,
            gist.strip(),
            gap=self._gap(delivery.t),
            sender=delivery.to.other,
            failed=bool(delivery.error),
            size=len(raw),
        )

    def _end_turn(self, delivery: Delivery, row: Row) -> Row:
        """Return the row of a response by acp-spy: if it is one to a prompt, a turn ends there."""
        for session, (prompt, number) in self._open.items():
            if prompt == delivery.seq:
                del self._open[session]
                self._numbers.pop(prompt, None)
                place = {"session": session, "turn": prompt, "turn_number": number}
                return msgspec.structs.replace(row, **place, turn_edge="end")
        return row

    def _row_of_http(self, record: HttpExchange | Disconnect, findings: tuple[Finding, ...]) -> Row:
        turn, number = self._open.get(record.session, _NO_TURN)
        if isinstance(record, HttpExchange):
            kind, (what, gist) = "exchange", exchange_words(record)
            sender = Peer.AGENT if record.status and not record.by else None
            failed, latency = record.is_refused or bool(record.error), record.seconds or None
        else:
            kind, (what, gist) = "disconnect", disconnect_words(record)
            sender = {"client": Peer.CLIENT, "agent": Peer.AGENT}.get(record.by)
            failed, latency = record.lost, None
        return Row(
            kind,
            record.t,
            what,
            record,
            gist,
            gap=self._gap(record.t),
            sender=sender,
            failed=failed,
            latency=latency,
            session=record.session or None,
            turn=turn,
            turn_number=number,
            findings=findings,
        )

    def _row_of_step(self, step: Step, findings: tuple[Finding, ...]) -> Row:
        frame, shown = step.frame, step.inner or step  # what is wrapped is what is shown
        self._seq = frame.seq
        kind, what, failed = _name(shown)
        event, exchange, mcp = shown.event, shown.exchange, shown.mcp
        is_answer = kind == "response" and exchange is not None
        session = shown.session_id
        if shown is step:
            (turn, number), edge = self._turn_of(step, session)
        else:
            what, edge = f"successor › {what}", ""
            turn, number = self._turn_around(session)
        if kind == "response":
            remember(self._responses, frame.seq, what)
        tool_edge, duration = self._tool_edge_of(shown, session, wrapped=shown is not step)
        role, said = spoken(event)
        return Row(
            kind,
            frame.t,
            what,
            frame,
            gist_of(shown, failed),
            gap=self._gap(frame.t),
            seq=frame.seq,
            sender=frame.sender,
            method=shown.method,
            failed=failed,
            # Nothing takes no time at all: another tool has not written down when it was.
            latency=(frame.t - exchange.t or None) if is_answer and exchange else None,
            size=len(frame.raw),
            session=session,
            turn=turn,
            turn_number=number,
            turn_edge=edge,
            tool=mcp.tool_call if mcp else getattr(event, "tool_call", None),
            tool_edge=tool_edge,
            duration=duration,
            partner=exchange.seq if is_answer and exchange else None,
            stream=role,
            text=said,
            findings=findings,
            hop="" if shown is step else "successor",
            mcp=mcp.method if mcp else "",
            server=mcp.server if mcp else "",
        )

    def _turn_around(self, session: str | None) -> _Turn:
        """Return the turn with the predecessor in which a proxy talks to its successor."""
        if session in self._open:
            return self._open[session]
        # The proxy may have given the session another name.
        return next(iter(self._open.values())) if len(self._open) == 1 else _NO_TURN

    def _row_of_chunk(self, chunk: Chunk, findings: tuple[Finding, ...]) -> Row:
        frame, run = chunk.frame, chunk.run
        self._seq = frame.seq
        turn = self._open.get(run.session.id, _NO_TURN)
        return _row_of_text(frame, run, chunk.text, turn, self._gap(frame.t), findings)

    def _turn_of(self, step: Step, session: str | None) -> tuple[_Turn, str]:
        """Return the turn that a frame belongs to, and whether it begins or ends it."""
        event, exchange = step.event, step.exchange
        turn: _Turn
        if isinstance(event, ev.TurnStarted) and exchange is not None:
            turn = exchange.seq, self._number_of(exchange, session)
            if session is not None:
                remember(self._open, session, turn)
            return turn, "start"
        if isinstance(event, ev.TurnEnded) and exchange is not None:
            turn = exchange.seq, self._numbers.pop(exchange.seq, None)
            if session is not None and self._open.get(session, _NO_TURN)[0] == exchange.seq:
                del self._open[session]
            return turn, "end"
        if session is None or session not in self._open:
            return _NO_TURN, ""
        turn = self._open[session]
        known = self.state.sessions.get(session)
        if isinstance(event, ev.StateChanged) and (known is None or not known.turns):
            del self._open[session]  # version 2: the turn ends with its state, not with an answer
            return turn, "end"
        return turn, ""

    def _number_of(self, exchange: Exchange, session: str | None) -> int | None:
        """Return the number of the turn that a prompt has begun, as the tracker counts them."""
        known = self.state.sessions.get(session or "")
        if known is None or known.turn is None or known.turn.exchange is not exchange:
            return None
        remember(self._numbers, exchange.seq, known.turn.number)
        return known.turn.number

    def _tool_edge_of(
        self, step: Step, session: str | None, *, wrapped: bool
    ) -> tuple[str, float | None]:
        """Return whether a frame begins or ends a tool call, and then how long the call took."""
        event = step.event
        if not isinstance(event, ev.ToolCallChanged) or session is None:
            return "", None
        known = step.state.sessions.get(session)  # as it is by now
        call = known.tool_calls.get(event.tool_call or "") if known else None
        if call is None:
            return "", None
        key, t = (wrapped, session, call.id), step.frame.t
        began = self._calls.get(key)
        if began is None and call.seq != step.frame.seq:
            return "", None  # it ended before, or is replayed
        if call.is_open:
            remember(self._calls, key, t if began is None else began)
            return "start" if began is None else "", None
        self._calls.pop(key, None)
        # As with a latency: nothing takes no time at all.
        return "end", None if began is None else (t - began or None)


class Survey(msgspec.Struct, frozen=True):
    """What a first pass over a whole capture gives: late findings by frame, how many sessions."""

    late: Late
    sessions: int
    diagnosis: Diagnosis | None = None


def survey(
    records: Iterable[Record],
    ruleset: Ruleset = ALL_RULES,
    *,
    now: float | None = None,
    also: Iterable[Finding] = (),
) -> Survey:
    """
    Judge a capture for what comes to light only after its place.

    `now` is the time on the capture's clock, if it is being recorded; `also` are findings from
    elsewhere, which count for the diagnosis.
    """
    checker = DiagnosingChecker(ruleset.checker())
    late: Late = {}
    seq = 0
    for record in records:
        if isinstance(record, Frame):
            seq = record.seq
        for finding in checker.feed(record):
            if finding.seq != seq:
                late.setdefault(finding.seq, []).append(finding)
    for finding in checker.close() if now is None else []:
        late.setdefault(finding.seq, []).append(finding)
    checker.add_findings(also)
    sessions = checker.tracker.state.sessions.values()
    count = sum(session.how != "listed" for session in sessions)
    return Survey(late, count, checker.diagnosis(now))


def late_findings(records: Iterable[Record], ruleset: Ruleset = ALL_RULES) -> Late:
    """Return the findings that come to light after their frame, by frame."""
    return survey(records, ruleset).late


def _row_of_text(
    frame: Frame, run: Run, said: str, turn: _Turn, gap: float, findings: tuple[Finding, ...]
) -> Row:
    return Row(
        "notification",
        frame.t,
        run.name,
        frame,
        said,
        gap=gap,
        seq=frame.seq,
        sender=frame.sender,
        method="session/update",
        size=len(frame.raw),
        session=run.session.id,
        turn=turn[0],
        turn_number=turn[1],
        stream=ROLES[run.name],
        text=said,
        findings=findings,
    )


def _name(step: Step) -> tuple[str, str, bool]:
    """Return the kind of a frame, its name in words, and whether it is an error."""
    match step.message:
        case Request(method=method):
            return "request", _carrying(method, step), False
        case Notification(method=method):
            return "notification", _variant(step) or _carrying(method, step), False
        case Response(id=ident, failed=failed):
            asked = _carrying(step.method, step) or f"id {plain(ident) or '(none)'}"
            what = f"{'error response' if failed else 'response'} to {asked}"
            return "response", what, failed or (step.mcp is not None and is_mcp_error(step))
        case Unreadable(reason=reason):
            return "noise", reason, False


def _carrying(method: str, step: Step) -> str:
    return f"mcp › {step.mcp.method}" if step.mcp and step.mcp.method else method


def _variant(step: Step) -> str:
    """Return the name of an update, by whatever key it has: a dialect has its own."""
    update = fields(step.body).get("update") if step.method == "session/update" else None
    if not isinstance(update, dict):
        return ""
    return next(filter(None, (text(update.get(key)) for key in _VARIANT_KEYS)), "")
