"""A connection below TLS that is read to its end, although nothing more can be sent on it."""

from collections.abc import Callable

import trio


class ReadableToEnd(trio.abc.Stream):
    """
    Calls `on_failure` instead of raising when nothing can be sent.

    trio's TLS gives nothing that has come once it has seen that error.
    """

    def __init__(self, stream: trio.abc.Stream, on_failure: Callable[[], object]) -> None:
        self._stream = stream
        self._on_failure = on_failure

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        """Send `data`, or call `on_failure`."""
        try:
            await self._stream.send_all(data)
        except (trio.BrokenResourceError, OSError):
            self._on_failure()

    async def wait_send_all_might_not_block(self) -> None:
        """Wait until something may be sent."""
        await self._stream.wait_send_all_might_not_block()

    async def receive_some(self, max_bytes: int | None = None) -> bytes | bytearray:
        """Return what has come; empty at the end."""
        return await self._stream.receive_some(max_bytes)

    async def aclose(self) -> None:
        """Close the connection."""
        await self._stream.aclose()
