"""
When the judge works: in a lull of the traffic, so that no message waits for a core.

Client, agent and proxy keep two cores busy while they talk as fast as they can; a judge at work
then makes every round trip a third slower, whatever its priority. Such bursts are short. An agent
that streams at a model's pace is a lull by this measure: what it says is judged as it comes.
"""

import os
import time
from select import POLLIN, poll

BETWEEN_RINGS = 0.05  # seconds: so often a record rings the bell at most
BUSY = 64 * 1024  # bytes recorded between two rings, some 150 frames; a stream of tokens has 3,000
AT_LATEST = 3.0  # seconds after which the judge works all the same


class Lull:
    """Waits for lulls in what is recorded at `path`, by the bell that the proxy rings."""

    def __init__(self, path: str, bell: int) -> None:
        self._path = path
        self._bell = bell
        self._poller = poll()
        self._poller.register(bell, POLLIN)
        self._is_more_to_come = False

    def wait(self, lasting: float = 0) -> bool:
        """
        Wait for something new, and then for a lull, of `lasting` seconds if that is given.

        `False` when nobody can ring the bell any more.
        """
        if not self._is_more_to_come and not self._hear(None):
            return False
        now = time.monotonic()
        give_up, since = now + AT_LATEST, now
        before = self._recorded()
        while True:
            # What comes soon after a ring is not rung for: hence a little longer than that time.
            if not self._hear(1.2 * BETWEEN_RINGS):
                return False
            now, size = time.monotonic(), self._recorded()
            if size - before >= BUSY:
                since = now
            elif now - since >= lasting:
                return True
            if now >= give_up:
                return True
            before = size

    def _hear(self, seconds: float | None) -> bool:
        """Wait for the bell, and remember whether it rang. `False` when there is none any more."""
        rings = self._poller.poll(None if seconds is None else seconds * 1000)
        self._is_more_to_come = bool(rings)
        return not rings or bool(os.read(self._bell, 4096))

    def _recorded(self) -> int:
        try:
            return os.stat(self._path).st_size
        except OSError:  # deleted while it is being written: then nothing tells how busy it is
            return 0
