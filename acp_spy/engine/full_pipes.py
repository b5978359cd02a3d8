"""A capture that is a pipe: it may be full, and is waited for, but not for long."""

import errno
import os
from select import POLLOUT, poll
from time import monotonic

LONGEST_WAIT = 2.0  # seconds: the traffic waits, too


class FullPipe:
    """
    Writes what did not go into a pipe at once.

    There are two seconds for all waiting. After as long without any, there are two again. With two
    for each chunk, a reader that is always behind would slow down the traffic for ever.
    """

    def __init__(self) -> None:
        self._left = LONGEST_WAIT
        self._end = 0.0  # of the last time it was full

    def write(self, descriptor: int, rest: memoryview) -> None:
        """Write the rest of a chunk; raise `BlockingIOError` if that takes too long."""
        start = monotonic()
        if start - self._end > LONGEST_WAIT:
            self._left = LONGEST_WAIT
        until = start + self._left
        while rest:
            try:
                rest = rest[os.write(descriptor, rest) :]
            except BlockingIOError as error:
                if not _has_room(descriptor, until - monotonic()):
                    reason = "the pipe is full, and its reader does not keep up"
                    raise BlockingIOError(errno.EAGAIN, reason) from error
        self._end = monotonic()
        self._left = until - self._end


def _has_room(pipe: int, seconds: float) -> bool:
    """Return whether a pipe has room before so many seconds are over."""
    poller = poll()
    poller.register(pipe, POLLOUT)
    return seconds > 0 and bool(poller.poll(seconds * 1000))
