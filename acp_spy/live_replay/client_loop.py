"""
Drive a live agent by a player of its client, and follow it to its end.

    the agent's stdout ─► Player ─► the agent's stdin
    the agent's stderr ─► stderr
"""

import os
import time
from select import POLLIN, poll
from signal import SIGKILL, SIGTERM, Signals

from acp_spy.live_replay.loop import CHUNK, ReplayLoop, Reporting
from acp_spy.replay.agent_exit import AgentExit
from acp_spy.replay.player import Player
from acp_spy.runtime import stdio
from acp_spy.runtime.process import Agent
from acp_spy.runtime.tap import Tap

# How long a live agent may take to end after its part before it is asked to, and then made to.
GRACE, LAST_GRACE = 5.0, 2.0
_LAST_STDERR = 2000  # bytes that are kept, to say why an agent sent no message


def run_client(player: Player, agent: Agent, reporting: Reporting, tap: Tap | None = None) -> int:
    """Play the client of a started agent, and follow it to its end; return the status."""
    os.set_blocking(agent.stdin, False)
    loop = _ClientLoop(player, agent, reporting, tap)
    try:
        return loop.run()
    finally:
        loop.end()


class _ClientLoop(ReplayLoop):
    """The loop of a mock client: there is a process to be followed, too."""

    def __init__(self, player: Player, agent: Agent, reporting: Reporting, tap: Tap | None) -> None:
        super().__init__(player, reporting, agent.stdout, agent.stdin)
        self._agent = agent
        self._tap = tap
        self._end = agent.watch_end()
        self._has_ended = self._is_asked_to_end = self._is_reaped = self._is_closed = False
        self._sent: list[Signals] = []  # the signals that the agent got from us
        self._is_held_back = False
        self._last_stderr = b""
        self._ends_at: float | None = None  # when it is not waited for any more
        self.poller.register(agent.stderr, POLLIN)
        self.poller.register(self._end, POLLIN)
        self.handlers[agent.stderr] = self._on_stderr
        self.handlers[self._end] = self._on_end
        self.handlers[2] = self._on_our_stderr

    def is_over(self) -> bool:
        """Whether all was sent, and the agent has ended or has had the time to."""
        now, player = time.monotonic(), self.player
        if self._has_ended and player.is_over:
            return True
        if self._ends_at is None:
            if not player.is_over and not player.is_complete:
                return False
            self.close()
            self._ends_at = now + GRACE + LAST_GRACE
        if now >= self._ends_at - LAST_GRACE and not self._is_asked_to_end:
            self._is_asked_to_end = True
            self._send_signal(SIGTERM)
        if now < self._ends_at:
            return False
        if not player.is_over:
            player.end(now)
            self._write_due()
        return True

    def wake_at(self) -> float | None:
        """When the player wants it, or when the agent should have ended."""
        times = [self.player.wake_at, self._ends_at]
        if self._ends_at is not None and not self._is_asked_to_end:
            times.append(self._ends_at - LAST_GRACE)
        return min((at for at in times if at is not None), default=None)

    def on_received(self, chunk: bytes) -> None:
        """Record what the agent sends."""
        if self._tap:
            if chunk:
                self._tap.agent(chunk)
            else:
                self._tap.agent_end()

    def send(self, data: bytes) -> None:
        """Record what is sent before it is."""
        if self._tap:
            self._tap.client(data)
        super().send(data)

    def close(self) -> None:
        """Record, once, that no more will be sent."""
        if self._tap and not self._is_closed:
            self._tap.client_end()
        self._is_closed = True
        super().close()

    def on_source_end(self) -> None:
        """Take the end of what the agent sends; if it never sent a message, with the reason."""
        exited = None if self.player.has_heard else self._how_it_exited()
        self.player.end(time.monotonic(), exited)

    def _how_it_exited(self) -> AgentExit | None:
        """Return how the agent exited; `None` if it only closed its stdout, and runs on."""
        end = poll()
        end.register(self._end, POLLIN)
        if not end.poll(LAST_GRACE * 1000):  # mostly it has exited: that closed its stdout
            return None
        self._pass_on_rest()
        stderr = self._last_stderr.decode(errors="backslashreplace")
        return AgentExit(self._agent.reap(), stderr=stderr)

    def on_over(self) -> None:
        """Report how the agent has ended, after everything that it has sent."""
        status = self.end()
        self.player.agent_exited(AgentExit(status, self._overstayed(status)))

    def end(self) -> int:
        """Leave no agent behind; return how it ended."""
        if not self._has_ended:
            self._send_signal(SIGKILL)
        status = self._agent.reap()
        if not self._is_reaped:
            self._is_reaped = True
            self._pass_on_rest()
            if self._tap:
                self._tap.exit(status, {})
        return status

    def _send_signal(self, number: Signals) -> None:
        if self._agent.send(number):
            self._sent.append(number)

    def _overstayed(self, status: int) -> str:
        """Return what was done about an agent that did not end by itself; empty if it did."""
        if not self._sent:
            return ""
        fatal = SIGKILL if SIGKILL in self._sent and status == -SIGKILL else SIGTERM
        return (
            f"did not exit within {GRACE:g} s after its stdin was closed, and was ended by"
            f" {fatal.name}"
        )

    def _on_stderr(self, _events: int) -> None:
        chunk = os.read(self._agent.stderr, CHUNK)
        self._pass_on(chunk)
        # Read again when ours has been read: what the agent writes is not piled up here.
        self._is_held_back = bool(chunk) and not self.stderr.is_empty
        if not chunk or self._is_held_back:
            self.poller.unregister(self._agent.stderr)

    def _on_our_stderr(self, events: int) -> None:
        self.stderr.on_event(events)
        if self._is_held_back and self.stderr.is_empty:
            self._is_held_back = False
            self.poller.register(self._agent.stderr, POLLIN)

    def _pass_on_rest(self) -> None:
        if unread := stdio.unread(self._agent.stderr):
            self._pass_on(os.read(self._agent.stderr, unread))

    def _pass_on(self, chunk: bytes) -> None:
        self._last_stderr = (self._last_stderr + chunk)[-_LAST_STDERR:]
        if chunk and self._tap:
            self._tap.stderr(chunk)
        self.stderr.put(chunk)

    def _on_end(self, _events: int) -> None:
        self._has_ended = self._is_asked_to_end = True
        self.poller.unregister(self._end)
        # A child of the agent may hold its streams open for ever.
        self._ends_at = time.monotonic() + LAST_GRACE
