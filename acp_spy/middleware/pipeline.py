"""
The stages that a frame passes on its way, and what comes out of them.

    client  ⇄  stage  ⇄  stage  ⇄  stage  ⇄  agent

A frame of the client passes the stages from the left to the right, one of the agent from the right
to the left. Each stage returns what takes the place of the line: nothing but the line itself, other
lines, lines for the peer that sent it, or a place in the order for what is decided on later.

Nothing here waits, reads a clock or writes to a file: `take` and the release of a held line make
records and lines, and `on_output` says that there are some.
"""

from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from itertools import pairwise
from typing import Protocol

from msgspec.structs import replace

from acp_spy.capture.records import DELAYED, DROPPED, HELD, Closed, Delivery, Record
from acp_spy.errors import TasksLeft, reason_of
from acp_spy.middleware.context import Context
from acp_spy.middleware.failures import CANCELLED, causes, describe_other, is_cancelled
from acp_spy.middleware.line import Held, Line
from acp_spy.wire.frame import Frame, Peer

_CLIENT, _AGENT = Peer.CLIENT, Peer.AGENT  # to look up a member of an enum is a call of Python
_LONGEST_LOG_LINE = 64 * 1024  # bytes that are kept of it
Task = Callable[[], Awaitable[None]]
Sleep = Callable[[float], Awaitable[None]]


class Controls(Protocol):
    """What can be done to the conversation itself, when what came before has been delivered."""

    def close(self, to: Peer) -> None:
        """Let a peer see the end of its stream."""

    def signal_agent(self, number: int) -> None:
        """Send the agent's process a signal."""

    def exit_with(self, status: int) -> None:
        """Have this exit status in the end, whatever the agent's is."""

    def write_stderr(self, data: bytes) -> None:
        """Write to stderr, as if the agent had."""


Act = Callable[[Controls], None]


class Stage:
    """
    One that may change the traffic.

    `needs_rows` says that it looks at frames as `view` shows them (see `Context`), which costs.
    `remark` is for the header of the capture: what a reader should know of it, mostly the option as
    it can be given again. `leads_context` is the peer that it is next to, if it shows the context
    itself what it makes of that peer's frames.
    """

    name = ""
    remark = ""
    needs_rows = False
    leads_context: Peer | None = None

    def __init__(self) -> None:
        self.pipeline = Pipeline(())

    def begin(self) -> None:
        """Take notice that the conversation begins: tasks can be started from now on."""

    def handle(self, line: Line) -> Sequence[Line | Held]:
        """Return what takes the place of `line`."""
        return (line,)

    def take_stderr(self, line: bytes) -> None:
        """Take notice of a line on the agent's stderr."""

    def take_end(self, sender: Peer) -> None:
        """Take notice that a peer sends no more."""

    def explain(self, error: BaseException) -> str:  # noqa: ARG002 - most start no such task
        """Return in words what has failed, if it was in a task that is not ours; else nothing."""
        return ""

    def let_go(self) -> None:
        """Release what is held, because a task of this stage has failed."""

    def end(self) -> None:
        """Take notice that the conversation is over."""


# A stage, a peer, and a session whose lines are in order; or one line, which lets others pass.
_Key = tuple[Stage, Peer, str | Held | None]


class Pipeline:
    """
    Feed it the frames of both peers in their order, and `collect` what comes out.

    `now` is the capture's clock, `complain` takes a line for the person who reads stderr, and `log`
    lines that belong on stderr as they are. `capture` is the path of the capture, if there is one.
    """

    def __init__(
        self,
        stages: Sequence[Stage],
        now: Callable[[], float] = lambda: 0.0,
        complain: Callable[[str], None] = lambda _text: None,
        log: Callable[[bytes], None] = lambda _lines: None,
        capture: str = "",
    ) -> None:
        self._stages = tuple(stages)
        self._led = {stage.leads_context for stage in stages}
        self._now = now
        self.complain = complain
        self.log = log
        self.capture = capture
        self._failed: set[Stage] = set()
        self._waiting: list[Stage] = []  # those with tasks, once for each
        self._taking: Frame | None = None  # what comes out is collected afterwards
        self._lines_before = 0
        self._has_passed = False  # a line of it
        self._afterwards: list[tuple[Stage, Callable[[], None]]] = []
        self._lanes: dict[_Key, deque[Held]] = {}
        self._sessions: dict[int, str | None] = {}  # of frames since something is held
        self._acts: list[Act] = []
        self._closed: dict[Peer, str] = {}  # who gets nothing any more, and because of what
        self._has_ended = False
        self._stderr = b""  # the start of a line
        self._records: list[Record] = []
        self._lines: list[tuple[Peer, bytes]] = []
        self.context = Context(complain, needs_rows=any(stage.needs_rows for stage in stages))
        self.on_output: Callable[[], None] = lambda: None
        self.start: Callable[[Stage, Task], None] = lambda _stage, _task: None
        self.sleep: Sleep | None = None  # in a task that was started
        for stage in self._stages:
            stage.pipeline = self

    def begin(self, start: Callable[[Task], None], sleep: Sleep) -> None:
        """Begin: `start` runs a task by trio, `sleep` is trio's."""
        self.start = lambda stage, task: start(lambda: self._guard(stage, task))
        self.sleep = sleep
        for stage in self._stages:
            stage.begin()

    def take(self, *frames: Frame) -> None:
        """Pass frames through the stages, one after the other: all of one peer."""
        sender = frames[0].sender
        to = sender.other
        follow = None if sender in self._led else self.context.follow
        first = 0 if to is _AGENT else len(self._stages) - 1
        for frame in frames:
            self._records.append(frame)
            if follow:
                follow(frame)
            self._taking, self._lines_before, self._has_passed = frame, len(self._lines), False
            self._pass(Line(to, frame.raw, frame), first)
            while self._afterwards:
                self._do_afterwards(*self._afterwards.pop(0))
        self._taking = None

    def take_stderr(self, chunk: bytes) -> None:
        """Show the lines that `chunk` completes on the agent's stderr to the stages."""
        *lines, self._stderr = (self._stderr + chunk).split(b"\n")
        for line in lines:
            for stage in self._stages:
                stage.take_stderr(line + b"\n")
        self._stderr = self._stderr[-_LONGEST_LOG_LINE:]

    def put(self, stage: Stage, line: Line) -> None:
        """Pass on a line that a stage has made by itself, from where the stage is."""
        if stage not in self._stages:  # removed since
            return
        self._route(line, self._stages.index(stage))
        if self._taking is None:
            self.on_output()

    def afterwards(self, stage: Stage, do: Callable[[], None]) -> None:
        """Have something done when the frame that is taken now has passed all stages."""
        self._afterwards.append((stage, do))

    def _do_afterwards(self, stage: Stage, do: Callable[[], None]) -> None:
        try:
            do()
        except Exception as error:  # noqa: BLE001 - a bug of ours must not stop the traffic
            self._report_bug(stage, error)

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The stages, from the client to the agent."""
        return self._stages

    def add(self, stage: Stage) -> None:
        """Put a stage next to the agent, or to the one that translates for it; frames pass."""
        stage.pipeline = self
        place = len(self._stages)
        while place and self._stages[place - 1].leads_context is _AGENT:
            place -= 1
        self._stages = (*self._stages[:place], stage, *self._stages[place:])
        stage.begin()

    def remove(self, stage: Stage) -> None:
        """Take a stage out, while frames pass; what it holds goes on."""
        self._release(stage)
        stage.pipeline = Pipeline(())  # what it still does goes nowhere
        self._stages = tuple(each for each in self._stages if each is not stage)

    def set_aside(self, held: Held) -> None:
        """Let pass the lines that wait behind a held one."""
        for key, lane in self._lanes.items():
            if held in lane and not held.lets_pass:
                held.lets_pass = True
                lane.remove(held)
                if not lane:
                    del self._lanes[key]
                self._set_aside(held, key[0])
                self._advance(key)
                return

    def count_behind(self, held: Held) -> int:
        """Return how many lines wait behind a held one."""
        lanes = [[*lane] for lane in self._lanes.values() if held in lane]
        return sum(len(lane) - lane.index(held) - 1 for lane in lanes)

    def count_all_behind(self) -> dict[Held, int]:
        """Return how many lines wait behind each held one."""
        return {
            held: len(lane) - place - 1
            for lane in self._lanes.values()
            for place, held in enumerate(lane)
        }

    def now(self) -> float:
        """Return the time on the capture's clock: while a frame is handled, that of the frame."""
        return self._taking.t if self._taking else self._now()

    def note(self, record: Record) -> None:
        """Have a record kept."""
        self._records.append(record)
        if isinstance(record, Closed):
            for stage in self._stages:
                stage.take_end(record.sender)

    def collect(self) -> tuple[list[Record], list[tuple[Peer, bytes]]]:
        """
        Return what is to be recorded, and then what is to be delivered, since the last time.

        Nothing to deliver is a pause: the peer is to have read what came before it.
        """
        output = self._records, self._lines
        self._records, self._lines = [], []
        return output

    def catch_up(self) -> None:
        """Do what could wait until the frames have been delivered."""
        self.context.catch_up()

    def act(self, act: Act) -> None:
        """Have something done after what is to be delivered so far."""
        self._acts.append(act)
        if self._taking is None:
            self.on_output()

    def close(self, stage: Stage, to: Peer) -> None:
        """Let a peer see the end of its stream after what is delivered by now, and no more."""

        def drop_the_rest() -> None:  # also what other stages hold
            self._closed.setdefault(to, stage.name)

        if self._taking is None:
            drop_the_rest()
        else:
            self.afterwards(stage, drop_the_rest)
        self.act(lambda controls: controls.close(to))

    def collect_acts(self) -> list[Act]:
        """Return what is to be done since the last time."""
        acts, self._acts = self._acts, []
        return acts

    def explain(self, error: BaseException | None) -> str:
        """
        Return in words why trio ended early, if it was because of a script; else nothing.

        `error` is what trio raised, if anything.
        """
        found = [*causes(error)] if error else []
        if any(type(each) is TasksLeft for each in found):
            names = {stage.name: None for stage in self._waiting}  # in their order
            return f"{', '.join(names) or 'a task that a script started'} did not end"
        if all(map(is_cancelled, found)):
            return CANCELLED
        by_stages = (stage.explain(each) for each in found for stage in self._stages)
        by_others = (describe_other(each) for each in found)
        return next(filter(None, (*by_stages, *by_others)), "")

    def is_holding(self, to: Peer) -> bool:
        """Whether a line for this peer is held."""
        return any(lane[1] is to for lane in self._lanes)

    def is_delaying(self, to: Peer) -> bool:
        """Whether a line for this peer is held that will be released."""
        lanes = [held for key, held in self._lanes.items() if key[1] is to]
        return any(held.has_limit for lane in lanes for held in lane)

    def end(self) -> None:
        """Let go of everything that is held, as it is, and end the stages; hold nothing more."""
        if not self._has_ended:
            self._has_ended = True
            for stage in self._stages:
                stage.end()
            while self._lanes:
                self._release(next(iter(self._lanes))[0])

    def _release(self, stage: Stage) -> None:
        """Release what a stage holds, unchanged."""
        held = [each for key, lane in self._lanes.items() if key[0] is stage for each in lane]
        for each in held:
            each.release(each.line)

    async def _guard(self, stage: Stage, task: Task) -> None:
        """Let no bug in a task of a stage end the others, nor hold a line of it for ever."""
        self._waiting.append(stage)
        try:
            await task()
        except Exception as error:  # noqa: BLE001 - a bug of ours must not stop the traffic
            self.complain(f"{reason_of(error)}; what is held goes on")
            try:
                stage.let_go()
            except Exception as another:  # noqa: BLE001 - the same
                self._report_bug(stage, another)
            self._release(stage)
        finally:
            self._waiting.remove(stage)

    def _pass(self, line: Line, place: int) -> None:
        """Show `line` to the stage at `place`, and to those after it."""
        stages = self._stages
        step = 1 if line.to is _AGENT else -1
        while 0 <= place < len(stages) and line.action != DROPPED:
            outcome: Sequence[Line | Held]
            try:
                outcome = stages[place].handle(line)
            except Exception as error:  # noqa: BLE001 - a bug of ours must not stop the traffic
                self._report_bug(stages[place], error)
                outcome = (line,)
            following = outcome[0] if len(outcome) == 1 else None
            if following is not line or self._lanes:  # seldom
                if self._lanes or following is None or isinstance(following, Held):
                    self._settle(line, place, outcome)
                    return
                if following.to is not line.to:
                    self._route(following, place)
                    return
                line = following
            place += step
        self._deliver(line)

    def _report_bug(self, stage: Stage, error: Exception) -> None:
        if stage not in self._failed:
            self._failed.add(stage)
            bug = f"a bug in acp-spy, please report it: {stage.name}: {error!r}"
            self.complain(f"{bug}; frames pass unchanged there")

    def _settle(self, line: Line, place: int, outcome: Sequence[Line | Held]) -> None:
        """Pass on what a stage has made of `line`, in its turn."""
        stage = self._stages[place]
        key = (stage, line.to, self._session_of(line))
        lane = self._lanes.get(key)
        if not outcome:
            outcome = (line.dropped(stage.name),)
        for each in outcome:
            if isinstance(each, Line):
                if lane is None or each.to is not line.to:
                    self._route(each, place)
                    continue
                held = Held(each, lane[0].by)  # it has to wait for its turn
                held.outcome = (each,)
            elif self._has_ended:
                self._route(each.line, place)  # nobody would release it
                continue
            else:
                held = each
            if not (line.was_held or line.is_added):
                where = line.frame.seq, self.now(), line.to, held.by
                self._records.append(Delivery(*where, HELD))
            if held.lets_pass:
                self._set_aside(held, stage)
                continue
            if lane is None:
                lane = self._lanes[key] = deque()
            lane.append(held)
            held.on_release = lambda: self._advance(key)
        if lane and lane[0].outcome is not None:  # released at once
            self._advance(key)

    def _session_of(self, line: Line) -> str | None:
        """Return the session of a line, whose lines stay in order, however long it is held."""
        seq = line.frame.seq
        if not self._lanes:
            self._sessions.clear()
        if seq not in self._sessions:
            self._sessions[seq] = self.context.session_of(line.frame)
        return self._sessions[seq]

    def _set_aside(self, held: Held, stage: Stage) -> None:
        """Hold a line in a lane of its own."""
        alone = stage, held.line.to, held
        self._lanes[alone] = deque((held,))
        held.on_release = lambda: self._advance(alone)
        held.on_withdraw = lambda: self._lanes.pop(alone).clear()

    def _advance(self, key: _Key) -> None:
        """Pass on what has been released of those that wait, up to the first that has not."""
        lane = self._lanes.get(key)
        while lane and (lines := lane[0].outcome) is not None:
            held = lane.popleft()
            if not lane:
                del self._lanes[key]
            if not lines:
                lines = (held.line.dropped(held.by),)
            for line in lines:
                self._route(_held(line, held.by), self._stages.index(key[0]))
        if self._taking is None:
            self.on_output()

    def _route(self, line: Line, place: int) -> None:
        self._pass(line, place + (1 if line.to is Peer.AGENT else -1))

    def _deliver(self, line: Line) -> None:
        if self._closed and line.to in self._closed and line.action != DROPPED:
            line = line.dropped(self._closed[line.to])
        is_dropped = line.action == DROPPED
        if is_dropped and line.is_added:
            return
        is_first = len(self._lines) == self._lines_before
        if line.action or line.was_held or (not is_first and self._is_overtaken(line)):
            where = line.frame.seq, self.now(), line.to, line.by
            raw = None if is_dropped else line.raw
            self._keep(Delivery(*where, line.action or DELAYED, raw))
            if not is_dropped:
                self._lines += _writes(line)
        else:
            self._lines.append((line.to, line.raw))
        if line.frame is self._taking:
            self._has_passed = True

    def _keep(self, delivery: Delivery) -> None:
        """Keep a record: before the frame that is taken now, if it is of one that goes first."""
        taking, last = self._taking, self._records[-1:]
        is_last = bool(last) and last[0] is taking
        if taking and is_last and delivery.seq != taking.seq and not self._has_passed:
            self._records.insert(-1, delivery)
        else:
            self._records.append(delivery)

    def _is_overtaken(self, line: Line) -> bool:
        """Whether its peer has got another line first, though this frame had come before that."""
        if line.frame is not self._taking:
            return False
        return any(to is line.to for to, _ in self._lines[self._lines_before :])


def _writes(line: Line) -> list[tuple[Peer, bytes]]:
    """Return a line as it is written: at once, or in pieces with pauses between them."""
    if not line.cuts:
        return [(line.to, line.raw)]
    pieces = [line.raw[start:end] for start, end in pairwise((0, *line.cuts, len(line.raw)))]
    return [(line.to, write) for piece in pieces if piece for write in (piece, b"")]


def _held(line: Line, by: str) -> Line:
    return line if line.was_held else replace(line, was_held=True, by=line.by or by)
