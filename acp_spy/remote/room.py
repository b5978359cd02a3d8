"""How much of messages that are not complete is in memory, of all exchanges together."""

from typing import Protocol
from weakref import WeakSet

from acp_spy.wire.framing import LONGEST_LINE

LARGE = 64 * 1024  # bytes; who holds less is not counted, and need not ask
MOST = 4 * LONGEST_LINE


class Holder(Protocol):
    """Something that holds the start of messages: `held` bytes of them."""

    @property
    def held(self) -> int:
        """How many bytes they are."""


class Room:
    """
    The room for the starts of messages, of which each may be as long as the longest message.

    Without a limit for all, a hundred streams that end no message would take gigabytes.
    """

    def __init__(self, longest: int = LONGEST_LINE, most: int = MOST) -> None:
        self._longest = longest
        self._most = most
        self._holders: WeakSet[Holder] = WeakSet()

    def is_too_much(self, holder: Holder) -> bool:
        """Whether `holder` has to record what it holds, as a part of a message."""
        if holder.held > self._longest:
            return True
        self._holders.add(holder)
        sizes = {each: each.held for each in self._holders}
        for each, size in sizes.items():
            if size <= LARGE:
                self._holders.discard(each)
        return sum(sizes.values()) > self._most
