"""
A fault: one thing that goes wrong, for the frames that its spec selects.

Each fault is one class, declared once: its name, what it takes, what it does, and an example. The
list that `acp-spy faults` prints, the docs and the tests are derived from that.
"""

import shlex
from collections.abc import Sequence
from heapq import heappop, heappush
from random import Random
from typing import ClassVar

from acp_spy.capture.records import Delivery
from acp_spy.middleware.faults.spec import Spec
from acp_spy.middleware.line import Held, Line
from acp_spy.middleware.pipeline import Stage
from acp_spy.units import span
from acp_spy.wire.frame import Frame, Peer


class Fault(Stage):
    """
    A fault on its place in the pipeline.

    Random numbers are drawn per sender: who of the peers is faster must not change them.
    """

    word: ClassVar[str]
    takes: ClassVar[str] = ""  # what may follow the name and a colon
    default: ClassVar[str] = ""  # what follows if nothing does
    meaning: ClassVar[str]
    example: ClassVar[str]  # a spec
    implies: ClassVar[tuple[str, ...]] = ()  # tokens that count unless the spec has such a one
    times: ClassVar[int | None] = None  # how often at most, unless the spec says it
    needs_frame: ClassVar[bool] = True  # else it can happen at a time
    needs_rows = True

    def __init__(self, spec: Spec, seed: str) -> None:
        super().__init__()
        self.name = f"fault {spec.head}"
        self.spec = spec
        self.random = {peer: Random(f"{seed} {peer.value}") for peer in Peer}  # noqa: S311
        self._left = self.times if spec.count is None else spec.count
        self._selection = spec.select(self.implies)
        # Whether it happens at a time, whatever is sent.
        self.is_timed = spec.at is not None and not (self.needs_frame or spec.tokens or spec.turn)
        self._has_matched = False
        self._due: list[tuple[float, int, Held]] = []  # a heap
        self._held_count = 0
        self.set(spec.value or self.default)

    def set(self, value: str) -> None:
        """Take what follows the name. Raises `AcpSpyError` if it is wrong."""
        if value:
            raise self.spec.error(f"`{self.word}` takes no value", f"use '{self.example}'")

    def apply(self, line: Line) -> Sequence[Line | Held]:
        """Do it to a line that is selected."""
        raise NotImplementedError

    def strike(self, frame: Frame) -> None:
        """Do it at a time, without a line; `frame` stands for the one that is missing."""
        raise NotImplementedError

    def pass_by(self, line: Line) -> Sequence[Line | Held]:
        """Let a line pass that is not selected."""
        return (line,)

    def begin(self) -> None:
        """Wait for the time."""
        if self.is_timed:
            self.pipeline.start(self, self._strike_at)

    def end(self) -> None:
        """Say so if it could never happen: its filter may be wrong."""
        if self._has_matched:
            return
        spec = self.spec
        words = [*self._selection.tokens, *([f"turn:{spec.turn}"] if spec.turn else [])]
        words += [] if spec.at is None else [f"at:{spec.at:g}s"]
        if not words:
            return  # no frame came, which is seen anyway
        why = f"no frame matched `{shlex.join(words)}`"
        if self.is_timed:
            why = f"the conversation ended before {span(spec.at or 0.0)}"
        self.pipeline.complain(f"fault `{spec.text}` never happened: {why}")

    def handle(self, line: Line) -> Sequence[Line | Held]:
        """Do it, if the line is selected and chance says so."""
        if self._is_hit(line):
            return self.apply(line)
        return self.pass_by(line)

    def by(self, line: Line) -> str:
        """Return who has changed a line: this fault, and those before it."""
        return f"{line.by}, {self.name}" if line.by else self.name

    def draw(self, line: Line) -> Random:
        """Return where random numbers for a line come from."""
        return self.random[line.frame.sender]

    def hold(self, line: Line, seconds: float, *, lets_pass: bool = False) -> Held:
        """Hold a line for a time."""
        held = self.hold_back(line, lets_pass=lets_pass)
        self.release_later(held, seconds)
        return held

    async def sleep(self, seconds: float) -> None:
        """Wait, in a task."""
        if self.pipeline.sleep:
            await self.pipeline.sleep(max(0.0, seconds))

    def hold_back(self, line: Line, *, lets_pass: bool = False, has_limit: bool = True) -> Held:
        """Hold a line until it is released."""
        line = line.marked(self.by(line))
        return Held(line, self.name, lets_pass=lets_pass, has_limit=has_limit)

    def release_later(self, held: Held, seconds: float) -> None:
        """Release a held line after a time."""
        until = self.pipeline.now() + seconds
        self._held_count += 1
        heappush(self._due, (until, self._held_count, held))

        async def wait() -> None:
            await self.sleep(seconds)
            # Tasks that are due at the same time run in any order. The lines must not.
            while self._due and self._due[0][0] <= until:
                _, _, first = heappop(self._due)
                first.release(first.line)

        self.pipeline.start(self, wait)

    def note(self, frame: Frame, to: Peer, action: str) -> None:
        """Record what is done beside the frame."""
        self.pipeline.note(Delivery(frame.seq, self.pipeline.now(), to, self.name, action))

    def _is_hit(self, line: Line) -> bool:
        frame, spec = line.frame, self.spec
        if line.to is frame.sender:  # not what was sent
            return False
        context, selection = self.pipeline.context, self._selection
        # What a frame means takes long to find out: it is only asked for if it can matter.
        cannot = self._cannot_happen(frame)
        if (cannot and not selection.remembers) or not selection.has(frame, context) or cannot:
            return False
        if spec.turn is not None and context.turn_number(frame) != spec.turn:
            return False
        self._has_matched = True
        return self._is_unlucky(frame.sender)

    def _cannot_happen(self, frame: Frame) -> bool:
        """Whether it cannot happen to a frame, whatever that means."""
        spec = self.spec
        if self._left == 0 or self.is_timed or (spec.at is not None and frame.t < spec.at):
            return True
        return spec.turn is not None and not self.pipeline.context.may_be_in_turn(spec.turn)

    def _is_unlucky(self, sender: Peer) -> bool:
        if self.random[sender].random() >= self.spec.p:
            return False
        if self._left is not None:
            self._left -= 1
        return True

    async def _strike_at(self) -> None:
        await self.sleep((self.spec.at or 0.0) - self.pipeline.now())
        self._has_matched = True
        if self._is_unlucky(Peer.AGENT):
            self.strike(Frame(0, self.pipeline.now(), Peer.AGENT, b""))
