"""
When the checker works: in a quiet period of the traffic, so that no message waits for a core.

Bursts are short, and would be slower with a checker at work, whatever its priority. An agent that
streams at a model's pace is quiet by this measure: what it sends is checked as it comes.
"""

import os
import time

from acp_spy.engine.ready import FOR_EVER, is_readable

BETWEEN_WAKEUPS = 0.05  # seconds: so often a record wakes the checker at most
BUSY = 64 * 1024  # bytes recorded between two wakeups: some 150 frames; tokens are 3,000 bytes
AT_LATEST = 3.0  # seconds after which the checker works all the same


class QuietPeriod:
    """Waits for quiet in the `capture`, which is open; `wakeups` is the pipe from the proxy."""

    def __init__(self, capture: int, wakeups: int) -> None:
        self._capture = capture
        self._wakeups = wakeups
        self._is_more_to_come = False

    def wait(self, lasting: float = 0) -> bool:
        """
        Wait for something new, then for a quiet period, of `lasting` seconds if that is given.

        `False` when no wakeup can come any more.
        """
        if not self._is_more_to_come and not self._wait_for_wakeup(FOR_EVER):
            return False
        now = time.monotonic()
        give_up, since = now + AT_LATEST, now
        before = self._recorded()
        while True:
            # What comes soon after a wakeup is not announced: hence a little longer than that time.
            if not self._wait_for_wakeup(1.2 * BETWEEN_WAKEUPS):
                return False
            now, size = time.monotonic(), self._recorded()
            if size - before >= BUSY:
                since = now
            elif now - since >= lasting:
                return True
            if now >= give_up:
                return True
            before = size

    def _wait_for_wakeup(self, seconds: float) -> bool:
        """Wait for a wakeup, and note whether one came. `False` when none can come any more."""
        self._is_more_to_come = is_readable(self._wakeups, seconds)
        return not self._is_more_to_come or bool(os.read(self._wakeups, 4096))

    def _recorded(self) -> int:
        return os.fstat(self._capture).st_size
