"""
Run a player on real streams, by a real clock.

    stdin ─► Player ─► stdout, stderr

Nothing that is written here makes the play wait: neither bytes for the live peer nor what goes to
stderr, our own messages included.

This is a `poll` loop like the proxy's, and for its reasons: a capture that is fed from a file is a
legitimate client, which epoll, and with it trio, refuses; and a mock agent is started again by
every test, so that 0.2 s of imports would be paid hundreds of times.
"""

import os
import time
from collections.abc import Callable
from itertools import groupby
from select import POLLIN, poll

import msgspec

from acp_spy.live_replay.output_queue import OutputQueue
from acp_spy.live_replay.verdict import Verdict
from acp_spy.replay.divergence import Divergence, Note
from acp_spy.replay.live_conversation import Said
from acp_spy.replay.player import Player
from acp_spy.replay.script import CLOSE, STDERR
from acp_spy.runtime import stdio
from acp_spy.wire.framing import Framer

CHUNK = 64 * 1024
_LONGEST_WAIT = 3600.0  # seconds at once: poll takes no more than an int of milliseconds
Report = Callable[[Divergence | Note], None]
Write = Callable[[bytes], None]


class Reporting(msgspec.Struct, frozen=True):
    """
    Where reports go: `report` prints them, through what `print_through` was given last.

    The `verdict` is for the program that has given out our command line.
    """

    report: Report
    print_through: Callable[[Write | None], None]
    verdict: Verdict


class ReplayLoop:
    """A player, the stream that it reads and the one that it writes."""

    def __init__(self, player: Player, reporting: Reporting, source: int, sink: int) -> None:
        self.poller = poll()
        self.player = player
        self._reporting = reporting
        self._reported = 0
        self._source = source
        self._framer = Framer()
        self.output = OutputQueue(self.poller, sink, stdio.make_sink(sink))
        self.stderr = OutputQueue(self.poller, 2, stdio.make_sink(2))
        self.handlers: dict[int, Callable[[int], None]] = {
            source: self._on_source,
            sink: self.output.on_event,
            2: self.stderr.on_event,
        }
        self.poller.register(source, POLLIN)

    def run(self) -> int:
        """Play to the end; return the status to exit with."""
        self._reporting.print_through(self.stderr.put)
        try:
            self.player.begin(time.monotonic())
            self._write_due()
            while not self.is_over():
                for descriptor, events in self.poller.poll(self._patience()):
                    self.handlers[descriptor](events)
                self._write_due()
            self.on_over()
            self._write_due()
            self.stderr.drain()
        finally:
            self._reporting.print_through(None)
            stdio.restore()
        return self.player.status

    def on_over(self) -> None:
        """Do what is left when the play is over."""

    def is_over(self) -> bool:
        """Whether all has been sent and read."""
        return self.player.is_over and self.output.is_empty

    def wake_at(self) -> float | None:
        """When something is to be done even if nothing comes."""
        return self.player.wake_at

    def on_received(self, chunk: bytes) -> None:
        """See what the live peer sends; empty at its end."""

    def on_source_end(self) -> None:
        """Take the end of what the live peer sends."""
        self.player.end(time.monotonic())

    def send(self, data: bytes) -> None:
        """Send bytes to the live peer."""
        self.output.put(data)

    def close(self) -> None:
        """End what is sent to the live peer."""
        self.output.close()

    def _patience(self) -> float | None:
        """Return for how many milliseconds to wait: `None` is for ever."""
        at = self.wake_at()
        # Rounded up: a millisecond too early would be spent in a busy loop.
        if at is None:
            return None
        return min(max(0.0, at - time.monotonic()), _LONGEST_WAIT) * 1000 + 0.999

    def _on_source(self, _events: int) -> None:
        try:
            chunk = os.read(self._source, CHUNK)
        except BlockingIOError:
            return
        except OSError:
            chunk = b""  # a terminal hung up, a connection reset: an end like any other
        self.on_received(chunk)
        if chunk:
            lines = self._framer.feed(chunk)
        else:
            tail = self._framer.close()
            lines = [tail] if tail else []
            self.poller.unregister(self._source)
        for line in lines:
            self.player.receive(line, time.monotonic())
            self._write_due()
        if not chunk:
            self.on_source_end()

    def _write_due(self) -> None:
        due = self.player.take(time.monotonic(), self._framer.held)
        # First the person, then the peer, which may end us or the test as soon as it knows.
        for found in self.player.reported[self._reported :]:
            self._reporting.report(found)
        self._reported = len(self.player.reported)
        if self.player.is_complete:
            self._reporting.verdict.complete()
        for stream, together in groupby(due, _stream):  # what is due at once is written at once
            data = b"".join(said.data for said in together)
            if stream == CLOSE:
                self.close()
            elif stream == STDERR:
                self.stderr.put(data)
            else:
                self.send(data)


def run_agent(player: Player, reporting: Reporting) -> int:
    """Play the agent on our own standard streams; return the status to exit with."""
    return ReplayLoop(player, reporting, source=0, sink=1).run()


def _stream(said: Said) -> str:
    return said.stream
