"""
Whole frames through a pipeline, in place of chunks that pass as they are.

Only with an option that may change the traffic. A frame and what becomes of it is recorded first;
then it is delivered.
"""

import os
from collections.abc import Awaitable, Callable, Sequence
from select import POLLIN
from typing import Protocol

from acp_spy.capture.records import Record
from acp_spy.engine.carrier import Carrier
from acp_spy.engine.stream import Gate, Stream
from acp_spy.engine.tap import Tap
from acp_spy.wire.frame import Frame, Peer

Task = Callable[[], Awaitable[None]]


class Pipeline(Protocol):
    """What frames pass through; see the room `middleware`."""

    on_output: Callable[[], None]

    def begin(self, start: Callable[[Task], None]) -> None:
        """Begin: `start` runs a task by trio."""

    def take(self, frame: Frame) -> None:
        """Pass a frame through."""

    def take_stderr(self, chunk: bytes) -> None:
        """Take notice of what the agent wrote to stderr."""

    def note(self, record: Record) -> None:
        """Have a record kept."""

    def collect(self) -> tuple[Sequence[Record], Sequence[tuple[Peer, bytes]]]:
        """Return what is to be recorded, and then what is to be delivered."""

    def is_holding(self, to: Peer) -> bool:
        """Whether a line for this peer is held."""

    def end(self) -> None:
        """Let go of what is held."""


class Handling:
    """Between two streams: takes their chunks, and sends what the pipeline makes of them."""

    def __init__(self, tap: Tap, pipeline: Pipeline) -> None:
        self._tap = tap
        self._pipeline = pipeline
        self._to: dict[Peer, Stream] = {}
        self._carrier: Carrier | None = None
        self._woken, self._waker = os.pipe()
        self.from_client = self._gate(Peer.CLIENT)
        self.from_agent = self._gate(Peer.AGENT)

    @property
    def is_holding(self) -> bool:
        """Whether something for the client is held."""
        return self._pipeline.is_holding(Peer.CLIENT)

    def connect(self, carrier: Carrier, to_agent: Stream, to_client: Stream) -> None:
        """Take notice of the streams, and of who carries them."""
        carrier.watch(self._woken, POLLIN, self._on_woken)
        self._carrier = carrier
        self._to = {Peer.AGENT: to_agent, Peer.CLIENT: to_client}

    def begin(self, start: Callable[[Task], None]) -> None:
        """Begin: from now on tasks can be started, and lines can be released by them."""
        self._pipeline.on_output = self._on_output
        self._pipeline.begin(start)
        self._flush()

    def stderr(self, chunk: bytes) -> None:
        """Take a chunk of the agent's stderr, which passes as it is."""
        self._tap.stderr(chunk)
        self._pipeline.take_stderr(chunk)

    def end(self) -> None:
        """Deliver what is held."""
        self._pipeline.end()
        self._flush()
        if self._carrier:
            self._carrier.forget(self._woken)
            os.close(self._woken)
            os.close(self._waker)
            self._carrier = None

    def _on_woken(self, _events: int) -> None:
        os.read(self._woken, 64)

    def _gate(self, sender: Peer) -> Gate:
        return Gate(lambda chunk: self._take(sender, chunk), lambda: self._take_end(sender))

    def _take(self, sender: Peer, chunk: bytes) -> bool:
        frames = self._tap.cut(sender, chunk)
        for frame in frames:
            self._pipeline.take(frame)
        if frames:
            self._flush()
        return True

    def _take_end(self, sender: Peer) -> bool:
        for record in self._tap.cut_end(sender):
            if isinstance(record, Frame):
                self._pipeline.take(record)
            else:
                self._pipeline.note(record)
        self._flush()
        return not self._pipeline.is_holding(sender.other) and not self._to[sender.other].blocked

    def _on_output(self) -> None:
        self._flush()
        for peer, stream in self._to.items():
            if stream.is_held and not self._pipeline.is_holding(peer):
                stream.release()
        if self._carrier:  # it may wait for what has just happened
            os.write(self._waker, b"!")

    def _flush(self) -> None:
        records, lines = self._pipeline.collect()
        if records:
            self._tap.keep(records)
        for to, raw in lines:
            self._to[to].send(raw)
