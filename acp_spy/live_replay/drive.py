"""Drive a live agent by a player of its client, and follow it to its end."""

import os
import time
from select import POLLIN
from signal import SIGKILL, SIGTERM, Signals

import trio

from acp_spy.engine.carrier import Carrier
from acp_spy.engine.driven import carry, run
from acp_spy.engine.no_tap import NoTap
from acp_spy.engine.process import Agent
from acp_spy.engine.ready import FOR_EVER, is_readable
from acp_spy.engine.stream import Gate, Sink, Stream
from acp_spy.engine.tap import Tap
from acp_spy.live_replay.stage import Reporting, Stage
from acp_spy.replay.agent_exit import AgentExit
from acp_spy.replay.player import Player

_LAST_STDERR = 2000  # bytes that are kept, to say why an agent sent no message
# How long a live agent may take to end after its part before it is asked to, and then made to.
GRACE, LAST_GRACE = 5.0, 2.0


def run_client(player: Player, agent: Agent, reporting: Reporting, tap: Tap | None = None) -> int:
    """Play the client of a started agent, and follow it to its end; return the status."""
    os.set_blocking(agent.stdin, False)
    stage = _ClientStage(player, agent, reporting, tap or NoTap())
    try:
        try:
            stage.begin()
            run(_drive, stage)
        finally:
            stage.end_agent()
        return stage.end()
    finally:
        stage.close()


async def _drive(stage: "_ClientStage") -> None:
    """Play to the end; then the agent has some time to end, too."""
    async with trio.open_nursery() as nursery:
        nursery.start_soon(_see_out, stage, nursery.cancel_scope)
        await carry(stage)
        nursery.cancel_scope.cancel()
    if not stage.player.is_over:
        stage.player.end(time.monotonic())


async def _see_out(stage: "_ClientStage", play: trio.CancelScope) -> None:
    await stage.done.wait()  # or the agent has ended before it
    with trio.move_on_after(GRACE):
        await stage.ended.wait()
    stage.send_signal(SIGTERM)
    await trio.sleep(LAST_GRACE)  # also for a child that holds the streams of an agent that ended
    play.cancel()


class _Log(Stream):
    """The agent's stderr, and our messages: the agent can write on, even if nobody reads them."""

    on_lost = Stream.cut


class _ClientStage(Stage):
    """The stage of a mock client: there is a process to be followed, too."""

    stderr: _Log

    def __init__(
        self, player: Player, agent: Agent, reporting: Reporting, tap: Tap | NoTap
    ) -> None:
        carrier = Carrier()
        stderr = _Log(carrier, agent.stderr, 2, Gate(self._keep_stderr, lambda: False))
        super().__init__(player, reporting, agent.stdout, Sink(carrier, agent.stdin), stderr, tap)
        self._agent = agent
        self._end = agent.watch_end()
        self.done, self.ended = trio.Event(), trio.Event()  # the play, or the agent; the agent
        self._waits_for_exit_until = FOR_EVER
        self._sent: list[Signals] = []  # the signals that the agent got from us
        self._last_stderr = b""
        self.carrier.watch(self._end, POLLIN, self._on_end)

    @property
    def is_over(self) -> bool:
        """Whether the play is over, and the agent has ended."""
        return self.player.is_over and self.ended.is_set()

    @property
    def patience(self) -> float:
        """For how many seconds nothing is to be done if nothing comes."""
        return min(super().patience, max(0.0, self._waits_for_exit_until - time.monotonic()))

    def on_source_end(self) -> None:
        """Take the end of what the agent sends; if it never sent a message, its exit says why."""
        if self.player.has_heard:
            super().on_source_end()
        else:  # mostly it has exited: that closed its stdout
            self._waits_for_exit_until = time.monotonic() + LAST_GRACE

    def _explain_end(self) -> None:
        """End a play in which the agent never sent a message, with how it exited, if it has."""
        self._waits_for_exit_until = FOR_EVER
        exited = None
        if self.ended.is_set():
            self.stderr.take_rest()
            stderr = self._last_stderr.decode(errors="backslashreplace")
            exited = AgentExit(self._agent.reap(), stderr=stderr)
        self.player.end(time.monotonic(), exited)

    def end_agent(self) -> None:
        """Leave no agent behind; report how it ended, after everything that it has sent."""
        if not self.ended.is_set():
            self.send_signal(SIGKILL)
        status = self._agent.reap()
        self.stderr.take_rest()
        self._tap.exit(status, {})
        self.player.agent_exited(AgentExit(status, self._overstayed(status)))

    def send_signal(self, number: Signals) -> None:
        """Send the agent a signal, and remember that it was ours; not if it has ended already."""
        if not is_readable(self._end) and self._agent.send(number):
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

    def do_due(self, *, silent: bool = False) -> None:
        """See the agent out when the play is done."""
        until = self._waits_for_exit_until
        if until < FOR_EVER and (self.ended.is_set() or time.monotonic() >= until):
            self._explain_end()
        super().do_due(silent=silent)
        if self.ended.is_set():
            self.done.set()
        elif not self.done.is_set() and (self.player.is_over or self.player.is_complete):
            self.done.set()
            self.end_output()

    def _keep_stderr(self, chunk: bytes) -> None:
        self._last_stderr = (self._last_stderr + chunk)[-_LAST_STDERR:]
        self._tap.stderr(chunk)

    def close(self) -> None:
        """Give back what was taken, and our ends of the agent's pipes."""
        super().close()
        for descriptor in (self._agent.stdout, self._agent.stderr, self._end):
            os.close(descriptor)
        if not self.output.done:
            os.close(self._agent.stdin)

    def _on_end(self, _events: int) -> None:
        self.ended.set()
        self.carrier.forget(self._end)
