"""The few largest of many things, in memory for those few."""

import copy
import heapq
import math
from typing import Generic, Self, TypeVar

T = TypeVar("T")


class Longest(Generic[T]):
    """Keeps the `most` things of the greatest measure; of equal ones those that came first."""

    def __init__(self, most: int) -> None:
        self.least = -math.inf  # what is no greater has no chance: nobody need make it
        self._most = most
        self._number = 0
        self._heap: list[tuple[float, int, T]] = []

    def add(self, measure: float, thing: T) -> None:
        """Take a thing."""
        if measure <= self.least:
            return
        self._number -= 1  # also keeps things of one measure from being compared themselves
        if len(self._heap) < self._most:
            heapq.heappush(self._heap, (measure, self._number, thing))
        else:
            heapq.heapreplace(self._heap, (measure, self._number, thing))
        if len(self._heap) == self._most:
            self.least = self._heap[0][0]

    def copy(self) -> Self:
        """Return another one, which has the same things for now."""
        other = copy.copy(self)
        vars(other).update(_heap=[*self._heap])
        return other

    def things(self) -> list[T]:
        """Return them, the greatest first."""
        return [thing for _, _, thing in sorted(self._heap, key=lambda e: e[:2], reverse=True)]
