"""
Connections to the target, for one client.

To a target that speaks HTTP/2 there is one, as the client has one here, and each of its streams is
given as a connection. Otherwise each is a connection of its own.
"""

from typing import TYPE_CHECKING, Any

import trio

from acp_spy.remote.service import Service

if TYPE_CHECKING:
    from acp_spy.remote.http2 import Http2Connection

HTTP_1 = ("http/1.1",)
HTTP_2 = ("h2", *HTTP_1)


class Connector:
    """`nursery` has what reads and writes the connection of HTTP/2, and must end it."""

    def __init__(self, service: Service, nursery: trio.Nursery) -> None:
        self._service = service
        self._nursery = nursery
        self._http2: Http2Connection | None = None
        self._may_speak_http2 = service.target.is_tls
        self._connecting = trio.Lock()

    async def connect(self, *, for_socket: bool = False) -> Any:
        """Return a connection that speaks HTTP/1.1. Raises as `Service.connect`."""
        if not for_socket:
            async with self._connecting:
                if self._may_speak_http2:
                    return await self._connect()
        return await self._service.connect(HTTP_1)

    async def _connect(self) -> Any:
        if self._http2 is None or self._http2.is_going:
            stream = await self._service.connect(HTTP_2)
            if not speaks_http2(stream):
                self._may_speak_http2 = False
                return stream
            from acp_spy.remote.http2 import Http2Connection

            self._http2 = Http2Connection(stream)
            self._nursery.start_soon(self._service.guard_against_bugs, self._http2.run)
        from acp_spy.remote.http2_as_http1 import TargetConnection

        return TargetConnection(self._connection)

    async def _connection(self) -> "Http2Connection":
        """Return the connection of HTTP/2, or a new one if the target takes no more there."""
        async with self._connecting:
            if self._http2 is None or self._http2.is_going:
                stream = await self._connect()
                if not self._may_speak_http2:
                    await trio.aclose_forcefully(stream)
                    raise OSError("the target does not speak HTTP/2 any more")
            assert self._http2 is not None
            return self._http2


def speaks_http2(stream: Any) -> bool:
    """Whether a target has agreed to speak HTTP/2."""
    agreed = getattr(stream, "selected_alpn_protocol", None)
    return agreed is not None and agreed() == "h2"


def version(stream: Any, parsed: bytes) -> str:
    """Return the version of HTTP that is spoken on a connection; `parsed` is what its bytes say."""
    return getattr(stream, "http", "") or parsed.decode()
