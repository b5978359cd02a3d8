"""What tests leave open in their process, which is to be little."""


class Descriptors:
    """
    Counts them. `count` are open at the beginning, and `most` may be.

    No test is accused alone: a thread may be about to close something, and what other tests use,
    too, stays open.
    """

    def __init__(self, count: int, most: int = 64) -> None:
        self._count, self._most = count, most
        self._left_by: dict[str, int] = {}

    def look(self, test: str, count: int) -> str:
        """Take how many are open after a test; return who left them, once they are too many."""
        if count > self._count:
            self._left_by[test] = count - self._count
        self._count = count
        if count <= self._most:
            return ""
        self._most = 2 * count  # not at each test from now on
        worst = sorted(self._left_by.items(), key=lambda left: -left[1])[:10]
        listed = "".join(f"\n{number} by {test}" for test, number in worst)
        return f"tests have left {count} descriptors open, some of them:{listed}"
