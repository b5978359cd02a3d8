"""The numbers of the frames of a capture, in which none may come twice."""

from bisect import bisect_right
from operator import itemgetter


class FrameNumbers:
    """
    The numbers that have been given to the frames of a capture that is read line by line.

    A frame's `seq` is the name by which everything else finds it. Recorders count upwards. Lines
    may have been removed or exchanged, and then there are gaps, in which a number may still come.
    But if two captures were put into one file, or a line was copied, a number comes again: that
    frame gets the next one above all, and what refers to it by its own number follows it.
    """

    def __init__(self) -> None:
        self.last = 0  # the highest
        self._gaps: list[tuple[int, int]] = []  # from one number to before another, in order
        self._changed: dict[int, int] = {}

    def give(self, seq: int) -> int:
        """Return the number of the next frame, which says that it has this one."""
        if seq <= self.last:
            if self._take_from_gap(seq):
                return seq
            self._changed[seq] = seq = self.last + 1
        elif seq > self.last + 1:
            self._gaps.append((self.last + 1, seq))
        self.last = seq
        return seq

    def _take_from_gap(self, seq: int) -> bool:
        at = bisect_right(self._gaps, seq, key=itemgetter(0)) - 1
        if at < 0 or seq >= self._gaps[at][1]:
            return False
        start, end = self._gaps[at]
        halves = (start, seq), (seq + 1, end)
        self._gaps[at : at + 1] = [half for half in halves if half[0] < half[1]]
        return True

    @property
    def have_changed(self) -> bool:
        """Whether a frame was given another number than it says it has."""
        return bool(self._changed)

    def now(self, seq: int) -> int:
        """Return the number that the last frame that says it has this one was given; 0 is none."""
        return self._changed.get(seq, seq) if seq else 0
