"""
Whole frames through a pipeline, in place of chunks that pass as they are.

Only with an option that may change the traffic. A frame and what becomes of it is recorded first;
then it is delivered.
"""

import os
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from itertools import groupby
from select import POLLIN
from typing import Protocol

from acp_spy.capture.records import Record
from acp_spy.engine.carrier import Carrier
from acp_spy.engine.process import Agent
from acp_spy.engine.stream import Gate, Stream
from acp_spy.engine.tap import Tap
from acp_spy.wire.frame import Frame, Peer

Task = Callable[[], Awaitable[None]]
Sleep = Callable[[float], Awaitable[None]]
_PAUSE = 0.002  # seconds in which a reader that waits has read what came before


class Pipeline(Protocol):
    """What frames pass through; see the room `middleware`."""

    on_output: Callable[[], None]

    def begin(self, start: Callable[[Task], None], sleep: Sleep) -> None:
        """Begin: `start` runs a task by trio, `sleep` is trio's."""

    def take(self, *frames: Frame) -> None:
        """Pass frames of one peer through, one after the other."""

    def take_stderr(self, chunk: bytes) -> None:
        """Take notice of what the agent wrote to stderr."""

    def note(self, record: Record) -> None:
        """Have a record kept."""

    def collect(self) -> tuple[Sequence[Record], Sequence[tuple[Peer, bytes]]]:
        """Return what is to be recorded, and then what is to be delivered; b"" is a pause."""

    def catch_up(self) -> None:
        """Do what could wait until the frames have been delivered."""

    def collect_acts(self) -> "Sequence[Callable[[Handling], None]]":
        """Return what is to be done after that."""

    def is_holding(self, to: Peer) -> bool:
        """Whether a line for this peer is held."""

    def is_delaying(self, to: Peer) -> bool:
        """Whether a line for this peer is held that will be released."""

    def explain(self, error: BaseException | None) -> str:
        """Return in words why trio ended early, if it was because of a script; else nothing."""

    def end(self) -> None:
        """Let go of what is held."""


class Handling:
    """
    Between two streams: takes their chunks, and sends what the pipeline makes of them.

    `exit_status` is what the run ends with, if that is not to be the agent's.
    """

    def __init__(self, tap: Tap, pipeline: Pipeline) -> None:
        self._tap = tap
        self._pipeline = pipeline
        self.exit_status: int | None = None
        self._to: dict[Peer, Stream] = {}
        self._log: Stream | None = None
        self._agent: Agent | None = None
        self._paused: dict[Peer, deque[bytes]] = {}  # what waits for the end of a pause
        self._has_late_end = False  # one that waits for what is held
        self._start: Callable[[Task], None] | None = None  # runs a task by trio, while that runs
        self._carrier: Carrier | None = None
        self._woken, self._waker = os.pipe()
        os.set_blocking(self._waker, False)  # one that is full wakes as well
        self.from_client = self._gate(Peer.CLIENT)
        self.from_agent = self._gate(Peer.AGENT)

    @property
    def is_holding(self) -> bool:
        """Whether something for the client is held, and will be delivered."""
        return self._pipeline.is_delaying(Peer.CLIENT) or Peer.CLIENT in self._paused

    def connect(
        self, carrier: Carrier, to_agent: Stream, to_client: Stream, log: Stream, agent: Agent
    ) -> None:
        """Take notice of the streams, of who carries them, and of the agent."""
        carrier.watch(self._woken, POLLIN, self._on_woken)
        self._carrier = carrier
        self._to = {Peer.AGENT: to_agent, Peer.CLIENT: to_client}
        self._log, self._agent = log, agent

    def begin(self, start: Callable[[Task], None], sleep: Sleep) -> None:
        """Begin: from now on tasks can be started, and lines can be released by them."""
        self._start, self._sleep = start, sleep
        self._pipeline.on_output = self._on_output
        self._pipeline.begin(self._start_task, sleep)
        self._flush()

    def go_on_without_tasks(self) -> None:
        """Hold nothing any more: trio has failed, and nobody else would release it."""
        self._start = None
        self._let_go()
        self._on_output()

    def explain(self, error: BaseException | None) -> str:
        """Return in words why trio ended early, if it was because of a script; else nothing."""
        return self._pipeline.explain(error)

    def stderr(self, chunk: bytes) -> None:
        """Take a chunk of the agent's stderr, which passes as it is."""
        self._tap.stderr(chunk)
        self._pipeline.take_stderr(chunk)

    def end(self) -> None:
        """Take what the streams still have, and deliver what is held. No task runs any more."""
        self._start = None
        for stream in self._to.values():
            stream.take_rest()
        self._let_go()
        if self._carrier:
            self._carrier.forget(self._woken)
            os.close(self._woken)
            os.close(self._waker)
            self._carrier = None

    def unfinished(self) -> Iterator[tuple[str, int]]:
        """Give the bytes of lines without an end, by receivers: a line is delivered as a whole."""
        for sender in Peer:
            yield sender.other.value, self._tap.recorder.unfinished(sender)

    def close(self, to: Peer) -> None:
        """Let a peer see the end of its stream; what comes for it is still read."""
        self._to[to].put(b"".join(self._paused.pop(to, ())))
        self._to[to].flush()
        self._to[to].cut()

    def signal_agent(self, number: int) -> None:
        """Send the agent's process a signal."""
        if self._agent:
            self._agent.send(number)

    def exit_with(self, status: int) -> None:
        """End with this status, whatever the agent's is."""
        self.exit_status = status

    def write_stderr(self, data: bytes) -> None:
        """Write to stderr, after what the agent has written."""
        if self._log:
            self._log.put(data)

    def _let_go(self) -> None:
        """Deliver what is held, and what waits for the end of a pause."""
        self._pipeline.end()
        self._flush()
        for to, waiting in [*self._paused.items()]:
            self._to[to].put(b"".join(waiting))
        self._paused.clear()

    def _on_woken(self, _events: int) -> None:
        os.read(self._woken, 64)

    def _gate(self, sender: Peer) -> Gate:
        return Gate(lambda chunk: self._take(sender, chunk), lambda: self._take_end(sender))

    def _take(self, sender: Peer, chunk: bytes) -> bool:
        frames = self._tap.recorder.frames(sender, chunk, self._tap.now())
        if frames:
            self._pipeline.take(*frames)
            self._flush(frames)
            self._pipeline.catch_up()
            if self._has_late_end:  # what was held before it may have come out
                self._let_end()
        return True

    def _take_end(self, sender: Peer) -> bool:
        for record in self._tap.recorder.closed(sender, self._tap.now()):
            if isinstance(record, Frame):
                self._pipeline.take(record)
            else:
                self._pipeline.note(record)
        self._flush()
        is_late = self._is_late(sender.other)
        self._has_late_end |= is_late
        return not is_late

    def _let_end(self) -> None:
        for peer, stream in self._to.items():
            if not self._is_late(peer):
                stream.release()

    def _on_output(self) -> None:
        self._flush()
        self._let_end()
        if self._carrier:  # it may wait for what has just happened
            with suppress(BlockingIOError):
                os.write(self._waker, b"!")

    def _flush(self, cut: Sequence[Frame] = ()) -> None:
        """Record and deliver what has come out; `cut` are the frames that were taken."""
        records, lines = self._pipeline.collect()
        if cut and records == cut and len(lines) == len(cut):  # they pass, and nothing else does
            raws = [frame.raw for frame in cut]
            self._tap.keep_cut(cut, raws)
            self._send(cut[0].sender.other, b"".join(raws) if len(raws) > 1 else raws[0])
        else:
            if records:
                self._tap.keep(lambda _t: records)
            for to, data in _joined(lines):
                self._send(to, data)
        for act in self._pipeline.collect_acts():
            act(self)

    def _is_late(self, to: Peer) -> bool:
        """Whether something for this peer is yet to come out of here."""
        return self._pipeline.is_holding(to) or to in self._paused

    def _send(self, to: Peer, data: bytes) -> None:
        waiting = self._paused.get(to)
        if waiting is not None:
            waiting.append(data)
        elif data:
            self._to[to].put(data)
        elif self._start:
            self._paused[to] = deque()
            self._start(lambda: self._pause(to))

    def _start_task(self, task: Task) -> None:
        if self._start:
            self._start(task)

    async def _pause(self, to: Peer) -> None:
        """Send what waits, piece by piece, until nothing does."""
        await self._sleep(_PAUSE)
        while waiting := self._paused.get(to):
            if data := waiting.popleft():
                self._to[to].put(data)
            else:
                await self._sleep(_PAUSE)
        self._paused.pop(to, None)
        self._on_output()


def _joined(lines: Sequence[tuple[Peer, bytes]]) -> Iterator[tuple[Peer, bytes]]:
    """Give lines for the same peer as one piece, up to the next pause."""
    if len(lines) == 1:
        yield lines[0]
        return
    for (to, _), group in groupby(lines, key=lambda line: (line[0], bool(line[1]))):
        yield to, b"".join([raw for _, raw in group])
