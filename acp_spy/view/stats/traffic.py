"""What each peer sent: frames, bytes, the largest frames, and how much of it when."""

import copy
from typing import Self

from acp_spy.view.stats.longest import Longest
from acp_spy.view.stats.model import LargeFrame, Sender, Traffic
from acp_spy.wire.frame import Frame, Peer

LARGEST = 5
SPANS = 64  # at most; at least half as many, if the capture lasts at all
_FIRST_SPAN = 0.001
_LATEST = 1e9


class SenderTally:
    """Counts the frames of one peer."""

    def __init__(self) -> None:
        self.frames = self.bytes = self.noise = self.unmatched = 0
        self._largest: Longest[LargeFrame] = Longest(LARGEST)

    def add(self, frame: Frame) -> None:
        """Take a frame."""
        size = len(frame.raw)
        self.frames += 1
        self.bytes += size
        if size > self._largest.least:
            self._largest.add(size, LargeFrame(frame.seq, size))

    def result(self) -> Sender:
        """Return the result."""
        largest = tuple(self._largest.things())
        return Sender(self.frames, self.bytes, self.noise, self.unmatched, largest)


class Course:
    """
    Bytes over time, in a fixed number of spans.

    Nobody knows at the start how long it will take: when the spans are used up, each two become
    one, twice as long.
    """

    def __init__(self) -> None:
        self._span = _FIRST_SPAN
        self._end = _FIRST_SPAN * SPANS
        self._bytes = {peer: [0] * SPANS for peer in Peer}
        self._last = 0

    def add(self, frame: Frame) -> None:
        """Take a frame."""
        t = frame.t
        if t >= self._end:
            t = self._make_room(t)
        place = int(t / self._span) if t > 0 else 0
        if place > self._last:  # noqa: PLR1730 - for every frame, and max() is a call
            self._last = place
        self._bytes[frame.sender][place] += len(frame.raw)

    def _make_room(self, t: float) -> float:
        """Make the spans longer until one has `t` in it; a clock cannot be that wrong."""
        t = min(t, _LATEST)
        while t >= self._end:
            self._double()
        return t

    def _double(self) -> None:
        self._span *= 2
        self._end *= 2
        self._last //= 2
        for peer, counts in self._bytes.items():
            halves = [counts[n] + counts[n + 1] for n in range(0, SPANS, 2)]
            self._bytes[peer] = halves + [0] * (SPANS // 2)

    def copy(self) -> Self:
        """Return another one, whose spans may become longer without those of this one."""
        other = copy.copy(self)
        vars(other).update(_bytes={peer: [*counts] for peer, counts in self._bytes.items()})
        return other

    def result(self, end: float = 0.0) -> Traffic:
        """Return the result, up to the last frame, or to `end` if the capture went on."""
        end = self._make_room(end)
        used = slice(max(self._last, int(end / self._span)) + 1)
        client, agent = (tuple(self._bytes[peer][used]) for peer in (Peer.CLIENT, Peer.AGENT))
        return Traffic(self._span, client, agent)
