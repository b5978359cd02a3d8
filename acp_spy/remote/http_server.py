"""The server's side of HTTP/1.1 for what we serve ourselves: requests in, responses out."""

import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import h11
import trio

from acp_spy.remote.connector import version
from acp_spy.remote.exchange import Exchange, Headers
from acp_spy.remote.plain_socket import LINGER, end_gently, hang_up_of
from acp_spy.remote.room import LARGE
from acp_spy.remote.service import Service

CHUNK = 64 * 1024
LARGEST_HEAD = 64 * 1024
LARGEST_BODY = 65 * 1024 * 1024
HEAD_TIMEOUT = 60.0  # seconds for the head of a request, once it has begun
BODY_TIMEOUT = 60.0  # seconds between two pieces of a body
IDLE_TIMEOUT = 300.0  # seconds between two requests
# Another server may take it for a part of the line, or the line for two. A CR at the very end may
# have its LF in the next bytes.
_ODD_LINE_END = re.compile(rb"(?<!\r)\n|\r(?!\n|\Z)")
GONE = (trio.BrokenResourceError, trio.ClosedResourceError, OSError)


class ServedRequest:
    """A request that has come whole; respond to it once."""

    def __init__(
        self, connection: "ServedHttp", event: h11.Request, exchange: Exchange, body: bytes
    ) -> None:
        self._connection = connection
        self.event = event
        self.exchange = exchange
        self.method = event.method.decode("latin-1")
        self.path = event.target.decode("latin-1")
        self.headers = {n.decode("latin-1"): v.decode("latin-1") for n, v in event.headers}
        self.body = body
        self.more_headers: Headers = ()  # of the response, whatever that is

    async def respond(self, status: int, text: str = "", headers: Headers = ()) -> None:
        """Respond with a short text, or with nothing."""
        kind = [("content-type", "text/plain; charset=utf-8")] if text else []
        await self.respond_with(status, text.encode(), [*kind, *headers])

    async def respond_with(self, status: int, body: bytes, headers: Headers = ()) -> None:
        """Respond with `body`."""
        await self._head(status, [*headers, ("content-length", str(len(body)))])
        if body and self.method != "HEAD":  # the size is of what a GET would get
            self._connection.observe(self.exchange.response_data, body)
            self._connection.queue(h11.Data(data=body))
        self._connection.observe(self.exchange.response_end)
        self._connection.queue(h11.EndOfMessage())
        await self._connection.flush()

    async def stream(self, status: int, headers: Headers) -> None:
        """Begin a response whose body is sent piece by piece."""
        await self._head(status, [*headers, ("transfer-encoding", "chunked")])
        await self._connection.flush()

    async def send(self, data: bytes) -> None:
        """Send a piece of the body."""
        self._connection.observe(self.exchange.response_data, data)
        self._connection.queue(h11.Data(data=data))
        await self._connection.flush()

    async def end(self) -> None:
        """End a body that was sent piece by piece."""
        self._connection.observe(self.exchange.response_end)
        self._connection.queue(h11.EndOfMessage())
        await self._connection.flush()

    async def wait_until_gone(self) -> None:
        """Wait until the client has closed its connection."""
        await self._connection.wait_until_gone()

    @asynccontextmanager
    async def unless_gone(self) -> AsyncIterator[None]:
        """Cancel the block, and raise, if the client closes its connection before it is over."""
        is_over = False
        async with trio.open_nursery() as nursery:

            async def watch() -> None:
                await self.wait_until_gone()
                nursery.cancel_scope.cancel()

            nursery.start_soon(watch)
            yield
            is_over = True
            nursery.cancel_scope.cancel()
        if not is_over:
            raise trio.BrokenResourceError("the client has gone")

    async def _head(self, status: int, headers: Headers) -> None:
        headers = [*headers, *self.more_headers]
        http = self._connection.http
        self._connection.observe(self.exchange.response_head, status, headers, http)
        self._connection.queue(h11.Response(status_code=status, headers=headers))

    @property
    def stream_and_rest(self) -> tuple[Any, bytes]:
        """The connection itself, and what came after the request: for a WebSocket."""
        return self._connection.take_over()


class ServedHttp:
    """
    One connection of a client. `handle` is called with each request, one after the other.

    `start` is what was already read from it.
    """

    def __init__(
        self,
        stream: Any,
        service: Service,
        handle: Callable[[ServedRequest], Awaitable[None]],
        start: bytes = b"",
    ) -> None:
        self._stream = stream
        self._service = service
        self._handle = handle
        self.http = version(stream, b"1.1")
        self._parser = h11.Connection(h11.SERVER, max_incomplete_event_size=LARGEST_HEAD)
        if start:
            self._parser.receive_data(start)
        self._out = bytearray()
        self._body = bytearray()  # of a request that has not come whole
        self._waiting = 0  # bytes of one that has come whole, and is not responded to
        self._is_taken = False
        self._head_until: float | None = None  # when the head that has begun must have ended
        self.observe = service.observe

    @property
    def held(self) -> int:
        """How many bytes of a request's body there are: an agent may not read them for long."""
        return len(self._body) + self._waiting

    async def run(self) -> None:
        """Serve until the client has gone."""
        exchange: Exchange | None = None
        try:
            while not self._is_taken:
                request = await self._next()
                if request is None:
                    break
                exchange = request.exchange
                await self._handle(request)
                if not self._is_taken:
                    self._parser.start_next_cycle()
        except* (*GONE, h11.ProtocolError, trio.TooSlowError):
            pass
        finally:
            if exchange is not None:
                self.observe(exchange.lost, "client")
            with trio.CancelScope(shield=True):
                await trio.aclose_forcefully(self._stream)

    def _take_body(self, data: bytes) -> tuple[int, str] | None:
        """Take a part of a body; return a status and its reason if it is too much."""
        self._body += data
        refused = None
        if self.held > LARGEST_BODY:
            refused = 413, "the body is too large"
        elif self.held > LARGE and self._service.conversations.room.is_too_much(self):
            refused = 503, "too many large bodies come at once"
        if refused:
            self._body.clear()
        return refused

    async def _next(self) -> ServedRequest | None:
        head: h11.Request | None = None
        exchange: Exchange | None = None
        self._body.clear()
        self._waiting = 0
        while True:
            try:
                event = self._parser.next_event() if head else self._next_head()
            except h11.RemoteProtocolError as error:
                await self._refuse(error.error_status_hint, f"not HTTP: {error}")
                return None
            if event is h11.NEED_DATA:
                with trio.fail_after(self._patience(head)):
                    self._parser.receive_data(bytes(await self._stream.receive_some(CHUNK)))
            elif isinstance(event, h11.Request):
                head, exchange = event, self._begin(event)
                if refusal := self._refusal(event):
                    self._service.complain_once(f"request refused: {refusal}")
                    await self._refuse(403, f"refused: {refusal}", event.method)
                    return None
                if self._parser.they_are_waiting_for_100_continue:
                    self.queue(h11.InformationalResponse(status_code=100, headers=[]))
                    await self.flush()
            elif isinstance(event, h11.Data):
                if refused := self._take_body(event.data):
                    await self._refuse(*refused)
                    return None
            elif isinstance(event, h11.EndOfMessage) and head is not None:
                assert exchange is not None
                body = bytes(self._body)
                self._body.clear()
                self._waiting = len(body)
                self.observe(exchange.request_data, body)
                self.observe(exchange.request_end)
                return ServedRequest(self, head, exchange, body)
            else:
                return None

    def _next_head(self) -> h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]:
        """Return the next request; raise for one that two servers could read in two ways."""
        data = self._parser.trailing_data[0]
        end = data.find(b"\r\n\r\n")
        if _ODD_LINE_END.search(data if end < 0 else data[:end]):
            raise h11.RemoteProtocolError("a line of the head does not end with CR LF")
        event = self._parser.next_event()
        if isinstance(event, h11.Request):
            names = {name for name, _ in event.headers}
            if {b"content-length", b"transfer-encoding"} <= names:
                raise h11.RemoteProtocolError("Content-Length beside Transfer-Encoding")
        return event

    def _patience(self, head: h11.Request | None) -> float:
        """For how many seconds to wait for the next bytes; for a head, for all of it."""
        if head is not None:
            self._head_until = None
            return BODY_TIMEOUT
        if not self._parser.trailing_data[0]:
            return IDLE_TIMEOUT
        if self._head_until is None:
            self._head_until = trio.current_time() + HEAD_TIMEOUT
        return max(0.0, self._head_until - trio.current_time())

    def _begin(self, event: h11.Request) -> Exchange:
        headers = [(n.decode("latin-1"), v.decode("latin-1")) for n, v in event.headers]
        path, method = event.target.decode("latin-1"), event.method.decode("latin-1")
        http = version(self._stream, event.http_version)
        return self._service.exchange(method, path, headers, http)

    def _refusal(self, event: h11.Request) -> str:
        headers = ((n.decode("latin-1"), v.decode("latin-1")) for n, v in event.headers)
        return self._service.guard.refusal_of(headers)

    async def _refuse(self, status: int, text: str, method: bytes = b"") -> None:
        if self._parser.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            return
        body = f"acp-spy: {text}\n".encode()
        headers = [
            ("content-type", "text/plain; charset=utf-8"),
            ("content-length", str(len(body))),
            ("connection", "close"),
        ]
        self.queue(h11.Response(status_code=status, headers=headers))
        if method != b"HEAD":
            self.queue(h11.Data(data=body))
        self.queue(h11.EndOfMessage())
        with suppress(*GONE, trio.TooSlowError):
            with trio.fail_after(LINGER):
                await self.flush()
            await end_gently(self._stream)

    def queue(self, event: h11.Event) -> None:
        """Put a part of a response into what is sent next."""
        self._out += self._parser.send(event) or b""

    async def flush(self) -> None:
        """Send what is queued."""
        data, self._out = self._out, bytearray()
        await self._stream.send_all(data)

    async def wait_until_gone(self) -> None:
        """
        Wait until the client has closed its connection.

        One that has sent much more already is not read any further: that is for later.
        """
        with suppress(*GONE):
            while data := bytes(await self._stream.receive_some(CHUNK)):
                self._parser.receive_data(data)
                if len(self._parser.trailing_data[0]) >= CHUNK:
                    await hang_up_of(self._stream)
                    return

    def take_over(self) -> tuple[Any, bytes]:
        """Return the connection, and what has been read of it and not used."""
        self._is_taken = True
        return self._stream, self._parser.trailing_data[0]
