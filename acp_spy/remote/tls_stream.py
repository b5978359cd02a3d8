"""A connection by TLS that is read to its end, although nothing more can be sent on it."""

from typing import Any

import trio


class TlsStream(trio.abc.Stream):
    """
    A connection of trio's by TLS, with its methods and errors.

    trio's gives nothing that has come once sending has failed. Here it does, as TCP does.
    """

    def __init__(self, stream: "trio.SSLStream[Any]") -> None:
        self._stream = stream
        self._below = _Below(stream.transport_stream)
        stream.transport_stream = self._below

    @property
    def socket(self) -> Any:
        """The socket of the connection."""
        return self._below.stream.socket

    def selected_alpn_protocol(self) -> str | None:
        """Return what both sides have agreed to speak."""
        agreed: str | None = self._stream.selected_alpn_protocol()
        return agreed

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        """Send `data`. Raises if that fails, or has failed before."""
        await self._stream.send_all(data)
        if self._below.failure:
            raise trio.BrokenResourceError("it takes no more") from self._below.failure

    async def wait_send_all_might_not_block(self) -> None:
        """Wait until something may be sent."""
        await self._stream.wait_send_all_might_not_block()

    async def receive_some(self, max_bytes: int | None = None) -> bytes | bytearray:
        """Return what has come; empty at the end."""
        return await self._stream.receive_some(max_bytes)

    async def aclose(self) -> None:
        """Close the connection."""
        await self._stream.aclose()


class _Below(trio.abc.Stream):
    """What is below TLS. It keeps the `failure` of sending something, and does not raise it."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream
        self.failure: BaseException | None = None

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        """Send `data`, unless that has failed before."""
        if self.failure:
            await trio.lowlevel.checkpoint()
            return
        try:
            await self.stream.send_all(data)
        except (trio.BrokenResourceError, OSError) as error:
            self.failure = error

    async def wait_send_all_might_not_block(self) -> None:
        """Wait until something may be sent."""
        await self.stream.wait_send_all_might_not_block()

    async def receive_some(self, max_bytes: int | None = None) -> bytes | bytearray:
        """Return what has come; empty at the end."""
        data: bytes | bytearray = await self.stream.receive_some(max_bytes)
        return data

    async def aclose(self) -> None:
        """Close the connection."""
        await self.stream.aclose()
