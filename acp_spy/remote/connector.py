"""
Connections to the target, for one client.

To a target that speaks HTTP/2 there is one, as the client has one here, and each of its streams is
given as a connection. Otherwise each is a connection of its own.

A target says how many requests it takes at once on a connection of HTTP/2. Event streams do not
end, so they leave one of these places to the messages; the others go to more connections.
"""

import math
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, NoReturn

import trio

from acp_spy.remote.exchange import EVENT_STREAM
from acp_spy.remote.service import Service

if TYPE_CHECKING:
    from acp_spy.remote.http2 import Http2Connection, Http2Stream, RawHeaders

HTTP_1 = ("http/1.1",)
HTTP_2 = ("h2", *HTTP_1)


class Connector:
    """
    `nursery` has what reads and writes the connections of HTTP/2, and must end them.

    A request is an error when it has waited `patience` seconds until the target takes one more.
    """

    def __init__(self, service: Service, nursery: trio.Nursery, patience: float = math.inf) -> None:
        self._service = service
        self._nursery = nursery
        self._patience = patience
        self._http2: Http2Connection | None = None
        self._for_events: list[Http2Connection] = []  # no message goes to them
        self._may_speak_http2 = service.target.is_tls
        self._connecting, self._connecting_for_events = trio.Lock(), trio.Lock()

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
            self._http2 = self._run(stream)
        from acp_spy.remote.http2_as_http1 import TargetConnection

        return TargetConnection(self._open)

    def _run(self, stream: Any) -> "Http2Connection":
        from acp_spy.remote.http2 import Http2Connection

        connection = Http2Connection(stream)
        self.start(connection.run)
        return connection

    def start(self, work: Callable[[], Awaitable[None]]) -> None:
        """Do something beside all else, until it is over or all ends."""
        self._nursery.start_soon(self._service.guard_against_bugs, work)

    async def _open(self, head: "RawHeaders", *, is_all: bool) -> "Http2Stream":
        """Begin a request of HTTP/2 with its head."""
        from acp_spy.remote.http2 import NotSentError, StreamLost

        with trio.move_on_after(self._patience):
            try:
                return await self._open_once(head, is_all=is_all)
            except StreamLost:  # it takes no more requests, and has not got this one
                return await self._open_once(head, is_all=is_all)
        raise NotSentError("it takes no more requests at once")

    async def _open_once(self, head: "RawHeaders", *, is_all: bool) -> "Http2Stream":
        named = dict(head)
        has_events = named[b":method"] == b"GET" and EVENT_STREAM.encode() in named.get(
            b"accept", b""
        )
        connection = await self._connection()
        if has_events and not await connection.has_place_for_events(spare=1):
            connection = await self._connection_for_events()
        return await connection.open(head, is_all=is_all, has_events=has_events)

    async def _connection(self) -> "Http2Connection":
        """Return the connection of HTTP/2, or a new one if the target takes no more there."""
        async with self._connecting:
            if self._http2 is None or self._http2.is_going:
                stream = await self._connect()
                if not self._may_speak_http2:
                    await _refuse_other(stream)
            assert self._http2 is not None
            return self._http2

    async def _connection_for_events(self) -> "Http2Connection":
        """Return one that takes another event stream, or a new one."""
        async with self._connecting_for_events:
            self._for_events = [each for each in self._for_events if not each.is_going]
            for each in self._for_events:
                if await each.has_place_for_events():
                    return each
            stream = await self._service.connect(HTTP_2)
            if not speaks_http2(stream):
                await _refuse_other(stream)
            connection = self._run(stream)
            self._for_events.append(connection)
            return connection


async def _refuse_other(stream: Any) -> NoReturn:
    await trio.aclose_forcefully(stream)
    raise OSError("the target does not speak HTTP/2 any more")


def speaks_http2(stream: Any) -> bool:
    """Whether a target has agreed to speak HTTP/2."""
    agreed = getattr(stream, "selected_alpn_protocol", None)
    return agreed is not None and agreed() == "h2"


def is_waiting(stream: Any) -> bool:
    """Whether nothing of a request was sent, because the target takes no more of them at once."""
    return getattr(stream, "is_waiting", False)


def version(stream: Any, parsed: bytes) -> str:
    """Return the version of HTTP that is spoken on a connection; `parsed` is what its bytes say."""
    return getattr(stream, "http", "") or parsed.decode()
