"""For how long acp-spy held frames: that is the time of neither peer."""

from acp_spy.capture.records import HELD, Delivery
from acp_spy.conversation.memory import remember
from acp_spy.wire.frame import Peer

_MOST = 64  # of each thing that is remembered


class Holds:
    """The frames that were held, and when a peer last got what was held or made."""

    def __init__(self) -> None:
        self.reached: dict[Peer, float] = {}
        self._since: dict[int, float] = {}
        self._took: dict[int, float] = {}
        self._longest: list[tuple[float, Delivery]] = []  # of frames that were held together

    def note(self, delivery: Delivery) -> None:
        """Take in what became of a frame."""
        if delivery.action == HELD:
            remember(self._since, delivery.seq, delivery.t, most=_MOST)
        elif delivery.raw is not None:
            self.reached[delivery.to] = delivery.t
            since = self._since.pop(delivery.seq, None)
            if since is not None:
                self._note_end(since, delivery)

    def _note_end(self, since: float, delivery: Delivery) -> None:
        seconds = delivery.t - since
        remember(self._took, delivery.seq, seconds, most=_MOST)
        longest = self._longest
        if longest and since < longest[-1][1].t:  # it is the same time
            if seconds <= longest[-1][0]:
                return
            longest.pop()
        longest.append((seconds, delivery))
        if len(longest) > _MOST:
            longest.remove(min(longest[:-1], key=lambda each: each[0]))

    def took(self, seq: int) -> float:
        """Return for how many seconds a frame was held."""
        return self._took.get(seq, 0.0)

    def longer_than(self, least: float) -> list[tuple[float, Delivery]]:
        """Return the longest of those held together, if it is long: its seconds and its end."""
        return [each for each in self._longest if each[0] >= least]
