"""Accept connections, no more at once than there are files for: the others wait in the kernel."""

import errno
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import trio

MOST_STREAMS = 100  # requests of one client at once, by HTTP/2
_RESERVED = 32  # files that are open whatever connects: our own, and those of checkers
_NO_ROOM = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
_PAUSE = 0.1  # seconds until it is tried again


async def listen(host: str, port: int) -> list[trio.SocketListener]:
    """Listen at an address. Raises `OSError`, also for what is not the name of a host."""
    try:
        return await trio.open_tcp_listeners(port, host=host)
    except UnicodeError:  # a part of it is empty, too long, or has letters that no name has
        raise OSError("it is not the name of a host") from None


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
    free: trio.Semaphore,
    complain: Callable[[str], None],
) -> None:
    """
    Call `handle` with each connection, while a place is `free`, until it is cancelled.

    `complain` is told why there can be no more, once, until there can be.
    """
    complaints: set[str] = set()

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
                    complaints.clear()
                    nursery.start_soon(handle_one, stream)
                    continue
                free.release()
                if why is not None:
                    if why not in complaints:
                        complaints.add(why)
                        complain(f"cannot accept a connection: {why}; trying again")
                    await trio.sleep(_PAUSE)

    async with trio.open_nursery() as nursery:
        for listener in listeners:
            nursery.start_soon(accept, listener)


class StreamPlaces:
    """The places for streams of one connection: its own, and others if they are free."""

    def __init__(self, free: trio.Semaphore) -> None:
        self._free = free
        self._own = trio.Semaphore(1)

    @asynccontextmanager
    async def one(self, until_lost: Callable[[], Awaitable[None]]) -> AsyncIterator[bool]:
        """Wait for a place, and have it in the block. `False` if the stream was lost before."""
        taken: list[trio.Semaphore] = []
        try:
            for place in (self._own, self._free):
                if place.value and not taken:
                    place.acquire_nowait()
                    taken.append(place)
            if not taken:
                await self._take_one(taken, until_lost)
            yield bool(taken)
        finally:
            for place in taken:
                place.release()

    async def _take_one(
        self, taken: list[trio.Semaphore], until_lost: Callable[[], Awaitable[None]]
    ) -> None:
        async with trio.open_nursery() as nursery:

            async def take(place: trio.Semaphore) -> None:
                await place.acquire()
                if taken:  # both at once
                    place.release()
                else:
                    taken.append(place)
                nursery.cancel_scope.cancel()

            async def give_up() -> None:
                await until_lost()
                nursery.cancel_scope.cancel()

            # Both: each may be the first to be free, and that of the connection always will be.
            for wait in (lambda: take(self._own), lambda: take(self._free), give_up):
                nursery.start_soon(wait)
