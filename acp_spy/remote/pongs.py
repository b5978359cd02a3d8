"""Replies to the pings of a peer of a WebSocket."""

from collections.abc import Awaitable, Callable
from contextlib import suppress

import trio
from wsproto.events import Ping, Pong
from wsproto.utilities import LocalProtocolError


class Pongs:
    """
    Sends replies beside all else, by `send`.

    A reply waits for the message that is being sent, and so for a peer that does not read. Who
    reads must not wait for it, or both peers may wait for each other. Of several pings only the
    last needs a reply (RFC 6455, 5.5.3), so no more than one is kept.
    """

    def __init__(self, send: Callable[[Pong], Awaitable[object]]) -> None:
        self._send = send
        self._last: Pong | None = None
        self._came = trio.Event()

    def reply_to(self, ping: Ping) -> None:
        """Have a reply sent."""
        self._last = ping.response()
        self._came.set()

    async def run(self) -> None:
        """Send replies until this is cancelled."""
        with suppress(LocalProtocolError):  # the connection was closed meanwhile
            while True:
                await self._came.wait()
                self._came = trio.Event()
                assert self._last is not None
                await self._send(self._last)
