"""
Whether a capture is still being recorded: the proxy holds an advisory lock for as long as it lives.

The kernel lets go of the lock when the proxy ends, whatever ended it. The lock is taken before
the header is written: a capture with a header and without a lock has all its frames. Only findings
may be added, unlocked, by the checker, for some seconds after the proxy.
"""

import os

from acp_spy.capture.open_flags import BINARY, CLOEXEC, NOFOLLOW, NONBLOCK

try:
    import fcntl
except ImportError:  # Windows, where nothing can be recorded, and so nothing is being recorded
    HAS_LOCKS = False
else:
    HAS_LOCKS = True


def hold(descriptor: int) -> None:
    """Lock the open capture until its last descriptor is closed; where that cannot be, do not."""
    take(descriptor, wait=False)  # a file system without locks: recording goes before listing


def take(descriptor: int, *, wait: bool) -> bool:
    """Lock what is open, until its last descriptor is closed; return whether that was possible."""
    if not HAS_LOCKS:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:
        return False
    return True


def is_held(descriptor: int) -> bool:
    """Whether somebody records the capture that is open here; in doubt, yes."""
    if not HAS_LOCKS:
        return False
    # Readers share their lock, so that two of them do not take each other for a writer. Nor can
    # one be in a writer's way: it asks once there is a header, and the writer has its lock by then.
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    fcntl.flock(descriptor, fcntl.LOCK_UN)
    return False


def open_to_look(path: str, folder: int | None = None) -> int:
    """Open a file, in an open `folder`, to read it: no link is followed, no pipe is waited for."""
    return os.open(path, os.O_RDONLY | BINARY | CLOEXEC | NOFOLLOW | NONBLOCK, dir_fd=folder)
