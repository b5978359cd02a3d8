"""A network between two programs that is slow, gives bytes in pieces, and ends connections."""

import random
import socket
import struct
from contextlib import suppress

import msgspec
import trio

GONE = (trio.BrokenResourceError, trio.ClosedResourceError, OSError)
ENDS = ("close", "reset", "end", "silence")
UNTIL_CLOSED = 3.0  # seconds in which only one way is gone


class Fault(msgspec.Struct, frozen=True):
    """What happens to a connection after so many bytes to the server, or from it."""

    connection: int
    to_server: bool
    at: int
    kind: str  # of `ENDS`


class Network:
    """Carries connections. Without a fault every byte arrives."""

    def __init__(self, seed: int, faults: tuple[Fault, ...] = (), pause: float = 0.0) -> None:
        self._to = 0
        self._random = random.Random(seed)
        self._faults = faults
        self._pause = pause
        self._count = 0
        self.happened: list[Fault] = []

    async def listen(self, nursery: trio.Nursery, to: int) -> int:
        """Begin to carry to a port; return ours."""
        self._to = to
        [listener] = await trio.open_tcp_listeners(0, host="127.0.0.1")
        nursery.start_soon(trio.serve_listeners, self._carry, [listener])
        port: int = listener.socket.getsockname()[1]
        return port

    async def _carry(self, client: trio.SocketStream) -> None:
        number, self._count = self._count, self._count + 1
        try:
            server = await trio.open_tcp_stream("127.0.0.1", self._to)
        except OSError:
            await client.aclose()
            return
        faults = {each.to_server: each for each in self._faults if each.connection == number}
        async with client, server, trio.open_nursery() as nursery:

            def end(*, is_error: bool) -> None:
                for each in (client, server) if is_error else ():
                    _reset(each)
                nursery.cancel_scope.cancel()

            nursery.start_soon(self._copy, client, server, faults.get(True), end)
            nursery.start_soon(self._copy, server, client, faults.get(False), end)

    async def _copy(self, source, sink, fault, end) -> None:  # type: ignore[no-untyped-def]
        try:
            if not await self._copy_until(source, sink, fault):
                await sink.send_eof()
                return
        except GONE:
            end(is_error=True)
            return
        self.happened.append(fault)
        if fault.kind == "end":  # as one who has no more to say
            with suppress(*GONE):
                await sink.send_eof()
        if fault.kind in ("end", "silence"):
            await trio.sleep(UNTIL_CLOSED)
        end(is_error=fault.kind == "reset")

    async def _copy_until(
        self, source: trio.SocketStream, sink: trio.SocketStream, fault: Fault | None
    ) -> bool:
        """Copy to the end, or until the fault happens; return whether it does."""
        left = fault.at if fault else None
        while left is None or left > 0:
            size = self._random.choice((1, 7, 100, 4096, 65536, 65536))
            data = bytes(await source.receive_some(size))[:left]
            if not data:
                return False
            if left is not None:
                left -= len(data)
            if self._pause and self._random.random() < 0.2:
                await trio.sleep(self._random.random() * self._pause)
            await sink.send_all(data)
        return True


def _reset(stream: trio.SocketStream) -> None:
    """End a connection so that it is an error for the peer."""
    with suppress(OSError):
        stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        stream.socket.close()
