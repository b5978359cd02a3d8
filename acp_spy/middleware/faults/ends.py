"""Faults that end something: a stream, or the agent's process. And one that fills stderr."""

import signal
from collections.abc import Sequence

from acp_spy.capture.records import CLOSED, FLOODED, SIGNALED
from acp_spy.middleware.faults.fault import Fault
from acp_spy.middleware.line import Held, Line
from acp_spy.view.filters import BYTES
from acp_spy.wire.frame import Frame, Peer

_FLOOD = b"[acp-spy] one of many lines that a fault writes to stderr, to see who reads it\n"
_HIGHEST_STATUS = 255
_KILL = 9  # by its number: Windows does not know it, where a capture can be tried


class _End(Fault):
    """
    Something ends after the frame. What its sender had sent by then is not delivered either.

    How much that is depends on how the bytes came, and what a peer gets must not.
    """

    times = 1
    needs_frame = False

    def set(self, value: str) -> None:
        """Take the value."""
        super().set(value)
        self._ended: set[Peer] = set()  # who gets nothing any more

    def apply(self, line: Line) -> Sequence[Line | Held]:
        """End it after the line."""
        self.strike(line.frame)
        return (line,)

    def pass_by(self, line: Line) -> Sequence[Line | Held]:
        """Drop what nobody gets."""
        return (line.dropped(self.by(line)),) if line.to in self._ended else (line,)

    def end_streams(self, frame: Frame, *peers: Peer) -> None:
        """Let the peers see the end of their streams."""
        for to in peers:
            self.note(frame, to, CLOSED)
            self._ended.add(to)
            self.pipeline.close(self, to)

    def kill(self, frame: Frame, number: int) -> None:
        """Send the agent a signal."""
        self.note(frame, Peer.AGENT, SIGNALED)
        if number == _KILL:  # else it may have something to say yet
            self._ended.add(Peer.CLIENT)
        self.pipeline.act(lambda controls: controls.signal_agent(number))


class Close(_End):
    """Both streams end."""

    word = "close"
    meaning = "Close both streams after the frame: the client's stdout and the agent's stdin end."
    example = "close turn:2 from:agent"

    def strike(self, frame: Frame) -> None:
        """Close both."""
        self.end_streams(frame, Peer.CLIENT, Peer.AGENT)


class HalfClose(_End):
    """One stream ends."""

    word = "half-close"
    meaning = (
        "Close the stream that the frame is on, after it: the receiver sees its end. The other"
        " direction goes on."
    )
    example = "half-close from:client method:session/prompt"
    implies = ("from:agent",)

    def strike(self, frame: Frame) -> None:
        """Close one."""
        self.end_streams(frame, frame.sender.other)


class Crash(_End):
    """The agent is killed."""

    word = "crash"
    takes = "SIGNAL"
    default = "SIGKILL"
    meaning = (
        "Send the agent's process a signal after the frame, SIGKILL without a name. After SIGKILL,"
        " nothing more of the agent is delivered."
    )
    example = "crash turn:2"

    def set(self, value: str) -> None:
        """Find the signal."""
        super().set("")
        name = value.upper() if value.upper().startswith("SIG") else f"SIG{value.upper()}"
        known = {**{each.name: each.value for each in signal.Signals}, "SIGKILL": _KILL}
        if name not in known:
            raise self.spec.error(f"no such signal: `{value}`", "use crash:SIGSEGV")
        self._signal = known[name]

    def strike(self, frame: Frame) -> None:
        """Send the signal."""
        self.kill(frame, self._signal)


class Exit(_End):
    """The agent exits."""

    word = "exit"
    takes = "STATUS"
    default = "1"
    meaning = "End the agent after the frame, and exit with this status, 1 without a number."
    example = "exit:137 method:session/prompt from:client"

    def set(self, value: str) -> None:
        """Read the status."""
        super().set("")
        self._status = self.spec.number(value, least=0)
        if self._status > _HIGHEST_STATUS:
            raise self.spec.error(f"not an exit status: `{value}`", "use a number from 0 to 255")

    def strike(self, frame: Frame) -> None:
        """Kill the agent, and say that it was something else."""
        self.kill(frame, _KILL)
        self.pipeline.act(lambda controls: controls.exit_with(self._status))


class StderrFlood(Fault):
    """Much is written to stderr."""

    word = "stderr-flood"
    takes = "SIZE"
    default = "1MB"
    meaning = "Write so many bytes to stderr after the frame, 1 MB without a size."
    example = "stderr-flood:10MB turn:1"
    times = 1
    needs_frame = False

    def set(self, value: str) -> None:
        """Read how much."""
        size = int(self.spec.size(value, BYTES))
        self._lines = max(1, size // len(_FLOOD))

    def apply(self, line: Line) -> Sequence[Line | Held]:
        """Write it after the line."""
        self.strike(line.frame)
        return (line,)

    def strike(self, frame: Frame) -> None:
        """Write it."""
        self.note(frame, Peer.CLIENT, FLOODED)
        self.pipeline.act(lambda controls: controls.write_stderr(_FLOOD * self._lines))
