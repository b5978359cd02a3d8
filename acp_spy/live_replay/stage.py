"""
The stage of a play: a player, the stream that it reads and the one that it writes.

Nothing that is written here makes the play wait: neither bytes for the live peer nor what goes to
stderr, our own messages included. A mock agent is here, a mock client in `drive.py`.
"""

import os
import time
from collections.abc import Callable
from itertools import groupby
from operator import attrgetter
from select import POLLIN

import msgspec

from acp_spy.engine import stdio
from acp_spy.engine.carrier import Carrier
from acp_spy.engine.no_tap import NoTap
from acp_spy.engine.ready import FOR_EVER
from acp_spy.engine.stream import Sink
from acp_spy.engine.tap import Tap
from acp_spy.engine.work import Loading, carry
from acp_spy.live_replay.verdict import Verdict
from acp_spy.replay.divergence import Divergence, Note
from acp_spy.replay.player import Player
from acp_spy.replay.script import CLOSE, STDERR
from acp_spy.wire.framing import Framer
from acp_spy.wire.inert import inert_bytes

_LONGEST_WAIT = 3600.0  # seconds at once: the kernel takes no more than an int of milliseconds


class Reporting(msgspec.Struct, frozen=True):
    """
    Where reports go: `report` prints them, through what `print_through` was given last.

    The `verdict` is for the program that has given out our command line.
    """

    report: Callable[[Divergence | Note], None]
    print_through: Callable[[Callable[[bytes], None] | None], None]
    verdict: Verdict


class Stage:
    """
    A player on real streams: bytes in, bytes out, by the time that it is.

    `stderr` takes what it says there, and our messages. Only a mock client has a `tap`, so what is
    received is recorded as the agent's.
    """

    def __init__(
        self,
        player: Player,
        reporting: Reporting,
        source: int,
        output: Sink,
        stderr: Sink,
        tap: Tap | NoTap,
    ) -> None:
        self.carrier = output.carrier
        self.player = player
        self.output = output
        self.stderr = stderr
        self._tap = tap
        self._reporting = reporting
        self._reported = 0
        self._source = source
        self._framer = Framer()
        self.carrier.watch(source, POLLIN, self._on_source)
        reporting.print_through(stderr.put)

    def begin(self) -> None:
        """Let the play begin."""
        self.player.begin(time.monotonic())
        self.do_due()

    def end(self) -> int:
        """Wait until what goes to stderr is read; return the status to exit with."""
        self.do_due()
        self.stderr.wait()
        return self.player.status

    def close(self) -> None:
        """Give back what was taken."""
        self._reporting.print_through(None)
        stdio.restore()
        self.carrier.close()

    @property
    def is_over(self) -> bool:
        """Whether all has been sent and read."""
        return self.player.is_over and not self.output.pending

    is_ending = is_over

    @property
    def patience(self) -> float:
        """For how many seconds nothing is to be done if nothing comes."""
        if self.player.wake_at is None:
            return FOR_EVER
        return min(max(0.0, self.player.wake_at - time.monotonic()), _LONGEST_WAIT)

    def on_source_end(self) -> None:
        """Take the end of what the live peer sends."""
        self.player.end(time.monotonic())

    def end_output(self) -> None:
        """End what is sent to the live peer."""
        if not self.output.is_ending:
            self._tap.client_end()
            self.output.close()

    def _on_source(self, _events: int) -> None:
        chunk = stdio.read(self._source)
        if chunk is None:
            return
        if chunk:
            self._tap.agent(chunk)
            lines = self._framer.feed(chunk)
        else:
            self._tap.agent_end()
            tail = self._framer.close()
            lines = [tail] if tail else []
            self.carrier.forget(self._source)
        for line in lines:
            self.player.receive(line, time.monotonic())
            self.do_due()
        if not chunk:
            self.on_source_end()

    def do_due(self, *, silent: bool = False) -> None:  # noqa: ARG002 - the player has a clock
        """Write what is due by now, and report what has been found."""
        due = self.player.take(time.monotonic(), self._framer.held)
        # First the person, then the peer, which may end us or the test as soon as it knows.
        for found in self.player.reported[self._reported :]:
            self._reporting.report(found)
        self._reported = len(self.player.reported)
        if self.player.is_complete:
            self._reporting.verdict.complete()
        # What is due at once is written at once.
        for stream, together in groupby(due, attrgetter("stream")):
            data = b"".join(said.data for said in together)
            if stream == CLOSE:
                self.end_output()
            elif stream == STDERR:
                self.stderr.put(inert_bytes(data) if os.isatty(2) else data)
            else:
                self._tap.client(data)
                self.output.put(data)


def run_agent(player: Player, reporting: Reporting) -> int:
    """Play the agent on our own standard streams; return the status to exit with."""
    carrier = Carrier()
    stage = Stage(player, reporting, 0, Sink(carrier, 1), Sink(carrier, 2), NoTap())
    loading = Loading("acp_spy.engine.driven")
    try:
        stage.begin()
        # By one task, which lives as long as `trio.run`. A nursery would have no other in it, and
        # would raise what is raised here as a group.
        carry(stage, loading, lambda: loading.run("carry", stage) is None)
        return stage.end()
    finally:
        stage.close()
