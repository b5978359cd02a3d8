"""The numbers of the frames of a capture, in which none may come twice."""


class FrameNumbers:
    """
    The numbers that have been given to the frames of a capture that is read line by line.

    A frame's `seq` is the name by which everything else finds it. Recorders count upwards, so it is
    enough to remember the last; a gap is fine, for lines may have been removed. But two captures
    may have been put into one file, or a line may have been copied by hand: a frame whose number is
    not above the last one's gets the next, and what refers to it by its own number follows it.
    """

    def __init__(self) -> None:
        self.last = 0
        self._changed: dict[int, int] = {}

    def give(self, seq: int) -> int:
        """Return the number of the next frame, which says that it has this one."""
        if seq <= self.last:
            self._changed[seq] = seq = self.last + 1
        self.last = seq
        return seq

    @property
    def have_changed(self) -> bool:
        """Whether a frame was given another number than it says it has."""
        return bool(self._changed)

    def now(self, seq: int) -> int:
        """Return the number that the last frame that says it has this one was given; 0 is none."""
        return self._changed.get(seq, seq) if seq else 0
