"""
This process's own standard streams, used without changing them for anyone who shares them.

A sink that is full must not block us, but O_NONBLOCK belongs to the open file, which others share.
So a pipe or terminal is opened again through /proc, which gives it a file of its own, and a socket
is asked with each send. The master of a pseudo-terminal would be a new one. Only where there is no
/proc is the mode set, and restored at the end.
"""

import array
import fcntl
import os
import stat
import termios

TYPE_CHECKING = False  # importing typing for its name would delay the agent
if TYPE_CHECKING:
    from collections.abc import Callable

    Write = Callable[[int, bytes | bytearray], int]


CHUNK = 64 * 1024
_WIDEST_PIPE = 1024 * 1024  # what anybody may have on Linux
_MAKES_TERMINALS = (5, 2)  # /dev/ptmx, which each master of a pseudo-terminal is
_made_nonblocking: set[int] = set()


class Endpoint:
    """Where a peer's bytes come from and go to."""

    def __init__(self, source: int, sink: int) -> None:
        self.source = source
        self.sink = sink


def secure() -> None:
    """Make sure that 0, 1 and 2 are taken, so that nothing of ours is opened there."""
    while True:
        descriptor = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
        if descriptor > 2:
            os.close(descriptor)
            return


def read(source: int, most: int = CHUNK) -> bytes | None:
    """Return what there is, empty at the end; `None` if somebody who shares it was faster."""
    try:
        return os.read(source, most)
    except BlockingIOError:
        return None
    except OSError:
        return b""  # a terminal hung up, a connection reset: an end like any other


def make_sink(descriptor: int) -> "Write":
    """Return how to write to `descriptor` so that it returns at once when nothing is taken."""
    found = os.fstat(descriptor)
    mode = found.st_mode
    if stat.S_ISSOCK(mode):
        return _send
    if stat.S_ISREG(mode) or not os.get_blocking(descriptor):
        return os.write
    if stat.S_ISCHR(mode) and _number_of(found.st_rdev) == _MAKES_TERMINALS:
        return os.write
    try:
        # Who opened a named pipe for both is a reader of it, too: without one, writing would fail.
        access = fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE
        flags = access | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
        opened = os.open(f"/proc/self/fd/{descriptor}", flags)
    except OSError:
        if stat.S_ISFIFO(mode):  # better a terminal that can make us wait than a broken one
            os.set_blocking(descriptor, False)
            _made_nonblocking.add(descriptor)
        return os.write
    os.dup2(opened, descriptor)
    os.close(opened)
    return os.write


def _number_of(device: int) -> tuple[int, int]:
    return os.major(device), os.minor(device)


def has_a_name(descriptor: int) -> bool:
    """Whether it is a named pipe: where one reader has gone, another may open it."""
    if not stat.S_ISFIFO(os.fstat(descriptor).st_mode):
        return False
    try:
        return os.readlink(f"/proc/self/fd/{descriptor}").startswith("/")  # else `pipe:[123]`
    except OSError:
        return False


def _send(descriptor: int, data: bytes | bytearray) -> int:
    import socket

    connection = socket.socket(fileno=descriptor)
    try:
        return connection.send(data, socket.MSG_DONTWAIT)
    finally:
        connection.detach()


def restore() -> None:
    """Give back the blocking mode of what is shared."""
    for descriptor in [*_made_nonblocking]:
        _forget_mode(descriptor)


def let_go(descriptor: int) -> None:
    """
    Close our end, so that the other end notices.

    The numbers 0 to 2 are kept taken: closed, they would be given to the next file opened.
    """
    if descriptor > 2:
        _forget_mode(descriptor)
        os.close(descriptor)
    else:
        discard(descriptor)


def discard(descriptor: int) -> None:
    """Close our end, and keep its number: what is written there goes nowhere."""
    _forget_mode(descriptor)
    try:  # in one step: between two, the thread that loads trio could open a file there
        null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
        os.dup2(null, descriptor, inheritable=False)
        os.close(null)
    except OSError:  # there is no other number: this one is the lowest that is free then
        os.close(descriptor)
        os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)


def _forget_mode(descriptor: int) -> None:
    if descriptor in _made_nonblocking:
        os.set_blocking(descriptor, True)
        _made_nonblocking.discard(descriptor)


def unread(descriptor: int) -> int:
    """Return how many bytes lie in the pipe at `descriptor`; 0 if it is none."""
    if not stat.S_ISFIFO(os.fstat(descriptor).st_mode):
        return 0
    count = array.array("i", [0])
    try:
        fcntl.ioctl(descriptor, termios.FIONREAD, count)
    except OSError:
        return 0
    return count[0]


def widen(descriptor: int) -> None:
    """Let the pipe at `descriptor` hold more, if it is one and the system allows."""
    from contextlib import suppress

    with suppress(OSError, AttributeError):
        fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, _WIDEST_PIPE)
