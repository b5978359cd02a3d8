"""
Run a player on real streams, by a real clock.

    stdin ─► Player ─► stdout, stderr

Nothing that is written here makes the play wait: neither bytes for the live peer nor what goes to
stderr, our own words included.

This is a `poll` loop like the proxy's, and for its reasons: a capture that is fed from a file is a
legitimate client, which epoll, and with it trio, refuses; and a mock agent is started anew by
every test, so that 0.2 s of imports would be paid hundreds of times.
"""

import os
import time
from collections.abc import Callable
from itertools import groupby
from select import POLLIN, poll

import msgspec

from acp_spy.live_replay.output_queue import Outlet
from acp_spy.live_replay.verdict import Verdict
from acp_spy.replay.divergence import Divergence, Note
from acp_spy.replay.live_conversation import Said
from acp_spy.replay.player import Player
from acp_spy.replay.script import CLOSE, STDERR
from acp_spy.runtime import stdio
from acp_spy.wire.framing import Framer

CHUNK = 64 * 1024
_LONGEST_WAIT = 3600.0  # seconds at once: poll takes no more than an int of milliseconds
Tell = Callable[[Divergence | Note], None]
Say = Callable[[bytes], None]


class Audience(msgspec.Struct, frozen=True):
    """
    Who is told what: the person by `tell`, which speaks by what `speak_by` was given last.

    The `verdict` is for whoever has given out our command line.
    """

    tell: Tell
    speak_by: Callable[[Say | None], None]
    verdict: Verdict


class Stage:
    """A player, the stream that it hears and the one that it speaks on."""

    def __init__(self, player: Player, audience: Audience, source: int, sink: int) -> None:
        self.poller = poll()
        self.player = player
        self._audience = audience
        self._told = 0
        self._source = source
        self._framer = Framer()
        self.outlet = Outlet(self.poller, sink, stdio.make_sink(sink))
        self.stderr = Outlet(self.poller, 2, stdio.make_sink(2))
        self.handlers: dict[int, Callable[[int], None]] = {
            source: self._on_source,
            sink: self.outlet.on_event,
            2: self.stderr.on_event,
        }
        self.poller.register(source, POLLIN)

    def run(self) -> int:
        """Play to the end; return the status to exit with."""
        self._audience.speak_by(self.stderr.put)
        try:
            self.player.begin(time.monotonic())
            self._speak()
            while not self.is_over():
                for descriptor, events in self.poller.poll(self._patience()):
                    self.handlers[descriptor](events)
                self._speak()
            self.leave()
            self._speak()
            self.stderr.drain()
        finally:
            self._audience.speak_by(None)
            stdio.restore()
        return self.player.status

    def leave(self) -> None:
        """Be told that the play is over."""

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

    def close(self) -> None:
        """End what is sent to the live peer."""
        self.outlet.close()

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
        due = self.player.take(time.monotonic(), self._framer.held)
        # First the person, then the peer, which may end us or the test as soon as it has heard.
        for told in self.player.told[self._told :]:
            self._audience.tell(told)
        self._told = len(self.player.told)
        if self.player.is_complete:
            self._audience.verdict.complete()
        for stream, together in groupby(due, _stream):  # what is due at once is written at once
            data = b"".join(said.data for said in together)
            if stream == CLOSE:
                self.close()
            elif stream == STDERR:
                self.stderr.put(data)
            else:
                self.say(data)


def run_agent(player: Player, audience: Audience) -> int:
    """Play the agent on our own standard streams; return the status to exit with."""
    return Stage(player, audience, source=0, sink=1).run()


def _stream(said: Said) -> str:
    return said.stream
