"""
What is kept of a conversation for its diagnosis, besides the tracker's state.

It is shown each moment before the tracker advances, as the linter is; plain chunks of text need not
be shown to it, because the tracker keeps what is needed of them. Nothing here grows with the length
of the conversation without a bound.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from acp_spy.capture.records import (
    ANSWERED,
    DROPPED,
    FAILED,
    HELD,
    INJECTED,
    REPLACED,
    Closed,
    Delivery,
    Disconnect,
    Exit,
    Header,
    HttpExchange,
    Stderr,
)
from acp_spy.conversation.chunk import LONG_SILENCE
from acp_spy.conversation.deliveries import is_reworded
from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import (
    Conversation,
    Exchange,
    Phase,
    Session,
    Step,
    Turn,
    Withheld,
)
from acp_spy.conversation.tracker import Moment
from acp_spy.diagnosis.holds import Holds
from acp_spy.dialect.interpret import interpret_error, interpret_result
from acp_spy.dialect.known import translated
from acp_spy.lint.envelope import has_answer
from acp_spy.lint.lines import is_header
from acp_spy.lint.other_protocols import foreign_protocol_in, protocol_of_method
from acp_spy.lint.pairing import answers_on_stderr, ids_in, meant_by, only_open
from acp_spy.lint.posts import comes_on, has_updates, named, streams_for
from acp_spy.lint.rule import Finding, Severity
from acp_spy.protocol import events as ev
from acp_spy.protocol.names import AUTH_REQUIRED, LOGINS, SETUPS
from acp_spy.wire.frame import Frame, Peer
from acp_spy.wire.jsonrpc import Message, Notification, Request, Response, read_message
from acp_spy.wire.values import decoded, error_detail, fields, items, text

PERMISSION = "session/request_permission"
PROMPT = "session/prompt"
LSP_FRAMING = "LSP's framing (`Content-Length` headers)"

_LAST_LINES, _LONGEST_LINE = 3, 200  # of stderr
_MOST = 64  # of each thing that is remembered
SLOW_REQUEST = 5.0  # seconds
_TIME_TO_CONFIRM = 1.0  # seconds that an agent has to confirm a cancel before the client leaves
_REPLAYS = frozenset(("session/load", "session/resume"))
_PENDING = frozenset(("RPC006", "RPC022"))  # the rules that report what is pending at the end
_OPENED = frozenset(("new", "load", "resume", "fork", "subagent"))  # how a client gets a session


class Failure(msgspec.Struct):
    """A request that was answered with an error, or a turn that ended without any output."""

    exchange: Exchange
    seq: int  # of the response
    t: float
    code: int | None = None
    message: str = ""
    is_empty: bool = False  # a turn without output
    after_cancel: bool = False  # the turn before it in this session was cancelled
    is_stranger: bool = False  # the client never opened that session
    by: str = ""  # what of acp-spy answered in the agent's place
    is_replaced: bool = False  # the agent had answered without an error


class LostAnswer(msgspec.Struct, frozen=True):
    """A response that its receiver cannot take for one: of whom, where, and why."""

    exchange: Exchange
    sender: Peer
    seq: int | None  # `None` for stderr
    how: str


class RefusedPost(msgspec.Struct, frozen=True):
    """A message that an HTTP server has refused, and how."""

    http: HttpExchange
    posted: Step


class SlowStep(msgspec.Struct, frozen=True):
    """Something that took long: how long, what, and where it ended."""

    seconds: float
    words: str
    seq: tuple[int, ...]


class Evidence:
    """Show it the moments of a conversation whose state is `state`."""

    script_failures: tuple[int, Delivery] | None = None  # of a script: how many, the first

    def __init__(self, state: Conversation) -> None:
        self.state = state
        self.header = Header()
        self.first: dict[Peer, int] = {}  # the first frame of each peer
        self.started: float | None = None  # when the first frame came
        # The last request or response that lets a turn go on: when, and of which session.
        self.last: dict[Peer, tuple[float, str | None]] = {}
        self.client_requests = 0
        self.noise: dict[Peer, tuple[int, int, bytes]] = {}  # how many lines, the first of them
        self.noise_in_handshake = False  # by the agent
        self.cut: dict[Peer, int] = {}  # the frame of a message that a peer did not finish
        self.foreign: tuple[Peer, int, str] | None = None
        self.stderr: deque[str] = deque(maxlen=_LAST_LINES)
        self.stderr_at = 0.0  # when its last line came
        self.lost: dict[int, LostAnswer] = {}  # by the frame of the request
        self.strangers: dict[int, Exchange] = {}  # permissions for sessions that nobody opened
        self.initialize: Exchange | None = None
        self.echo: int | None = None  # the frame in which the agent sent it back
        self.version_seq: int | None = None  # the frame that answered it
        self.refused: Failure | None = None  # `initialize`
        self.unopened: Failure | None = None  # the first refusal since a session was opened
        self.unauthorized: Failure | None = None  # the same, because a login is required
        self.failures: dict[str | None, Failure] = {}  # by session, since its last good turn
        self.recovered: Failure | None = None  # the first failed turn that others followed
        self.failed_turns = 0
        self.sessions = 0
        self.turns = 0
        self.stop_reason = ""
        self.slow: list[SlowStep] = []
        self.closed: dict[Peer, float] = {}  # in their order
        self.exit: Exit | None = None
        self.unreachable: HttpExchange | None = None  # the last, if none was answered since
        self.refused_responses: dict[int, RefusedPost] = {}  # by the frame of the request
        self.refused_post: RefusedPost | None = None  # the first request since one was accepted
        self.unknown: HttpExchange | None = None  # the first for a connection that is not known
        self.lost_streams: dict[tuple[str, str], Disconnect] = {}  # not opened again
        # That were asked for, by connection and session.
        self._streams: dict[tuple[str, str], HttpExchange] = {}
        self._accepted: dict[int, HttpExchange] = {}  # POSTs, by the frame of the request
        self._posts: dict[int, Step] = {}  # whose status is not known yet
        self.t = 0.0
        self.refused_asks: dict[str | None, Failure] = {}  # the agent's last, by session
        self._lost_or_wrong: list[Finding] = []  # errors that can make a peer wait
        self.errors = 0
        self.first_error: Finding | None = None
        self.now = 0.0  # until when durations are counted
        self.running = False
        self.made_error: Failure | None = None  # that acp-spy answered with, since a good turn
        self.changed: dict[tuple[str, str], int] = {}  # frames, by who did what on their way
        self.holds = Holds()
        self._answers: dict[int, bool] = {}  # whether a response of the agent is an error
        self._unreadable_at = 0  # the agent's last frame that is not a message
        self._after_cancel: dict[str, int] = {}  # the prompt after a cancelled turn, by session

    def note(self, moment: Moment, findings: Iterable[Finding] = ()) -> None:
        """Take in what a record means, before the tracker does, and what was found in it."""
        if findings:
            self.note_findings(findings)
        if type(moment) is Step:
            frame = moment.frame
            if frame.via is not None and frame.sender is Peer.CLIENT:
                remember(self._posts, frame.seq, moment, most=_MOST)
            self._note_step(moment)
            return
        match moment:
            case Stderr(t=t, raw=raw):
                self.t = t
                self._note_stderr(raw)
            case Closed(t=t, sender=sender):
                self.t = t
                self.closed.setdefault(sender, t)
            case Exit(t=t):
                self.t, self.exit = t, moment
            case HttpExchange() | Disconnect():
                self.t = moment.t
                self._note_remote(moment)
            case Delivery():
                self.t = moment.t
                self._note_delivery(moment)
            case Header():
                self.header = moment
            case _:
                pass

    def note_findings(self, findings: Iterable[Finding]) -> None:
        """
        Take in what the linter has found: errors count, but not what follows from others.

        Neither do those of a peer that is translated for: they are the dialect that it speaks.
        """
        for finding in findings:
            if translated(finding.blame, "") in self.header.note:
                continue
            if finding.severity is Severity.ERROR and finding.because is None:
                self.errors += 1
                can_hang = finding.blame is Peer.CLIENT or finding.code.startswith(("FRM", "RPC"))
                if can_hang and finding.code not in _PENDING and len(self._lost_or_wrong) < _MOST:
                    self._lost_or_wrong.append(finding)
                if self.first_error is None or finding.seq < self.first_error.seq:
                    self.first_error = finding

    # ------------------------------------------------------------------ what cases want to know

    def error_in(self, session: Session, turn: Turn) -> Finding | None:
        """Return the first error in a turn that may be why it does not end."""
        prompt = turn.exchange.seq
        until = self.last_sign(session, turn) + LONG_SILENCE  # what a client does later is not why
        found = (
            each
            for each in self._lost_or_wrong
            if each.seq == prompt
            or (each.seq > prompt and (each.blame is Peer.AGENT or each.t < until))
        )
        return min(found, key=lambda each: each.seq, default=None)

    def error_of_client(self, seq: int) -> Finding | None:
        """Return the error in a frame of the client that a server would close or refuse for."""
        return next(
            (each for each in self._lost_or_wrong if each.seq == seq and each.blame is Peer.CLIENT),
            None,
        )

    @property
    def end(self) -> float:
        """The time of the last record."""
        return max(self.t, self.state.t)

    @property
    def has_times(self) -> bool:
        """Whether times are known: another tool may have written down none."""
        return not self.header.is_imported or self.end > 0

    @property
    def until(self) -> float:
        """When nobody waited any more: now, or when one of the peers left."""
        return min(self.now, *self.closed.values()) if self.closed else self.now

    def is_stuck(self, exchange: Exchange, since: float | None = None) -> bool:
        """
        Whether a request has been pending for so long that a person would ask why.

        `since` is when something last happened about it.
        """
        since = exchange.t if since is None else since
        return self.has_times and self.until - since >= LONG_SILENCE

    def withheld(self, *actions: str) -> list[Withheld]:
        """Return the frames that acp-spy keeps from a peer in one of these ways."""
        return [each for each in self.state.withheld.values() if each.action in actions]

    def never_delivered(self) -> list[Withheld]:
        """Return the same for what was dropped, or held when the recording ended."""
        held = [] if self.running else [one for one in self.withheld(HELD) if one.exchange]
        return sorted([*self.withheld(DROPPED), *held], key=lambda one: one.seq)

    def last_sign(self, session: Session, turn: Turn) -> float:
        """Return when something last happened in a turn."""
        times = [turn.exchange.t, turn.last[0].t if turn.last else 0.0]
        times += [t for t, about in self.last.values() if about == session.id]
        return max(times)

    @property
    def client_left_first(self) -> bool:
        """Whether the client ended the conversation."""
        return next(iter(self.closed), None) is Peer.CLIENT

    def pending(self, sender: Peer) -> Iterator[Exchange]:
        """Give the requests of `sender` that wait for a response, the oldest first."""
        return (
            each
            for each in self.state.pending.values()
            if each.sender is sender and each.cancelled_at is None
        )

    def unfinished(self, *, with_lost: bool = False) -> list[Exchange]:
        """
        Return what the agent has to finish: requests, and prompts accepted by version 2.

        Requests whose response was lost are finished to the agent: whether that is so is a guess.
        """
        accepted = [turn.exchange for _, turn in self.open_turns()]
        found = {each.seq: each for each in (*self.pending(Peer.CLIENT), *accepted)}
        return [found[seq] for seq in sorted(found) if with_lost or seq not in self.lost]

    def is_pending(self, exchange: Exchange) -> bool:
        """Whether this request has no answer."""
        return self.state.pending.get((exchange.sender, exchange.id)) is exchange

    def open_turns(self) -> Iterator[tuple[Session, Turn]]:
        """Give the turns that have not ended, with their sessions."""
        for session in self.state.sessions.values():
            for turn in session.turns:
                yield session, turn

    def stuck(self) -> Exchange | None:
        """
        Return the oldest request of the client that is stuck, as far as only the agent can go on.

        Version 2 answers a prompt at once, and the turn goes on: it is one of them.
        """
        turns = {turn.exchange.seq: (session, turn) for session, turn in self.open_turns()}
        found = [
            turn.exchange
            for session, turn in turns.values()
            if self.is_unconfirmed(turn)
            or self.is_stuck(turn.exchange, self.last_sign(session, turn))
        ]
        for exchange in self.pending(Peer.CLIENT):
            # What is sent meanwhile may be the replay of a session.
            is_replay = exchange.method in _REPLAYS
            since = max(self.state.t, exchange.t) if is_replay else exchange.t
            if exchange.seq not in turns and self.is_stuck(exchange, since):
                found.append(exchange)
                break
        return min(found, key=lambda each: each.seq, default=None)

    def stuck_turn(self) -> tuple[Session, Turn] | None:
        """Return the turn that is stuck, if that is what is stuck."""
        exchange = self.stuck()
        return next((each for each in self.open_turns() if each[1].exchange is exchange), None)

    def is_unconfirmed(self, turn: Turn) -> bool:
        """Whether an agent had time enough to confirm the cancel of this turn."""
        patience = LONG_SILENCE if self.running else _TIME_TO_CONFIRM
        cancelled = turn.cancelled_at
        return cancelled is not None and self.has_times and self.until - cancelled >= patience

    def is_stranger(self, exchange: Exchange) -> bool:
        """Whether the session that the agent names was never opened by the client."""
        session = self.state.sessions.get(exchange.session or "")
        if session is not None and session.how in _OPENED:
            return False
        about = self.state.pending.about
        return not any(about(replay, exchange.session) for replay in _REPLAYS)  # it is being opened

    def is_after_cancel(self, exchange: Exchange) -> bool:
        """Whether this prompt is the one after a cancelled turn of its session."""
        return self._after_cancel.get(exchange.session or "") == exchange.seq

    def lost_stream(self) -> tuple[Disconnect, list[Exchange]] | None:
        """Return a stream that the agent ended, and the requests that are pending because of it."""
        for end in self.lost_streams.values():
            since = [each for each in self.unfinished() if each.t <= end.t and comes_on(end, each)]
            if since:
                return end, since
        return None

    def unopened_stream(self) -> tuple[Exchange, str, HttpExchange | None] | None:
        """
        Return a request that is stuck because the stream of its response is not open.

        With the session of that stream, and the request for it, if that was refused.
        """
        exchange = self.stuck()
        if exchange is None or exchange.seq not in self._accepted:
            return None
        if len(self._streams) >= _MOST or has_updates(self.state, exchange):
            return None
        streams, connection = streams_for(exchange), self._accepted[exchange.seq].connection
        keys = named(connection, streams)
        asked = [self._streams[each] for each in keys if each in self._streams]
        if any(not http.is_refused for http in asked):
            return None
        return exchange, streams[-1], asked[0] if asked else None

    # ---------------------------------------------------------------------------------- frames

    def _note_step(self, step: Step) -> None:
        frame, message, state = step.frame, step.message, step.state
        sender = frame.sender
        if sender not in self.first:
            self.first[sender] = frame.seq
            if self.started is None:
                self.started = frame.t
        if frame.t - state.last.t >= LONG_SILENCE and state.pending:
            self._note_silence(step)
        self.t = frame.t
        if step.glued_at and state.phase is not Phase.READY:
            self._note_noise(step, frame.payload[: step.glued_at])
        kind = type(message)  # compared, not asked: this is for most frames that are not text
        if kind is Notification:
            if step.event is None:
                self._note_foreign(step)
            elif type(step.event) is ev.StateChanged:
                self._note_state(step, step.event)
        elif kind is Response:
            self._note_response(step)
        elif kind is Request:
            self._note_request(step)
        else:
            self._note_unreadable(step)

    def _note_silence(self, step: Step) -> None:
        """Take in that nothing was sent for long while a request was pending."""
        last = next(reversed(step.state.pending.values()))
        if last.method == PERMISSION or last.sender is Peer.AGENT or last.method != PROMPT:
            return  # how long it took is known when it is answered
        seconds = step.frame.t - max(step.state.t, self.holds.reached.get(last.sender.other, 0.0))
        if seconds < LONG_SILENCE:
            return  # acp-spy kept from the peer what it waited for
        who = last.sender.other.value
        self._add_slow(
            seconds, f"silence of the {who} before frame {step.frame.seq}", step.frame.seq
        )

    def _note_foreign(self, step: Step) -> None:
        if self.foreign is None and (protocol := protocol_of_method(step.method)):
            self.foreign = step.frame.sender, step.frame.seq, protocol

    def _note_noise(self, step: Step, line: bytes) -> None:
        sender = step.frame.sender
        if known := self.noise.get(sender):
            self.noise[sender] = known[0] + 1, known[1], known[2]
        else:
            self.noise[sender] = 1, step.frame.seq, line[:_LONGEST_LINE]
        if sender is Peer.AGENT and step.state.phase is not Phase.READY:
            self.noise_in_handshake = True

    def _note_unreadable(self, step: Step) -> None:
        frame = step.frame
        payload = frame.payload
        if not payload or payload.isspace():
            return
        if _is_cut(frame):
            self.cut[frame.sender] = frame.seq
            return
        if self.foreign is None:
            is_object = payload[:1] == b"{" and b'"' in payload  # not an empty one
            if is_header(payload):
                self.foreign = frame.sender, frame.seq, LSP_FRAMING
            elif is_object and (protocol := foreign_protocol_in(decoded(payload))):
                self.foreign = frame.sender, frame.seq, protocol
        self._note_noise(step, payload)
        if frame.sender is Peer.AGENT:
            self._unreadable_at = frame.seq
        if b'"' in payload:
            self._note_unreadable_answer(step, payload)

    def _note_unreadable_answer(self, step: Step, payload: bytes) -> None:
        sender, how = step.frame.sender, "in a line that is not valid JSON"
        if isinstance(value := decoded(payload), dict):
            how = "in an object that has neither `result` nor `error`"
        elif isinstance(value, list):
            how = "in a batch, which ACP does not have"
        for ident in ids_in(payload):
            for meant in meant_by(step.state, sender.other, ident):
                self._lose(meant, sender, step.frame.seq, how)

    def _note_request(self, step: Step) -> None:
        frame, exchange = step.frame, step.exchange
        assert exchange is not None
        meant = step.state.pending.get((frame.sender.other, exchange.id))
        if meant is not None and has_answer(step):
            how = "with a `method`, so it is read as a request"
            self._lose(meant, frame.sender, frame.seq, how)
            return
        if frame.sender is Peer.AGENT:
            if meant is not None and meant is self.initialize and step.method == meant.method:
                self.echo = frame.seq
            self.last[frame.sender] = frame.t, exchange.session
            if step.method == PERMISSION and self.is_stranger(exchange):
                remember(self.strangers, frame.seq, exchange, most=_MOST)
            return
        self.client_requests += 1
        if step.event is None:
            self._note_foreign(step)
        elif isinstance(step.event, ev.TurnStarted):
            self._note_prompt(step, exchange)
        elif isinstance(step.event, ev.InitializeAsked):
            self.initialize = exchange

    def _note_prompt(self, step: Step, exchange: Exchange) -> None:
        session = step.session
        if session is None:
            return
        after_cancel = self._after_cancel.get(session.id)
        if after_cancel is not None and session.turn_of(after_cancel):
            return  # that one still has no response
        self._after_cancel.pop(session.id, None)
        # A cancel is of all turns that are open: the oldest knows of every one.
        is_cancelled = bool(session.turns) and session.turns[0].cancelled_at is not None
        if session.last_turn_cancelled or is_cancelled:
            remember(self._after_cancel, session.id, exchange.seq, most=_MOST)

    def _note_unmatched(self, step: Step, message: Response) -> None:
        """Take in a response that matches no request: which one was it meant for?"""
        state, asker = step.state, step.frame.sender.other
        meant = next(meant_by(state, asker, message.id), None) or only_open(step, message.id)
        if meant is not None and meant.seq not in state.withheld:  # else acp-spy has changed it
            shown = message.id.decode(errors="replace")[:40]
            asked = meant.id.decode(errors="replace")[:40]
            has = f"with the id `{shown}`" if shown else "without an id,"
            how = f"{has} instead of `{asked}`"
            self._lose(meant, step.frame.sender, step.frame.seq, how)

    def _note_response(self, step: Step) -> None:
        frame, message, exchange = step.frame, step.message, step.exchange
        assert isinstance(message, Response)
        if exchange is None:
            self._note_unmatched(step, message)
            return
        self.last[frame.sender] = frame.t, exchange.session
        seconds, method = frame.t - exchange.t, exchange.method
        seconds -= self.holds.took(exchange.seq)  # the other peer did not have it yet
        if seconds >= SLOW_REQUEST and not isinstance(step.event, ev.TurnEnded):
            words = "waiting for a permission" if method == PERMISSION else f"`{method}`"
            self._add_slow(seconds, f"{words} (frame {exchange.seq})", exchange.seq, frame.seq)
        if exchange.seq in self.strangers and not message.failed:
            del self.strangers[exchange.seq]
        if exchange.sender is not Peer.CLIENT:
            self._note_answer_of_client(step, message, exchange)
            return
        remember(self._answers, frame.seq, message.failed, most=_MOST)
        if isinstance(step.event, ev.TurnEnded):
            self._note_turn_end(step, message, exchange, step.event.stop_reason)
        elif method == "initialize":
            self.version_seq = frame.seq
            if message.failed:
                self.refused = _failure(step, exchange)
        elif message.failed:
            self._note_refusal(step, exchange)
        elif method in LOGINS or isinstance(step.event, ev.SessionOpened):
            self._note_success(step)

    def _note_success(self, step: Step) -> None:
        """Take in that a login or the opening of a session has succeeded."""
        self.unauthorized = None
        if isinstance(step.event, ev.SessionOpened):
            self.sessions += 1
            self.unopened = self.made_error = None

    def _note_answer_of_client(self, step: Step, message: Response, exchange: Exchange) -> None:
        self.refused_asks.pop(exchange.session, None)
        if message.failed:
            remember(self.refused_asks, exchange.session, _failure(step, exchange), most=_MOST)

    def _note_refusal(self, step: Step, exchange: Exchange) -> None:
        """Take in that a request of the client was answered with an error."""
        failure = _failure(step, exchange)
        if exchange.method in LOGINS or failure.code == AUTH_REQUIRED:
            self.unauthorized = self.unauthorized or failure
        elif exchange.method in SETUPS:
            self.unopened = self.unopened or failure

    def _note_state(self, step: Step, event: ev.StateChanged) -> None:
        """Take in the end of turns whose prompt was accepted: version 2 has it in the state."""
        if event.state == "idle" and step.session is not None:
            for turn in step.session.turns:
                if not self.is_pending(turn.exchange):
                    self._end_turn(step, turn, turn.exchange, event.stop_reason)

    def _note_turn_end(
        self, step: Step, message: Response, exchange: Exchange, stop_reason: Any
    ) -> None:
        turn = step.session.turns.of(exchange) if step.session else None
        if not message.failed:
            self._end_turn(step, turn, exchange, stop_reason)
            return
        self.turns += 1
        self.stop_reason = ""
        failure = _failure(step, exchange)
        if failure.code == AUTH_REQUIRED:
            self.unauthorized = self.unauthorized or failure
        elif turn is None or turn.cancelled_at is None:  # else it confirms a cancel, if badly
            self._fail(failure)

    def _end_turn(
        self, step: Step, turn: Turn | None, exchange: Exchange, stop_reason: Any
    ) -> None:
        """Take in a turn that ended without an error."""
        self.turns += 1
        self.stop_reason = text(stop_reason) or ""
        if turn is not None and _is_empty(turn, exchange, self.stop_reason):
            # Output may have been unreadable, or belongs to the later of two turns.
            is_alone = step.session is None or len(step.session.turns) == 1
            if self._unreadable_at < exchange.seq and is_alone:
                self._fail(Failure(exchange, step.frame.seq, step.frame.t, is_empty=True))
            return
        self.unauthorized = self.unopened = self.made_error = None  # the client went on without it
        self.unknown = None
        refused = self.refused_post
        if refused and _session_of(refused.posted) in (None, exchange.session):
            self.refused_post = None
        if failed := self.failures.pop(exchange.session, None):
            self.recovered = self.recovered or failed
        for session in [name for name, each in self.failures.items() if each.is_stranger]:
            del self.failures[session]  # the client went on with a session that there is

    def _fail(self, failure: Failure) -> None:
        exchange = failure.exchange
        failure.after_cancel = self.is_after_cancel(exchange)
        failure.is_stranger = self.is_stranger(exchange)
        self.failed_turns += 1
        if exchange.session not in self.failures:
            remember(self.failures, exchange.session, failure, most=_MOST)

    def _note_remote(self, http: HttpExchange | Disconnect) -> None:
        """Take in the response to an HTTP request, that none came, or the end of a stream."""
        if isinstance(http, Disconnect):
            self._note_disconnect(http)
            return
        posted = self._posts.pop(http.request, None)
        if http.method == "DELETE":
            return  # the end: whether it is accepted matters to nobody
        if http.error:
            if not http.is_unsent:  # which says nothing about the agent
                self.unreachable = http
            return
        self.unreachable = None
        if http.method == "GET":
            remember(self._streams, (http.connection, http.session), http, most=_MOST)
            if not http.is_refused:
                self.lost_streams.pop((http.transport, http.session), None)
        if http.status == 404 and http.connection and self.unknown is None:
            self.unknown = http
        elif self.unknown and not http.is_refused and _is_alike(http, self.unknown):
            self.unknown = None  # it was only too early
        if posted is not None and not http.brings_message:
            self._note_post(http, posted)

    def _note_disconnect(self, end: Disconnect) -> None:
        """Take in the end of a stream, unless the agent ends it for one that was opened since."""
        latest = self._streams.get((end.connection, end.session))
        is_replaced = latest is not None and latest.id > end.exchange and not latest.is_refused
        if end.by == "agent" and not is_replaced:
            remember(self.lost_streams, (end.transport, end.session), end, most=_MOST)

    def _note_post(self, http: HttpExchange, posted: Step) -> None:
        if not http.is_refused:
            if http.connection:
                remember(self._accepted, http.request, http, most=_MOST)
            if posted.method == "initialize":
                self.unknown = None
            if self.refused_post and _says_same(self.refused_post.posted, posted):
                self.refused_post = None
        elif isinstance(posted.message, Response):
            if posted.exchange is not None:
                refused = RefusedPost(http, posted)
                remember(self.refused_responses, posted.exchange.seq, refused, most=_MOST)
        elif self.refused_post is None:
            self.refused_post = RefusedPost(http, posted)

    def _note_delivery(self, delivery: Delivery) -> None:
        """Take in what acp-spy did to a frame on its way."""
        if is_reworded(delivery):
            self._note_repaired(delivery)
            return
        self.holds.note(delivery)
        if delivery.action == FAILED:
            count, first = self.script_failures or (0, delivery)
            self.script_failures = count + (delivery.by == first.by), first
        if delivery.action in (DROPPED, REPLACED, ANSWERED, INJECTED):
            did = delivery.by, delivery.action
            remember(self.changed, did, self.changed.get(did, 0) + 1, most=_MOST)
        if delivery.action in (ANSWERED, REPLACED) and delivery.raw and delivery.to is Peer.CLIENT:
            self._note_made_response(delivery, read_message(delivery.raw.strip()))

    def _note_repaired(self, delivery: Delivery) -> None:
        """Take in a response that had another id until it was repaired: now its request has one."""
        if delivery.action != REPLACED or not delivery.raw or not delivery.by.startswith("fix "):
            return
        frame = Frame(delivery.seq, delivery.t, delivery.to.other, delivery.raw)
        message, state = read_message(frame.payload), self.state
        if not isinstance(message, Response):
            return
        exchange = state.pending.get((delivery.to, message.id))
        if exchange is None:
            return
        method, params = exchange.method, exchange.params
        dialect = state.dialects.understood(frame.sender)
        body = decoded(message.error if message.failed else message.result)
        event = (
            interpret_error(dialect, method, params)
            if message.failed
            else interpret_result(dialect, method, params, body)
        )
        session = state.sessions.get(exchange.session or "")
        self._note_response(Step(frame, message, state, method, body, exchange, event, session))

    def _note_made_response(self, delivery: Delivery, message: Message) -> None:
        """Take in what the client got in place of the agent's response."""
        if not isinstance(message, Response):
            return
        exchange = self.state.find_request(delivery.to, message.id)
        if exchange is None:
            return
        self.turns += delivery.action == ANSWERED and exchange.method == PROMPT
        is_replaced = delivery.action == REPLACED and delivery.seq in self._answers
        if is_replaced and self._answers[delivery.seq]:
            return  # the agent failed by itself: only the words of its error are others
        if message.failed and self.made_error is None:
            self.made_error = Failure(
                exchange,
                delivery.seq,
                delivery.t,
                message=_said(fields(decoded(message.error))),
                by=delivery.by,
                is_replaced=is_replaced,
            )

    def _note_stderr(self, raw: bytes) -> None:
        for line in raw[-4096:].decode(errors="replace").splitlines():
            if line.strip(" \t^~"):  # not what only underlines another line
                self.stderr.append(line.strip()[:_LONGEST_LINE])
                self.stderr_at = self.t
        if self.state.pending:
            for ident in answers_on_stderr(raw):
                for meant in meant_by(self.state, Peer.CLIENT, ident):
                    self._lose(meant, Peer.AGENT, None, "on stderr instead of stdout")

    def _lose(self, exchange: Exchange, sender: Peer, seq: int | None, how: str) -> None:
        if exchange.seq not in self.lost:
            lost = LostAnswer(exchange, sender, seq, how)
            remember(self.lost, exchange.seq, lost, most=_MOST)

    def _add_slow(self, seconds: float, words: str, *seq: int) -> None:
        self.slow.append(SlowStep(seconds, words, seq))
        if len(self.slow) > _MOST:
            self.slow = sorted(self.slow, key=lambda step: -step.seconds)[: _MOST // 2]


def _is_alike(http: HttpExchange, other: HttpExchange) -> bool:
    """Whether two exchanges are about the same connection and session."""
    return (http.connection, http.session) == (other.connection, other.session)


def _says_same(posted: Step, other: Step) -> bool:
    """Whether one message may be another that is sent again."""
    return posted.method == other.method and _session_of(posted) == _session_of(other)


def _session_of(posted: Step) -> str | None:
    return posted.exchange.session if posted.exchange else None


def _is_cut(frame: Frame) -> bool:
    """Whether this is the beginning of a message whose sender has gone."""
    is_line = frame.via is not None or frame.raw.endswith(b"\n")
    return not is_line and frame.raw.startswith(b"{") and decoded(frame.payload) is None


def _failure(step: Step, exchange: Exchange) -> Failure:
    error = fields(step.body)
    code = error.get("code")
    return Failure(
        exchange,
        step.frame.seq,
        step.frame.t,
        code if type(code) is int else None,
        _said(error),
    )


def _said(error: dict[str, object]) -> str:
    """Return what an error says: its message, and the text in its data if there is one."""
    message, more = text(error.get("message")) or "", error_detail(error)
    if not message and not more:
        return f"code {error['code']}" if type(error.get("code")) is int else ""
    if not more or more in message:
        return message[:400]
    return f"{message[:200]}: {more[:200]}" if message else more[:400]


def _is_empty(turn: Turn, exchange: Exchange, stop_reason: str) -> bool:
    """Whether a turn ended well and the user has seen nothing of it."""
    if stop_reason != "end_turn" or not turn.is_empty or turn.cancelled_at is not None:
        return False
    blocks = items(fields(exchange.params).get("prompt"))
    first = text(fields(blocks[0]).get("text")) if blocks else None
    return not (first or "").lstrip().startswith("/")  # a command may have nothing to say
