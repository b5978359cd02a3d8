r"""
Play a script against a live peer: feed it lines and times, take what is to be written.

The player has neither clock nor pipe. Its caller calls `begin`, then `receive` with each line of
the live peer and `end` at the end of its stream; and after each of them, and whenever the time
`wake_at` has come, `take`, which gives what is to be written now. When `is_over`, `status` is how
the program that plays should exit, and `divergences` what was wrong.

    player = Player(Script.of(load("run.jsonl"), Peer.AGENT))
    player.begin(0.0)
    player.receive(b'{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}\n', 0.1)
    for said in player.take(0.1):
        ...

The same lines at the same times give the same bytes. Nothing is answered with what does not belong:
a request that was not recorded gets an error that says what was expected instead.
"""

from collections.abc import Iterable

from acp_spy.replay.agent_exit import AgentExit
from acp_spy.replay.bindings import Bindings
from acp_spy.replay.divergence import (
    ALREADY_USED,
    DIFFERS,
    MISSING,
    NEVER_RECORDED,
    NO_MESSAGE,
    NOT_ANSWERABLE,
    TIMED_OUT,
    TOO_EARLY,
    Divergence,
    Note,
    unended,
)
from acp_spy.replay.expectations import Expectations, Miss
from acp_spy.replay.json_difference import Difference
from acp_spy.replay.line import ANSWERS, END, NOTIFICATION, REQUEST, UNREADABLE, Line, read_line
from acp_spy.replay.line_comparison import LineComparer
from acp_spy.replay.live_conversation import LiveConversation, Said
from acp_spy.replay.matchers import choice
from acp_spy.replay.options import Options
from acp_spy.replay.requirements import Requirements
from acp_spy.replay.schedule import Schedule
from acp_spy.replay.script import Expect, Part, Script, Send
from acp_spy.wire.frame import Peer

# How long a live peer may be silent before it is given up on that what was recorded first will
# come first. An agent thinks; a client that sends two things at once does so at once.
_PATIENCE = {Peer.AGENT: 0.25, Peer.CLIENT: 2.0}


class Player:
    """
    One play of a script. `cwd` is the folder that a mock client works in.

    `reported` grows with everything that the person should see, in its order: `divergences`, which
    count, and notes.
    """

    def __init__(self, script: Script, options: Options | None = None, cwd: str = "") -> None:
        self._script = script
        self._options = options = options or Options()
        self._role = script.role
        self._required = Requirements(script.role, options)
        self._comparer = LineComparer(script, options)
        patience = None if options.strict else _PATIENCE[script.role]
        self._schedule = Schedule(script.parts, pace=options.pace, patience=patience)
        self._expectations = Expectations(script, self._schedule, self._required.requires_order)
        bindings = Bindings(map_folders=options.map_cwd)
        if options.map_cwd and cwd and script.cwd and self._role is Peer.CLIENT:
            bindings.folders.bind(script.cwd, cwd)
        self._live = LiveConversation(script.role, bindings)
        self._answered_ids: set[bytes] = set()
        self._refused: set[int] = set()  # places of what has come, but not as recorded
        self._progress = _Progress(script, options.timeout)
        self._has_ended = self._is_stopped = False
        self.has_heard = False  # whether a message has come: not only noise
        self.divergences: list[Divergence] = []
        self.reported: list[Divergence | Note] = []

    # ------------------------------------------------------------------------- to be called

    @property
    def is_over(self) -> bool:
        """Whether there is nothing more to send or to receive."""
        if self._live.next_at is not None:
            return False
        if self._is_stopped or self._has_ended:
            return True
        by_itself = self._role is Peer.AGENT and self._script.status is not None
        return by_itself and self._schedule.is_complete

    @property
    def is_complete(self) -> bool:
        """Whether all was sent, and all has come that is needed."""
        return self._live.next_at is None and not self._is_waiting

    @property
    def status(self) -> int:
        """How the program that plays should exit."""
        if self.divergences and self._options.on_divergence != "warn":
            return 1
        recorded = self._script.status if self._role is Peer.AGENT else 0
        return max(recorded or 0, 0)  # a signal is nothing to repeat

    @property
    def wake_at(self) -> float | None:
        """When `take` is to be called again, if nothing is received before."""
        times = [self._live.next_at]
        if not self._is_stopped:
            times += [self._schedule.gives_up_at, self._deadline]
        return min((time for time in times if time is not None), default=None)

    def begin(self, now: float) -> None:
        """Begin the play."""
        self._progress.reset(now)
        self._schedule.begin(now)
        self._send(self._schedule.release(now))

    def receive(self, raw: bytes, now: float) -> None:
        """Take a line that the live peer has sent."""
        if self._is_stopped:
            return
        line = read_line(step := self._live.peek(raw, now))
        if self._schedule.gives_up_at is not None and self._is_ahead(line):
            # The live peer has gone on: what it was waited for will not come first.
            self._send(self._schedule.give_up(now))
            line = read_line(step := self._live.peek(raw, now))
        is_doubled = self._live.is_pending(line)
        self._live.advance(step)
        if line.is_blank:
            return
        self.has_heard = self.has_heard or line.kind != UNREADABLE
        self._progress.note(line, self._live, now)
        if line.kind in ANSWERS:
            self._receive_answer(line, now)
        else:
            self._receive_call(line, now, is_doubled=is_doubled)
        if not self._is_stopped:
            self._send(self._schedule.release(now))

    def end(self, now: float, exited: AgentExit | None = None) -> None:
        """Take the end of the live peer's stream, and how it exited if that is known by now."""
        self._has_ended = True
        if self._is_stopped:
            return
        for expect in list(self._expectations.open.values()):
            if expect.line.kind == END:
                self._expectations.settle(expect, now)
        self._send(self._schedule.give_up(now))
        missing = self._missing(self._expectations.open.values())
        if not missing and self._schedule.unsent and not self._refused:
            missing = self._expectations.awaited()
        if missing and exited and not self.has_heard:
            self._report(exited.without_a_message(self._script.name))
        elif missing:
            self._diverge(now, MISSING, missing, detail=" before the end of the stream")

    def agent_exited(self, ending: AgentExit) -> None:
        """Take how a live agent has ended, after everything else."""
        has_diverged = any(each.kind != NO_MESSAGE for each in self.divergences)
        if found := ending.to_report(self._script, self._required, has_diverged=has_diverged):
            self._report(found)

    def take(self, now: float, unfinished: bytes | memoryview = b"") -> list[Said]:
        """Return what is to be written by now; `unfinished` is a line whose end has not come."""
        gives_up_at, deadline = self._schedule.gives_up_at, self._deadline
        if gives_up_at is not None and now >= gives_up_at and not self._is_stopped:
            self._send(self._schedule.give_up(now))
        elif deadline is not None and now >= deadline:
            detail = f" for {self._options.timeout:g} s{unended(unfinished)}"
            self._diverge(now, TIMED_OUT, self._expectations.awaited(), detail=detail)
            self._stop(now)
        return self._live.take(now)

    # ------------------------------------------------------------------------- receiving

    def _receive_call(self, line: Line, now: float, *, is_doubled: bool) -> None:
        found = self._expectations.find(line, self._live.bindings)
        if found is not None:
            self._compare(found, line, now)
        elif line.kind == REQUEST or self._required.counts(line):
            miss = self._expectations.why_not(line, self._live.bindings)
            divergence = self._miss(miss, line, now)
            # An error for a request that came twice would answer the first of the two.
            if line.kind == REQUEST and not is_doubled:
                self._live.send_error(divergence, line, now)

    def _receive_answer(self, line: Line, now: float) -> None:
        found: Expect | None = None
        if line.asked is not None:
            place = self._live.place_of(line.asked)
            found = self._expectations.answer_to(place) if place is not None else None
        elif line.id not in self._answered_ids:
            found = self._expectations.find(line, self._live.bindings)
        if found is not None:
            if not self._expectations.is_in_order(found):  # it will not come again, so it is taken
                self._miss(Miss(TOO_EARLY, found), line, now)
            self._compare(found, line, now)
        elif self._required.counts(line):
            is_used = line.asked is None and line.id in self._answered_ids
            self._miss(Miss(ALREADY_USED if is_used else NEVER_RECORDED), line, now)
        self._answered_ids.add(line.id)

    def _is_ahead(self, line: Line) -> bool:
        """Whether a line would fit if what is held back had been sent."""
        if line.kind in ANSWERS:
            return line.asked is None
        what = line, self._live.bindings
        found = self._expectations.find(*what)
        return found is None and self._expectations.why_not(*what).kind == TOO_EARLY

    def _compare(self, expect: Expect, line: Line, now: float) -> None:
        """Accept a line for the recorded one, unless it differs in what counts."""
        bindings = self._live.bindings
        bindings.learn(expect.line, line, expect.lanes)
        recorded = self._expectations.in_live_names(expect, bindings)
        compared = self._comparer.compare(expect, recorded, line)
        if compared.counts:
            divergence = self._diverge(now, DIFFERS, (expect,), line, expect, compared.counts)
            if self._is_stopped or not self._required.continues_after(expect):
                bindings.unlearn()
                self._refuse(divergence, expect, line, now)
                return
        self._progress.reset(now)
        self.reported.extend(self._comparer.notes(expect, line, compared))
        if line.kind == REQUEST:
            self._live.note_request(expect, line)
        self._expectations.settle(expect, now)
        if self._role is Peer.CLIENT:
            missing = self._missing(self._expectations.settle_turn(expect, now))
            if missing:
                self._diverge(now, MISSING, missing, detail=f" before {expect.line.words()}")

    def _missing(self, expects: Iterable[Expect]) -> tuple[Expect, ...]:
        """Return what should have come, without what came otherwise: that was reported."""
        refused = self._refused
        return tuple(e for e in expects if self._required.requires(e) and e.place not in refused)

    # ------------------------------------------------------------------------- sending

    def _send(self, due: list[tuple[float, Send]]) -> None:
        for at, send in due:
            self._progress.reset(at)
            question = self._live.send(at, send)
            if question is not None:
                wanted = f": no option of the kind `{choice(send.line)}` is offered"
                divergence = self._diverge(at, NOT_ANSWERABLE, (), question, send, detail=wanted)
                self._live.send_error(divergence, question, at)
            else:
                self.reported.extend(self._comparer.notes_on_sending(send, self._live.bindings))

    def _refuse(self, divergence: Divergence, expect: Expect, line: Line, now: float) -> None:
        """Answer a line that does not fit with an error; if it is no request, the open requests."""
        self._refused.add(expect.place)
        waiting = [line] if line.kind == REQUEST else self._live.drop_requests(expect.lanes)
        for request in waiting:
            self._live.send_error(divergence, request, now)

    # ------------------------------------------------------------------------- diverging

    def _miss(self, miss: Miss, line: Line, now: float) -> Divergence:
        awaited, nearest = self._expectations.awaited(), miss.nearest
        found: tuple[Difference, ...] = ()
        if nearest is not None:
            found = self._comparer.everything(nearest, line, self._live.bindings)
        return self._diverge(now, miss.kind, awaited, line, nearest, found, miss.detail)

    def _diverge(
        self,
        now: float,
        kind: str,
        expected: tuple[Expect, ...] = (),
        got: Line | None = None,
        nearest: Part | None = None,
        found: tuple[Difference, ...] = (),
        detail: str = "",
    ) -> Divergence:
        name = self._script.name
        divergence = Divergence(kind, name, expected, got, nearest, found, detail)
        if self._report(divergence) and self._options.on_divergence == "stop":
            self._stop(now)
        return divergence

    def _report(self, found: Divergence | Note) -> bool:
        """Report a divergence or a note; return whether it counts."""
        if isinstance(found, Divergence) and found.got and not self._required.counts(found.got):
            found = Note(None, f"{found.summary}; ignored with `--expect none`")
        self.reported.append(found)
        if isinstance(found, Note):
            return False
        self.divergences.append(found)
        return True

    def _stop(self, now: float) -> None:
        """End the play here; requests that are still open get an error."""
        self._is_stopped = True
        self._live.clear_queue()
        for request in self._live.drop_requests():
            self._live.send_error(self.divergences[-1], request, now)

    @property
    def _is_waiting(self) -> bool:
        """Whether the live peer still has to send something, other than its end."""
        if self._role is Peer.AGENT:
            return not self._expectations.is_at_the_end
        return self._schedule.unsent > 0 or bool(self._expectations.needed)

    @property
    def _deadline(self) -> float | None:
        """When it has taken too long; never, while it is the played side's turn."""
        is_idle = self._live.next_at is None and not self._is_stopped and not self._has_ended
        return self._progress.deadline if is_idle and self._is_waiting else None


class _Progress:
    """
    When the live peer made progress last: something of the capture was sent, or has come.

    How many notifications an agent sends while it works is up to the agent: they are progress, too,
    if the capture has such notifications.
    """

    def __init__(self, script: Script, timeout: float) -> None:
        self._timeout = timeout
        self._is_of_agent = script.role is Peer.CLIENT
        live = (part.line for part in script.parts if isinstance(part, Expect))
        self._notifications = {line.method for line in live if line.kind == NOTIFICATION}
        self._at = 0.0

    @property
    def deadline(self) -> float | None:
        """When it has taken too long; `None` for never."""
        return self._at + self._timeout if self._timeout else None

    def reset(self, now: float) -> None:
        """Count from the time `now`, which may be yet to come."""
        self._at = max(self._at, now)

    def note(self, line: Line, live: LiveConversation, now: float) -> None:
        """Note a live line that may be progress by itself, whichever recorded line it is."""
        is_known = line.kind == NOTIFICATION and line.method in self._notifications
        if self._is_of_agent and is_known and live.has_pending_work(line.session):
            self.reset(now)
