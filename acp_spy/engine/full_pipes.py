"""A capture that is a pipe: it may be full, and is waited for, but not for long."""

import errno
import os
from select import POLLOUT, poll
from time import monotonic

LONGEST_WAIT = 2.0  # seconds: the traffic waits, too


def write_rest(descriptor: int, rest: memoryview) -> None:
    """Write what is left of a chunk; raise `BlockingIOError` if that takes too long."""
    until = 0.0
    while rest:
        try:
            rest = rest[os.write(descriptor, rest) :]
        except BlockingIOError as error:
            until = until or monotonic() + LONGEST_WAIT
            if not _is_ready(descriptor, until - monotonic()):
                reason = "the pipe is full, and its reader does not keep up"
                raise BlockingIOError(errno.EAGAIN, reason) from error


def _is_ready(pipe: int, seconds: float) -> bool:
    """Return whether a pipe has room before so many seconds are over."""
    poller = poll()
    poller.register(pipe, POLLOUT)
    return seconds > 0 and bool(poller.poll(seconds * 1000))
