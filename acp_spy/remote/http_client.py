"""Our own requests to a remote agent: recorded before they are sent."""

import select
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

import h11
import trio

from acp_spy.remote.connector import Connector, is_waiting, version
from acp_spy.remote.exchange import Exchange, Headers
from acp_spy.remote.service import Service, reason
from acp_spy.wire.framing import LONGEST_LINE

CHUNK = 64 * 1024
STILL_FRESH = 4.0  # seconds; Node, uvicorn and hypercorn close an idle connection after 5
_LAST_WORDS = 2.0  # seconds for a response, once the request cannot be sent
_MOMENT = 0.1
_CAN_BE_REPEATED = frozenset({"GET", "DELETE"})  # RFC 9110, 9.2.2
_GONE = (trio.BrokenResourceError, trio.ClosedResourceError, OSError)


class HttpFailed(Exception):  # noqa: N818 - it says what happened
    """No response came; the text says why."""


class _ClosedMeanwhile(OSError):  # noqa: N818 - it says what happened
    """A connection ended before anything came on it."""


class HttpClient:
    """
    Makes requests, over as many connections as are needed at once.

    `headers` go with each; so do the cookies that came, which a load balancer needs.
    """

    def __init__(self, service: Service, headers: Headers, connector: Connector) -> None:
        self._service = service
        self._connector = connector
        self._headers = list(headers)
        self._cookies: dict[str, str] = {}
        self._idle: list[tuple[float, Any, h11.Connection]] = []  # with when it was used last

    def all_headers(self, headers: Headers) -> list[tuple[str, str]]:
        """Return the headers of a request, with those that go with each."""
        found = [("host", self._service.target.authority), *headers, *self._headers]
        if self._cookies:
            pairs = (f"{name}={value}" for name, value in self._cookies.items())
            found.append(("cookie", "; ".join(pairs)))
        return [(name.lower(), value) for name, value in found]

    async def request(
        self,
        method: str,
        headers: Headers,
        body: bytes = b"",
        is_sent: trio.Event | None = None,
    ) -> "HttpResponse":
        """
        Send a request; return its response, whose body is still to be read.

        `is_sent` is set when all of the request has gone, or no more of it goes.
        """
        sent = self.all_headers(headers)
        if method == "POST":
            sent.append(("content-length", str(len(body))))
        path = self._service.target.path or "/acp"
        exchange = self._service.exchange(method, path, sent, "")
        if body:
            self._service.observe(exchange.request_data, body)
        self._service.observe(exchange.request_end)
        try:
            response = await self._send(exchange, method, path, sent, body, is_sent)
        except (*_GONE, h11.ProtocolError, ExceptionGroup) as error:
            why = reason(error)
            self._service.observe(exchange.lost, "agent", why)
            raise HttpFailed(f"cannot reach {self._service.target.shown}: {why}") from None
        except BaseException:  # a cancellation, which may come in a group
            self._service.observe(exchange.lost, "proxy")
            raise
        self._keep_cookies(response.headers)
        return response

    async def _send(
        self,
        exchange: Exchange,
        method: str,
        path: str,
        headers: Headers,
        body: bytes,
        is_sent: trio.Event | None,
    ) -> "HttpResponse":
        while found := await self._idle_connection():
            try:
                return await self._send_on(*found, exchange, method, path, headers, body, is_sent)
            except _ClosedMeanwhile:
                # The agent may have processed what it got: a prompt must not be sent twice.
                if method not in _CAN_BE_REPEATED:
                    raise
        stream = await self._connector.connect()
        parser = h11.Connection(h11.CLIENT)
        return await self._send_on(stream, parser, exchange, method, path, headers, body, is_sent)

    async def _idle_connection(self) -> tuple[Any, h11.Connection] | None:
        """Return a connection that was used before, unless the agent has closed it, or soon may."""
        while self._idle:
            used, stream, parser = self._idle.pop()
            if trio.current_time() - used < STILL_FRESH and not _has_something(stream):
                return stream, parser
            await trio.aclose_forcefully(stream)
        return None

    async def _send_on(
        self,
        stream: Any,
        parser: h11.Connection,
        exchange: Exchange,
        method: str,
        path: str,
        headers: Headers,
        body: bytes,
        is_sent: trio.Event | None,
    ) -> "HttpResponse":
        """Send a request on a connection, which is closed if that fails or is cancelled."""
        # As they came: an agent's id or cookie may have any letters.
        spelled = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]
        request = h11.Request(method=method, target=path, headers=spelled)
        events = [request, *([h11.Data(data=body)] if body else []), h11.EndOfMessage()]
        try:
            sending = _Sending(
                stream, b"".join(parser.send(event) or b"" for event in events), is_sent
            )
            self._connector.start(sending.run)
            parser.receive_data(await sending.first_data())
            while True:
                event = parser.next_event()
                if event is h11.NEED_DATA:
                    parser.receive_data(bytes(await stream.receive_some(CHUNK)))
                elif isinstance(event, h11.Response):
                    found = [(n.decode("latin-1"), v.decode("latin-1")) for n, v in event.headers]
                    http = version(stream, event.http_version)
                    self._service.observe(exchange.response_head, event.status_code, found, http)
                    return HttpResponse(
                        self, stream, parser, exchange, event.status_code, found, sending
                    )
                elif not isinstance(event, h11.InformationalResponse):
                    raise h11.RemoteProtocolError("it closed the connection without a response")
        except BaseException:
            exchange.is_unsent = is_waiting(stream)
            await trio.aclose_forcefully(stream)
            raise

    def _keep_cookies(self, headers: Headers) -> None:
        for name, value in headers:
            if name == "set-cookie":
                pair, _, attributes = value.partition(";")
                key, _, content = pair.strip().partition("=")
                if "max-age=0" in attributes.lower().replace(" ", ""):
                    self._cookies.pop(key, None)
                else:
                    self._cookies[key] = content

    def observe(self, *args: Any) -> None:
        """Let the recording see something."""
        self._service.observe(*args)

    def give_back(self, stream: Any, parser: h11.Connection) -> None:
        """Keep a connection for the next request, unless it is but a stream of HTTP/2."""
        if version(stream, b"1.1") != "2":
            parser.start_next_cycle()
            self._idle.append((trio.current_time(), stream, parser))

    async def close(self) -> None:
        """Close the connections that are kept, also if this is cancelled."""
        with trio.CancelScope(shield=True):
            while self._idle:
                _, stream, _ = self._idle.pop()
                await trio.aclose_forcefully(stream)


def _has_something(stream: Any) -> bool:
    """Whether there is something to read where nothing should be: nearly always the end."""
    poll = select.poll()
    poll.register(stream.socket, select.POLLIN)
    return bool(poll.poll(0))


class _Sending:
    """
    A request on its way. The response may come first: a server may refuse a body by its length.

    Such a server may also close the connection at once, or read no more of it.
    """

    def __init__(self, stream: Any, data: bytes, is_sent: trio.Event | None) -> None:
        self._stream = stream
        self._data = data
        self._is_sent = is_sent
        self._reading = trio.CancelScope()
        self._failure: BaseException | None = None
        self._is_over = trio.Event()
        self._is_last = False

    async def run(self) -> None:
        """Send all of it. If that fails, what the agent has said before is still to be read."""
        try:
            await self._stream.send_all(self._data)
            self._is_over.set()
        except (*_GONE, h11.ProtocolError) as error:
            self._failure = error
        finally:
            if not self._is_over.is_set():
                patience = 0.0 if is_waiting(self._stream) else _LAST_WORDS
                self._reading.deadline = trio.current_time() + patience
            if self._is_sent is not None:
                self._is_sent.set()
            if self._is_last:
                await trio.aclose_forcefully(self._stream)

    async def is_over(self) -> bool:
        """Whether all has gone, when the response has come to its end."""
        if not self._failure:
            with trio.move_on_after(_MOMENT):  # the response may be faster than who sends
                await self._is_over.wait()
        return self._is_over.is_set()

    async def close(self, status: int) -> None:
        """Close the connection after the response: if it is no refusal, when all has gone."""
        self._is_last = True
        if status >= 300 or self._failure or self._is_over.is_set():
            await trio.aclose_forcefully(self._stream)

    async def first_data(self) -> bytes:
        """Return the first that comes. Raises `_ClosedMeanwhile` if nothing does."""
        data = b""
        failure: BaseException | None = None
        with self._reading:
            try:
                data = bytes(await self._stream.receive_some(CHUNK))
            except _GONE as error:
                failure = error
        if data:
            return data
        failure = self._failure or failure
        why = reason(failure) if failure else "it closed the connection without a response"
        raise _ClosedMeanwhile(why)


class HttpResponse:
    """A response. Its body must be read to the end, or it must be closed."""

    def __init__(
        self,
        client: HttpClient,
        stream: Any,
        parser: h11.Connection,
        exchange: Exchange,
        status: int,
        headers: list[tuple[str, str]],
        sending: _Sending,
    ) -> None:
        self._client = client
        self._stream = stream
        self._parser = parser
        self._exchange = exchange
        self._sending = sending
        self.status = status
        self.headers = headers

    def header(self, name: str) -> str:
        """Return the value of a header, in lower case; empty if it is absent."""
        return dict(self.headers).get(name, "")

    async def chunks(self) -> AsyncGenerator[bytes, None]:
        """Give the body as it comes. Raises `HttpFailed` if it is cut off."""
        observe, exchange, parser = self._client.observe, self._exchange, self._parser
        try:
            while True:
                event = parser.next_event()
                if event is h11.NEED_DATA:
                    parser.receive_data(bytes(await self._stream.receive_some(CHUNK)))
                elif isinstance(event, h11.Data):
                    observe(exchange.response_data, bytes(event.data))
                    yield bytes(event.data)
                else:
                    # If not, the agent has not taken all of the request, and takes no other here.
                    is_over = await self._sending.is_over()
                    break
        except (*_GONE, h11.ProtocolError) as error:
            observe(exchange.lost, "agent", str(error))
            await trio.aclose_forcefully(self._stream)
            raise HttpFailed(f"the connection was lost: {error}") from None
        except BaseException:
            observe(exchange.lost, "client")
            with trio.CancelScope(shield=True):
                await trio.aclose_forcefully(self._stream)
            raise
        observe(exchange.response_end)
        if is_over and parser.our_state is h11.DONE and parser.their_state is h11.DONE:
            self._client.give_back(self._stream, parser)
        else:
            await self._sending.close(self.status)

    async def read(self) -> bytes:
        """Return the whole body. Raises `HttpFailed` if it is too long to be a message."""
        body = bytearray()
        async with aclosing(self.chunks()) as chunks:
            async for chunk in chunks:
                body += chunk
                if len(body) > LONGEST_LINE:
                    most = LONGEST_LINE // 2**20
                    raise HttpFailed(f"the agent's response is longer than {most} MiB")
        return bytes(body)
