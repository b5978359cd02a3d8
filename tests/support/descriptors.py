"""What tests leave open in their process, which is to be little."""

import gc
import os
from collections.abc import Callable


def count_open() -> int:
    """Return how many descriptors this process has."""
    return len(os.listdir("/dev/fd"))


class Descriptors:
    """
    Counts them by `count`; as many as `most` may be open.

    No test is accused alone: a thread may be about to close something, and what other tests use,
    too, stays open.
    """

    def __init__(self, most: int = 64, count: Callable[[], int] = count_open) -> None:
        self._most, self._count_open = most, count
        self._count = count()
        self._left_by: dict[str, int] = {}

    def look(self, test: str) -> str:
        """Look what is open after a test; return who left it, once it is too much."""
        count = self._count_open()
        if count > self._most:
            gc.collect()  # what nobody has any more is not left open
            count = self._count_open()
        if count > self._count:
            self._left_by[test] = count - self._count
        self._count = count
        if count <= self._most:
            return ""
        self._most = 2 * count  # not at each test from now on
        worst = sorted(self._left_by.items(), key=lambda left: -left[1])[:10]
        listed = "".join(f"\n{number} by {test}" for test, number in worst)
        return f"tests have left {count} descriptors open, some of them:{listed}"
