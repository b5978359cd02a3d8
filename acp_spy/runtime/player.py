"""
Run a player on real streams, by a real clock.

    mock agent     stdin ─► Player ─► stdout, stderr
    mock client    the agent's stdout ─► Player ─► the agent's stdin

This is a `poll` loop like the proxy's, and for its reasons: a capture that is fed from a file is a
legitimate client, which epoll, and with it trio, refuses; and a mock agent is started anew by
every test, so that 0.2 s of imports would be paid hundreds of times.
"""

import os
import time
from collections.abc import Callable
from itertools import groupby
from select import POLLIN, poll
from signal import SIGKILL, SIGTERM

from acp_spy.replay.divergence import Divergence, Note
from acp_spy.replay.player import Player
from acp_spy.replay.script import CLOSE, STDERR
from acp_spy.replay.speaker import Said
from acp_spy.runtime import stdio
from acp_spy.runtime.outlet import Outlet
from acp_spy.runtime.process import Agent
from acp_spy.runtime.tap import Tap
from acp_spy.runtime.verdict import Verdict
from acp_spy.wire.framing import Framer

_CHUNK = 64 * 1024
_LONGEST_WAIT = 3600.0  # seconds at once: poll takes no more than an int of milliseconds
# How long a live agent may take to end after its part before it is asked to, and then made to.
GRACE, LAST_GRACE = 5.0, 2.0

Tell = Callable[[Divergence | Note], None]


class _Stage:
    """A player, the stream that it hears and the one that it speaks on."""

    def __init__(
        self, player: Player, tell: Tell, source: int, sink: int, verdict: Verdict
    ) -> None:
        self.poller = poll()
        self.player = player
        self._verdict = verdict
        self.handlers: dict[int, Callable[[int], None]] = {source: self._on_source}
        self._tell = tell
        self._told = 0
        self._source = source
        self._framer = Framer()
        write = stdio.make_sink(sink)
        self.outlet = Outlet(self.poller, sink, write)
        self.handlers[sink] = self.outlet.on_event
        self.poller.register(source, POLLIN)

    def run(self) -> None:
        """Play to the end."""
        self.player.begin(time.monotonic())
        self._speak()
        while not self.is_over():
            for descriptor, events in self.poller.poll(self._patience()):
                self.handlers[descriptor](events)
            self._speak()

    def is_over(self) -> bool:
        """Whether all has been said and taken."""
        return self.player.is_over and self.outlet.is_empty

    def wake_at(self) -> float | None:
        """When something is to be done even if nothing comes."""
        return self.player.wake_at

    def hear(self, chunk: bytes) -> None:
        """Be shown what the live peer sends; empty at its end."""

    def say(self, data: bytes) -> None:
        """Send bytes to the live peer."""
        self.outlet.put(data)

    def _patience(self) -> float | None:
        """Return for how many milliseconds to wait: `None` is for ever."""
        at = self.wake_at()
        # Rounded up: a millisecond too early would be spent in a busy loop.
        if at is None:
            return None
        return min(max(0.0, at - time.monotonic()), _LONGEST_WAIT) * 1000 + 0.999

    def _on_source(self, _events: int) -> None:
        try:
            chunk = os.read(self._source, _CHUNK)
        except BlockingIOError:
            return
        except OSError:
            chunk = b""  # a terminal hung up, a connection reset: an end like any other
        self.hear(chunk)
        if chunk:
            lines = self._framer.feed(chunk)
        else:
            tail = self._framer.close()
            lines = [tail] if tail else []
            self.poller.unregister(self._source)
        for line in lines:
            self.player.receive(line, time.monotonic())
            self._speak()
        if not chunk:
            self.player.end(time.monotonic())

    def _speak(self) -> None:
        due = self.player.take(time.monotonic())
        # First the person, then the peer, which may end us or the test as soon as it has heard.
        for told in self.player.told[self._told :]:
            self._tell(told)
        self._told = len(self.player.told)
        if self.player.is_complete:
            self._verdict.complete()
        for stream, together in groupby(due, _stream):  # what is due at once is written at once
            data = b"".join(said.data for said in together)
            if stream == CLOSE:
                self.outlet.close()
            elif stream == STDERR:
                _write_all(2, data)
            else:
                self.say(data)


def run_agent(player: Player, tell: Tell, verdict: Verdict) -> int:
    """Play the agent on our own standard streams; return the status to exit with."""
    stdio.secure()
    try:
        _Stage(player, tell, source=0, sink=1, verdict=verdict).run()
    finally:
        stdio.restore()
    return player.status


def run_client(
    player: Player, agent: Agent, tell: Tell, verdict: Verdict, tap: Tap | None = None
) -> int:
    """Play the client of a started agent, and follow it to its end; return the status."""
    os.set_blocking(agent.stdin, False)
    stage = _ClientStage(player, agent, tell, verdict, tap)
    try:
        stage.run()
    finally:
        stage.end()
    return player.status


class _ClientStage(_Stage):
    """The stage of a mock client: there is a process to be followed, too."""

    def __init__(
        self, player: Player, agent: Agent, tell: Tell, verdict: Verdict, tap: Tap | None
    ) -> None:
        super().__init__(player, tell, agent.stdout, agent.stdin, verdict)
        self._agent = agent
        self._tap = tap
        self._end = agent.watch_end()
        self._has_ended = self._is_asked_to_end = False
        self._leaves_at: float | None = None  # when it is not waited for any more
        self.poller.register(agent.stderr, POLLIN)
        self.poller.register(self._end, POLLIN)
        self.handlers[agent.stderr] = self._on_stderr
        self.handlers[self._end] = self._on_end

    def is_over(self) -> bool:
        """Whether all was said, and the agent has ended or has had the time to."""
        now, player = time.monotonic(), self.player
        if self._has_ended and player.is_over:
            return True
        if self._leaves_at is None:
            if not player.is_over and not player.is_complete:
                return False
            self.outlet.close()
            # One that hangs has had its time already.
            self._leaves_at = now + LAST_GRACE + (0 if player.is_over else GRACE)
        if now >= self._leaves_at - LAST_GRACE and not self._is_asked_to_end:
            self._is_asked_to_end = True
            self._agent.send(SIGTERM)
        if now < self._leaves_at:
            return False
        if not player.is_over:
            player.end(now)
            self._speak()
        return True

    def wake_at(self) -> float | None:
        """When the player wants it, or when the agent should have ended."""
        times = [self.player.wake_at, self._leaves_at]
        if self._leaves_at is not None and not self._is_asked_to_end:
            times.append(self._leaves_at - LAST_GRACE)
        return min((at for at in times if at is not None), default=None)

    def hear(self, chunk: bytes) -> None:
        """Record what the agent sends."""
        if self._tap:
            if chunk:
                self._tap.agent(chunk)
            else:
                self._tap.agent_end()

    def say(self, data: bytes) -> None:
        """Record what is sent before it is."""
        if self._tap:
            self._tap.client(data)
        super().say(data)

    def end(self) -> None:
        """Leave no agent behind."""
        if not self._has_ended:
            self._agent.send(SIGKILL)
        status = self._agent.reap()
        if self._tap:
            self._tap.exit(status, {})

    def _on_stderr(self, _events: int) -> None:
        chunk = os.read(self._agent.stderr, _CHUNK)
        if not chunk:
            self.poller.unregister(self._agent.stderr)
            return
        if self._tap:
            self._tap.stderr(chunk)
        _write_all(2, chunk)

    def _on_end(self, _events: int) -> None:
        self._has_ended = self._is_asked_to_end = True
        self.poller.unregister(self._end)
        # A child of the agent may hold its streams open for ever.
        self._leaves_at = time.monotonic() + LAST_GRACE


def _stream(said: Said) -> str:
    return said.stream


def _write_all(descriptor: int, data: bytes) -> None:
    try:
        while data:
            data = data[os.write(descriptor, data) :]
    except OSError:
        pass  # nobody listens
