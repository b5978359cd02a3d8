"""Faults that take time: the order of frames in a session is kept."""

from collections.abc import Sequence

from acp_spy.middleware.faults.fault import Fault
from acp_spy.middleware.line import Held, Line
from acp_spy.view.filters import BYTES
from acp_spy.wire.frame import Peer


class Latency(Fault):
    """Each frame takes longer, by a time that may vary."""

    word = "latency"
    takes = "TIME[~TIME]"
    default = "100ms"
    meaning = "Deliver frames this much later, more or less by the time after `~`."
    example = "latency:200ms~50ms from:agent"

    def set(self, value: str) -> None:
        """Read the time, and by how much it varies."""
        time, _, variation = value.partition("~")
        self._seconds = self.spec.seconds(time)
        self._variation = self.spec.seconds(variation or "0")

    def apply(self, line: Line) -> Sequence[Line | Held]:
        """Hold the line."""
        varied = self.draw(line).uniform(-self._variation, self._variation)
        return (self.hold(line, max(0.0, self._seconds + varied)),)


class Jitter(Fault):
    """Each frame takes longer, by any time up to one."""

    word = "jitter"
    takes = "TIME"
    default = "100ms"
    meaning = "Deliver frames later, by a random time up to this."
    example = "jitter:300ms method:session/update"

    def set(self, value: str) -> None:
        """Read the longest time."""
        self._most = self.spec.seconds(value)

    def apply(self, line: Line) -> Sequence[Line | Held]:
        """Hold the line."""
        return (self.hold(line, self.draw(line).uniform(0, self._most)),)


class Bandwidth(Fault):
    """Frames take the time that a slow line takes for them."""

    word = "bandwidth"
    takes = "SIZE"
    default = "10kB"
    meaning = (
        "Deliver so many bytes per second in each direction: a frame arrives when its last"
        " byte would."
    )
    example = "bandwidth:2kB from:agent"

    def set(self, value: str) -> None:
        """Read how many bytes a second."""
        self._rate = self.spec.size(value, BYTES)
        if not self._rate:
            raise self.spec.error("nothing would ever arrive", "use `stall` for that")
        self._free = dict.fromkeys(Peer, 0.0)  # when a line to this peer has room again

    def apply(self, line: Line) -> Sequence[Line | Held]:
        """Hold the line until all of it would have come."""
        now = self.pipeline.now()
        self._free[line.to] = max(now, self._free[line.to]) + len(line.raw) / self._rate
        return (self.hold(line, self._free[line.to] - now),)


class Stall(Fault):
    """One direction stops."""

    word = "stall"
    takes = "TIME"
    meaning = (
        "Deliver nothing more in the direction of the frame, beginning with it: for this time, or"
        " without a time until the end. The sender does not notice."
    )
    example = "stall:30s turn:2 from:agent"
    times = 1

    def set(self, value: str) -> None:
        """Read the time."""
        self._seconds = self.spec.seconds(value) if value else None
        self._until = dict.fromkeys(Peer, 0.0)

    def apply(self, line: Line) -> Sequence[Line | Held]:
        """Stop the direction of this line."""
        more = float("inf") if self._seconds is None else self._seconds
        self._until[line.to] = self.pipeline.now() + more
        return self.pass_by(line)

    def pass_by(self, line: Line) -> Sequence[Line | Held]:
        """Keep a line back while its direction is stopped."""
        left = self._until[line.to] - self.pipeline.now()
        if left <= 0:
            return (line,)
        if self._seconds is None:
            return (line.dropped(self.by(line)),)
        return (self.hold(line, left),)
