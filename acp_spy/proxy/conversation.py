"""
A conversation: two endpoints, what passes between them, and the tap that records it.

    client's stdin  ──►  agent        what the client sends
    agent's stdout  ──►  client       what the agent sends
    agent's stderr  ──►  stderr       what it logs

Each chunk is shown to the tap, which writes the frames it completes to the capture; then it is
passed on, untouched, whole lines or not. So no peer acts on a frame that the capture lacks. With
`--redact` only small frames are written at once: no peer waits for what takes long.
"""

import os
from select import POLLIN

from acp_spy.engine.carrier import Carrier
from acp_spy.engine.process import SILENCE_AFTER_EXIT, Agent
from acp_spy.engine.ready import FOR_EVER, is_readable
from acp_spy.engine.stdio import Endpoint
from acp_spy.engine.stream import Gate, Stream

TYPE_CHECKING = False
if TYPE_CHECKING:
    from acp_spy.engine.no_tap import NoTap
    from acp_spy.engine.stderr_queue import StderrQueue
    from acp_spy.engine.tap import Tap
    from acp_spy.proxy.handling import Handling


class Conversation:
    """
    Everything between the agent's start and its end.

    `log` is the sink of the agent's stderr. `wake` becomes readable when a client asks for the end.
    With `handling`, whole frames pass through it, and it decides what is delivered.
    """

    def __init__(
        self,
        carrier: Carrier,
        client: Endpoint,
        agent: Agent,
        log: int,
        tap: "Tap | NoTap",
        wake: int,
        stderr_queue: "StderrQueue | None" = None,
        handling: "Handling | None" = None,
    ) -> None:
        self.carrier = carrier
        self._agent_end = agent.watch_end()
        self._agent = agent
        self._tap = tap
        self.wake = wake
        self._stderr_queue = stderr_queue
        self.is_ending = False  # the agent has ended
        self.asked_to_end = False
        self._must_end = False
        os.set_blocking(agent.stdin, False)  # our end only: a pipe's two ends are two files
        self.handling = handling
        to_agent = handling.from_client if handling else Gate(tap.client, tap.client_end)
        to_client = handling.from_agent if handling else Gate(tap.agent, tap.agent_end)
        to_log = Gate(handling.stderr if handling else tap.stderr, self._on_end_of_log)
        self._to_agent = Stream(carrier, client.source, agent.stdin, to_agent)
        self._to_client = Stream(carrier, agent.stdout, client.sink, to_client)
        self._to_log = Stream(carrier, agent.stderr, log, to_log)
        if handling:
            handling.connect(carrier, self._to_agent, self._to_client, self._to_log, agent)
        carrier.watch(self._agent_end, POLLIN, self._on_agent_end)
        carrier.watch(wake, POLLIN, self._on_wake)

    @property
    def is_over(self) -> bool:
        """Whether the agent has ended, and nothing is left to carry."""
        are_done = self._to_client.done and self._to_log.done
        return self.is_ending and (self._must_end or are_done)

    @property
    def patience(self) -> float:
        """For how many seconds of silence to carry on."""
        if not self.is_ending:
            return FOR_EVER
        is_held = self.handling is not None and self.handling.is_holding
        is_late = is_held or self._to_client.pending or self._to_log.pending
        if is_late and not self.asked_to_end:
            return FOR_EVER  # a slow reader gets all of it, as it would from a pipe
        return SILENCE_AFTER_EXIT

    def do_due(self, *, silent: bool) -> None:
        """End all after a long silence."""
        self._must_end |= silent

    def end(self) -> int:
        """End now; return the status to end with: the agent's as `Agent.reap` does, or another."""
        self._tap.check_file()
        if self.handling:
            self.handling.end()
        streams = {"agent": self._to_agent, "client": self._to_client, "stderr": self._to_log}
        for stream in streams.values():
            stream.stop()
        self.carrier.forget(self.wake)
        self.carrier.forget(self._agent_end)
        os.close(self._agent_end)
        status = self._agent.reap()
        lost = {name: stream.undelivered for name, stream in streams.items()}
        if self.handling:
            for receiver, count in self.handling.unfinished():
                lost[receiver] += count
        self._tap.exit(status, {name: count for name, count in lost.items() if count})
        if self._stderr_queue:
            self._tap.finish(self._is_asked_again, self._stderr_queue.announce)
        else:
            self._tap.finish(self._is_asked_again)
        if self.handling and self.handling.exit_status is not None:
            return self.handling.exit_status
        return status

    def _on_end_of_log(self) -> None:
        """Report on stderr while it is open: it ends with the agent's, unless we keep it."""
        if self._stderr_queue and (self.is_ending or self._agent.is_exiting()):
            self._stderr_queue.own_descriptor()  # much may be recorded yet, and fail
        else:
            self._tap.check_file()

    def _on_agent_end(self, _events: int) -> None:
        self.is_ending = True
        self.carrier.forget(self._agent_end)
        if self._stderr_queue:  # from now on we wait for silence, and it is no part of that
            self._stderr_queue.detach()

    def _is_asked_again(self) -> bool:
        if not is_readable(self.wake):
            return False
        os.read(self.wake, 64)
        self.asked_to_end = True
        return True

    def _on_wake(self, _events: int) -> None:
        os.read(self.wake, 64)
        self.asked_to_end = True
        self._must_end = self.is_ending  # there is nobody else that it could be meant for
