"""
What may be sent now, and when: the order of the capture, as far as the live peer keeps to it.

A `Send` is possible when all that it waits for has happened. It is due when also everything
before it in the capture has happened or was given up on. That way the recorded order
comes out whenever the live peer allows it, over several sessions, too, and the bytes do not depend
on how fast the peer is. Only when the peer falls silent while something possible is held back,
it is given up on that the rest will come first. Time is an argument throughout.
"""

from heapq import heappop, heappush

from acp_spy.replay.script import Expect, Part, Send


class Schedule:
    """
    The state of a play: what has happened, what is due.

    `pace` is 1 for the recorded gaps, 2 for half of them, 0 for none at all.
    """

    def __init__(
        self, parts: tuple[Part, ...], *, pace: float = 0.0, patience: float | None = 0.25
    ) -> None:
        self._parts = parts
        self._pace = pace
        self._patience = patience  # `None`: the order is not given up on
        self._happened = bytearray(len(parts))
        self._late = bytearray(len(parts))
        self._times = [0.0] * len(parts)
        self._missing = [0] * len(parts)
        self._followers: list[list[int]] = [[] for _ in parts]
        self._possible: list[int] = []
        self._urgent: dict[int, int] = {}  # each with how far what was before it has happened
        self._frontier = 0
        self._started = 0.0
        self._left = len(parts)
        self.unsent = sum(isinstance(part, Send) for part in parts)  # how much is yet to be due
        self.gives_up_at: float | None = None
        for part in parts:
            if isinstance(part, Send):
                self._missing[part.place] = len(part.waits)
                for place in part.waits:
                    self._followers[place].append(part.place)
                if not part.waits:
                    self._allow(part)

    @property
    def is_complete(self) -> bool:
        """Whether everything in the script has happened."""
        return self._left == 0

    def begin(self, now: float) -> None:
        """Let the play begin: times are counted from here."""
        self._started = now

    def may_come(self, expect: Expect) -> bool:
        """Whether what was sent before it has been due."""
        return all(self._happened[gate] for gate in expect.gates)

    def mark_done(self, place: int, now: float) -> None:
        """Mark a part as done at the time `now`."""
        if self._happened[place]:
            return
        self._happened[place] = True
        self._left -= 1
        self.unsent -= isinstance(self._parts[place], Send)
        self._times[place] = now
        for follower in self._followers[place]:
            self._missing[follower] -= 1
            if not self._missing[follower]:
                self._allow(self._parts[follower])

    def do_not_await(self, place: int) -> None:
        """Never hold anything back for a part."""
        self._late[place] = True

    def release(self, now: float) -> list[tuple[float, Send]]:
        """Return what has become due, each with its time, in the order of the capture."""
        due: list[tuple[float, Send]] = []
        while send := self._next():
            at = self._due(send, now)
            due.append((at, send))
            self.mark_done(send.place, at)
        held_back = bool(self._possible or self._urgent) and self._patience is not None
        self.gives_up_at = now + (self._patience or 0.0) if held_back else None
        return due

    def give_up(self, now: float) -> list[tuple[float, Send]]:
        """Go on with what is possible, though something before it has not come."""
        if self._patience is None:
            return self.release(now)
        due: list[tuple[float, Send]] = []
        while held_back := [*self._possible, *self._urgent]:
            first = min([self._frontier, *self._urgent.values()])
            for place in range(first, max(held_back)):
                self._late[place] = True
            due += self.release(now)
        return due

    def _allow(self, part: Part) -> None:
        if isinstance(part, Send) and part.is_urgent and part.answers is not None:
            self._urgent[part.place] = part.answers + 1
        else:
            heappush(self._possible, part.place)

    def _next(self) -> Send | None:
        """Return and forget the first `Send` that is due."""
        ready = [place for place in self._urgent if self._is_clear(place)]
        if self._possible and self._possible[0] < self._limit():
            ready.append(self._possible[0])
        if not ready:
            return None
        place = min(ready)
        if self._urgent.pop(place, None) is None:
            heappop(self._possible)
        send = self._parts[place]
        assert isinstance(send, Send)
        return send

    def _is_clear(self, place: int) -> bool:
        """Whether an answer waits for nothing between its request and itself."""
        at = self._urgent[place]
        while at < place and (self._happened[at] or self._late[at]):
            at += 1
        self._urgent[place] = at
        return at == place

    def _limit(self) -> int:
        """Return the place of the first `Expect` that is still hoped for."""
        parts, at = self._parts, self._frontier
        while at < len(parts) and (
            self._happened[at] or self._late[at] or isinstance(parts[at], Send)
        ):
            at += 1
        # A `Send` in between may be possible later than this, but is then before the limit anyway.
        self._frontier = at
        return at

    def _due(self, send: Send, now: float) -> float:
        if not self._pace:
            return now
        if not send.waits:
            return self._started + send.t / self._pace
        return max(
            self._times[place] + (send.t - self._parts[place].t) / self._pace
            for place in send.waits
        )
