"""Accept connections, no more at once than there are files for: the others wait in the kernel."""

import errno
import os
from collections.abc import Awaitable, Callable

import trio

_RESERVED = 32  # files that are open whatever connects: our own, and those of checkers
_NO_ROOM = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
_PAUSE = 0.1  # seconds until it is tried again


def places(most: int, files: int, others: int = 0) -> int:
    """
    Return how many connections may be open at once: `most`, if this process may open the files.

    A connection takes `files` of them, and `others` are needed however many there are.
    """
    allowed = os.sysconf("SC_OPEN_MAX") if hasattr(os, "sysconf") else -1
    if allowed < 0:  # as many as it likes
        return most
    return max(1, min(most, (allowed - _RESERVED - others) // files))


async def accept_all(
    listeners: list[trio.SocketListener],
    handle: Callable[[trio.SocketStream], Awaitable[None]],
    most: int,
    complain: Callable[[str], None],
) -> None:
    """Call `handle` with each connection, with up to `most` at once, until it is cancelled."""
    free = trio.Semaphore(most)

    async def handle_one(stream: trio.SocketStream) -> None:
        try:
            async with stream:
                await handle(stream)
        finally:
            free.release()

    async def accept(listener: trio.SocketListener) -> None:
        async with listener:
            while True:
                await trio.lowlevel.wait_readable(listener.socket)
                await free.acquire()  # not earlier: the other listeners need the places, too
                stream = why = None
                try:
                    with trio.move_on_after(_PAUSE):  # meanwhile the client may have gone
                        stream = await listener.accept()
                except OSError as error:
                    if error.errno not in _NO_ROOM:
                        raise
                    why = os.strerror(error.errno)
                if stream is not None:
                    nursery.start_soon(handle_one, stream)
                    continue
                free.release()
                if why is not None:
                    complain(f"cannot accept a connection: {why}; trying again")
                    await trio.sleep(_PAUSE)

    async with trio.open_nursery() as nursery:
        for listener in listeners:
            nursery.start_soon(accept, listener)
