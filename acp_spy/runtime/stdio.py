"""
This process's own standard streams, used without changing them for anyone who shares them.

A sink that may be full must not block the loop, but O_NONBLOCK belongs to the open file, and
whoever shares the file would get it too: the client's other children, the shell, ourselves after
SIGKILL. So on Linux each sink is opened anew through /proc, which gives it a file of its own.
Where that cannot be (a socket, another system) the mode is set, and restored at the end.
"""

import array
import fcntl
import os
import stat
import termios

_shared_made_nonblocking: set[int] = set()


def secure() -> None:
    """Make sure that 0, 1 and 2 are taken, so that nothing of ours is opened there."""
    while True:
        descriptor = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
        if descriptor > 2:
            os.close(descriptor)
            return


def make_sink(descriptor: int) -> None:
    """Make writing to `descriptor` return at once when nothing can be taken."""
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode) or not os.get_blocking(descriptor):
        return
    if not stat.S_ISSOCK(mode):
        try:
            flags = os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
            anew = os.open(f"/proc/self/fd/{descriptor}", flags)
        except OSError:
            if stat.S_ISCHR(mode):
                return  # better a terminal that can make us wait than a broken terminal
        else:
            os.dup2(anew, descriptor)
            os.close(anew)
            return
    os.set_blocking(descriptor, False)
    _shared_made_nonblocking.add(descriptor)


def restore() -> None:
    """Give back the blocking mode of what is shared."""
    for descriptor in _shared_made_nonblocking:
        os.set_blocking(descriptor, True)
    _shared_made_nonblocking.clear()


def let_go(descriptor: int) -> None:
    """
    Close our end, so that whoever is at the other end notices.

    The numbers 0 to 2 are kept taken: closed, they would be given to the next file opened.
    """
    if descriptor in _shared_made_nonblocking:
        os.set_blocking(descriptor, True)
        _shared_made_nonblocking.discard(descriptor)
    if descriptor > 2:
        os.close(descriptor)
        return
    null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    os.dup2(null, descriptor)
    os.close(null)


def unread(descriptor: int) -> int:
    """Return how many bytes lie in the pipe that `descriptor` writes to; 0 if it is none."""
    if not stat.S_ISFIFO(os.fstat(descriptor).st_mode):
        return 0
    count = array.array("i", [0])
    try:
        fcntl.ioctl(descriptor, termios.FIONREAD, count)
    except OSError:
        return 0
    return count[0]
