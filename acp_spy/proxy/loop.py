"""
The proxy: one loop that carries three streams and follows the agent to its end.

    client's stdin  ──►  agent        what the client sends
    agent's stdout  ──►  client       what the agent sends
    agent's stderr  ──►  stderr       what it logs

Each chunk is shown to the tap, which writes the frames it completes to the capture; then it is
passed on, untouched, whole lines or not. So no peer acts on a frame that the capture lacks.
"""

import os
import time
from select import POLLIN, poll

from acp_spy.proxy.pump import Pump
from acp_spy.runtime import signals, stdio
from acp_spy.runtime.process import Agent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from acp_spy.live_check.checker import CheckerProcess
    from acp_spy.proxy.no_tap import NoTap
    from acp_spy.runtime.stderr_queue import StderrQueue
    from acp_spy.runtime.tap import Tap

# How long the agent's own children may be silent after its end before we end, too.
SILENCE_AFTER_EXIT = 1.0
# How long it takes the kernel to end a process whose files it has closed: far less.
_FROM_CLOSE_TO_END = 0.01


class Proxy:
    """A run: everything between the agent's start and its end."""

    def __init__(
        self,
        agent: Agent,
        tap: "Tap | NoTap",
        sinks: "tuple[stdio.Write, stdio.Write]",
        checker: "CheckerProcess | None" = None,
        stderr_queue: "StderrQueue | None" = None,
    ) -> None:
        self._agent = agent
        self._tap = tap
        self._checker = checker
        self._stderr_queue = stderr_queue
        self._agent_has_ended = False
        self.asked_to_end = False
        self._must_end = False
        self._poller = poller = poll()
        os.set_blocking(agent.stdin, False)  # our end only: a pipe's two ends are two files
        self._to_agent = Pump(poller, 0, agent.stdin, tap.client, tap.client_end)
        self._to_client = Pump(poller, agent.stdout, 1, tap.agent, tap.agent_end, sinks[0])
        self._to_stderr = Pump(poller, agent.stderr, 2, tap.stderr, self._on_stderr_end, sinks[1])
        self._end = agent.watch_end()
        self.wake, self.waker = os.pipe()
        poller.register(self._end, POLLIN)
        poller.register(self.wake, POLLIN)
        self._handlers = {
            **self._to_agent.handlers,
            **self._to_client.handlers,
            **self._to_stderr.handlers,
            self._end: self._on_end,
            self.wake: self._on_wake,
        }
        self._reads_checker = checker is not None
        if checker:
            poller.register(checker.output, POLLIN)
            self._handlers[checker.output] = self._on_checker_output
        if stderr_queue:
            stderr_queue.attach(poller, self._handlers)

    def run(self, blocked: set[int]) -> int:
        """Carry everything until the agent has ended; return its status as `Agent.reap` does."""
        signals.forward(blocked, self._agent, self._on_signal)
        poll_events, handlers, now = self._poller.poll, self._handlers, time.monotonic
        while not self._agent_has_ended:
            for descriptor, what in poll_events():
                handlers[descriptor](what)
        last_event = now()
        while (patience := self._patience(now() - last_event)) != 0:
            events = poll_events(patience)
            for descriptor, what in events:
                handlers[descriptor](what)
            if events:
                last_event = now()
        self._tap.check_file()
        for pump in (self._to_agent, self._to_client, self._to_stderr):
            pump.stop()
        status = self._agent.reap()
        self._tap.exit(status, self._undelivered())
        return status

    def _patience(self, silence: float) -> float | None:
        """Return for how many ms to wait after the agent's end: `None` is for ever, 0 no more."""
        if self._must_end or (self._to_client.done and self._to_stderr.done):
            return 0
        if (self._to_client.blocked or self._to_stderr.blocked) and not self.asked_to_end:
            return None  # a slow reader gets all of it, as it would from a pipe
        return max(0, SILENCE_AFTER_EXIT - silence) * 1000

    def _undelivered(self) -> dict[str, int]:
        counts = {
            "client": self._to_client.undelivered,
            "agent": self._to_agent.undelivered,
            "stderr": self._to_stderr.undelivered,
        }
        return {receiver: count for receiver, count in counts.items() if count}

    def _on_stderr_end(self) -> None:
        """Report on stderr while it is open: it ends with the agent's, unless we keep it."""
        if self._stderr_queue and self._agent_ends_now():
            self._stderr_queue.own_descriptor()  # much may be recorded yet, and fail
        else:
            self._tap.check_file()

    def _agent_ends_now(self) -> bool:
        """Whether the agent has closed its stderr by ending; it would take a moment to show."""
        if self._agent_has_ended or self._agent.is_exiting():
            return True
        poller = poll()
        poller.register(self._end, POLLIN)
        return bool(poller.poll(_FROM_CLOSE_TO_END * 1000))

    def _on_end(self, _events: int) -> None:
        self._agent_has_ended = True
        self._poller.unregister(self._end)
        # From now on we wait for silence, and these are no part of it.
        self._stop_reading_checker()
        if self._stderr_queue:
            self._stderr_queue.detach()

    def _on_checker_output(self, _events: int) -> None:
        if self._checker and self._reads_checker and not self._checker.read():
            self._stop_reading_checker()

    def _stop_reading_checker(self) -> None:
        if self._checker and self._reads_checker:
            self._poller.unregister(self._checker.output)
            self._reads_checker = False

    def _on_wake(self, _events: int) -> None:
        os.read(self.wake, 64)
        self.asked_to_end = True
        self._must_end = self._agent_has_ended  # there is nobody else that it could be meant for

    def _on_signal(self, number: int) -> None:
        # Called in the thread that waits for signals. A client that asks for the end and then
        # waits for it need not read on: without us the agent would be gone by now.
        if number in signals.ENDING:
            os.write(self.waker, b"!")
