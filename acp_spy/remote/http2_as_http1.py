"""
Streams of HTTP/2, each offered as a connection that speaks HTTP/1.1.

So what relays, serves and makes requests knows one kind of connection. `http` is what is really
spoken. Trailers pass if the body has no `Content-Length`; WebSockets over HTTP/2 (RFC 8441) are not
offered.
"""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

import h11
import trio
from h2.errors import ErrorCodes

from acp_spy.remote.http2 import (
    Http2Connection,
    Http2Stream,
    NotSentError,
    RawHeaders,
    StreamLost,
)
from acp_spy.remote.listening import MOST_STREAMS, StreamPlaces

_LARGEST_HEAD = 256 * 1024  # what is larger, the other side has refused
_OF_CONNECTION = frozenset(
    {
        *(b"connection", b"http2-settings", b"keep-alive", b"proxy-connection"),
        *(b"transfer-encoding", b"upgrade"),
    }
)


async def serve_http2(
    stream: Any,
    start: bytes,
    serve: Callable[["RequestConnection", bytes], Awaitable[None]],
    idle: float,
    free: trio.Semaphore | None,
) -> None:
    """
    Call `serve` with each request of a client that speaks HTTP/2, as a connection.

    All requests but one at a time take a place of `free`, if that is given.
    """
    # Those that a client has reset may take a while to end; it must not start any number of them.
    places = trio.CapacityLimiter(2 * MOST_STREAMS)
    places_for_files = StreamPlaces(free) if free else None
    async with trio.open_nursery() as nursery:

        async def begin(stream: Http2Stream) -> None:
            await places.acquire_on_behalf_of(stream)
            nursery.start_soon(follow, stream)

        async def follow(stream: Http2Stream) -> None:
            try:
                if places_for_files is None:
                    await serve(RequestConnection(stream), b"")
                    return
                async with places_for_files.one(stream.wait_until_lost) as has_place:
                    if has_place:
                        await serve(RequestConnection(stream), b"")
                    else:
                        stream.close()
            except h11.LocalProtocolError:  # a head that HTTP/1.1 cannot express
                stream.close(ErrorCodes.PROTOCOL_ERROR)
            finally:
                places.release_on_behalf_of(stream)

        await Http2Connection(stream, begin, idle).run(start)


class RequestConnection(trio.abc.HalfCloseableStream):
    """One request of a client. It reads as HTTP/1.1, and takes the response as HTTP/1.1."""

    http = "2"

    def __init__(self, stream: Http2Stream) -> None:
        self._stream = stream
        self._h11 = h11.Connection(h11.CLIENT, max_incomplete_event_size=_LARGEST_HEAD)
        head = _request(stream.heads.popleft(), has_body=not stream.is_empty)
        self._is_chunked = any(name == b"transfer-encoding" for name, _ in head.headers)
        self._unread = self._h11.send(head) or b""
        self._code: int = ErrorCodes.INTERNAL_ERROR
        self._is_sending = self._is_broken_off = False

    async def receive_some(self, max_bytes: int | None = None) -> bytes:  # noqa: ARG002
        """Return what has come of the request. Raises when it has been responded to, or is lost."""
        await trio.lowlevel.checkpoint()
        while not (data := self._request_bytes()):
            if self._stream.is_empty and self._stream.has_sent_all:  # the response came first
                self._stream.close()
            await self._stream.wait()
        return data

    def _request_bytes(self) -> bytes:
        stream, out = self._stream, self._unread
        self._unread = b""
        if self._h11.our_state is h11.SEND_BODY:
            if body := stream.body():
                out += self._h11.send(h11.Data(data=body)) or b""
            if stream.has_ended:
                trailers = stream.trailers if self._is_chunked else []
                out += self._h11.send(h11.EndOfMessage(headers=trailers)) or b""
        return out

    async def send_all(self, data: Any) -> None:
        """Send bytes of the response."""
        await trio.lowlevel.checkpoint()
        self._h11.receive_data(bytes(data))
        self._is_sending = self._is_broken_off = True
        try:
            await self._send_events()
        except h11.RemoteProtocolError as error:
            raise StreamLost(f"not HTTP: {error}") from None
        finally:
            self._is_sending = False
        self._is_broken_off = False

    async def send_eof(self) -> None:
        """End the response, if it is one that ends so, and all before its end was sent."""
        if self._is_sending:
            raise trio.BusyResourceError("another task sends the response")
        if self._stream.has_sent_all:
            return
        if self._is_broken_off:
            self._stream.close(self._code)
            return
        self._h11.receive_data(b"")
        try:
            await self._send_events()
        except h11.RemoteProtocolError:
            self._stream.close(self._code)

    async def _send_events(self) -> None:
        stream, event = self._stream, self._h11.next_event()
        while not (event is h11.NEED_DATA or event is h11.PAUSED):
            if isinstance(event, h11.InformationalResponse | h11.Response):
                head = [(b":status", b"%d" % event.status_code), *_fields(event.headers)]
                if isinstance(event, h11.Response):
                    event = self._h11.next_event()
                    is_all = isinstance(event, h11.EndOfMessage) and not event.headers
                    stream.queue_head(head, is_all=is_all)
                    continue
                stream.queue_head(head)
            elif isinstance(event, h11.Data):
                await stream.queue(bytes(event.data))
            elif isinstance(event, h11.EndOfMessage):
                if not stream.has_sent_all:
                    stream.queue_end(_fields(event.headers))
                await stream.flush()
                if stream.has_ended:
                    stream.close()
                return
            else:  # closed
                break
            event = self._h11.next_event()
        await stream.flush()

    @contextmanager
    def ended_by_client(self, end: Callable[[], None]) -> Iterator[None]:
        """Call `end` if the client resets the stream, or goes, in the block or before it."""
        self._stream.when_lost = end
        try:
            if self._stream.error:
                end()
            yield
        finally:
            self._stream.when_lost = None

    async def wait_send_all_might_not_block(self) -> None:
        """Not needed: `send_all` waits."""
        await trio.lowlevel.checkpoint()

    def fail_with(self, error: BaseException) -> None:
        """Take note why the response will not be complete: its stream is reset with that code."""
        self._code = error.code if isinstance(error, StreamLost) else ErrorCodes.INTERNAL_ERROR

    async def aclose(self) -> None:
        """End it; a response that is not complete is reset."""
        self._stream.close(ErrorCodes.NO_ERROR if self._stream.has_sent_all else self._code)
        await trio.lowlevel.checkpoint()


class TargetConnection(trio.abc.Stream):
    """
    Takes requests as HTTP/1.1, one after the other; `open_stream` gives a stream for each head.

    While it `is_waiting`, nothing of a request has been sent: the target takes no more at once.
    """

    http = "2"

    def __init__(
        self, open_stream: Callable[..., Awaitable[Http2Stream]], scheme: bytes = b"https"
    ) -> None:
        self._open_stream = open_stream
        self._scheme = scheme
        self.is_waiting = False
        self._h11 = h11.Connection(h11.SERVER, max_incomplete_event_size=_LARGEST_HEAD)
        self._stream: Http2Stream | None = None
        self._has_request = trio.Event()
        self._failure: OSError | trio.BrokenResourceError | None = None
        self._is_head_request = self._is_chunked = self._is_closed = False
        self._due = 0  # bytes of the response's body that are to come, if its length is known
        self._held = b""

    async def send_all(self, data: Any) -> None:
        """Send bytes of a request."""
        await trio.lowlevel.checkpoint()
        self._h11.receive_data(bytes(data))
        stream, event = self._stream, self._h11.next_event()
        while not (event is h11.NEED_DATA or event is h11.PAUSED):
            if isinstance(event, h11.Request):
                head = self._head(event)
                self._is_head_request = event.method == b"HEAD"
                event = self._h11.next_event()
                is_all = isinstance(event, h11.EndOfMessage) and not event.headers
                stream = self._stream = await self._open(head, is_all=is_all)
                self._has_request.set()
                continue
            assert stream is not None
            if isinstance(event, h11.Data):
                await stream.queue(bytes(event.data))
            elif isinstance(event, h11.EndOfMessage):
                if not stream.has_sent_all:
                    stream.queue_end(_fields(event.headers))
                self._end_exchange()
            event = self._h11.next_event()
        if stream:
            await stream.flush()

    async def _open(self, head: RawHeaders, *, is_all: bool) -> Http2Stream:
        """Begin a request. If that fails, who waits for the response has the error, too."""
        self.is_waiting = True  # also after it was canceled
        try:
            stream = await self._open_stream(head, is_all=is_all)
        except (OSError, trio.BrokenResourceError) as error:
            self.is_waiting = isinstance(error, NotSentError)
            self._failure = error
            self._has_request.set()
            raise
        self.is_waiting = False
        return stream

    def _head(self, request: h11.Request) -> RawHeaders:
        host = next((value for name, value in request.headers if name == b"host"), b"")
        return [
            (b":method", request.method),
            (b":scheme", self._scheme),
            (b":authority", host),
            (b":path", request.target),
            *(pair for pair in _fields(request.headers) if pair[0] != b"host"),
        ]

    async def receive_some(self, max_bytes: int | None = None) -> bytes:  # noqa: ARG002
        """Return what has come of the response."""
        await trio.lowlevel.checkpoint()
        while True:
            if self._is_closed:
                raise trio.ClosedResourceError
            if self._failure:
                raise self._failure
            stream = self._stream
            if stream is None:
                if self._h11.our_state is h11.MUST_CLOSE:
                    return b""
                await self._has_request.wait()
                self._has_request = trio.Event()
                continue
            if self._h11.our_state is h11.DONE:  # the request is not: the target may stop it
                await stream.wait()
            elif data := await self._some_of(stream):
                return data

    async def _some_of(self, stream: Http2Stream) -> bytes:
        """Return what has come of the response, or wait; nothing if there is something to do."""
        try:
            data = self._response_bytes(stream)
        except h11.LocalProtocolError as error:
            stream.close(ErrorCodes.PROTOCOL_ERROR)
            raise StreamLost(f"not a response: {error}") from None
        if data or self._stream is not stream:
            return data
        try:
            await stream.wait()
        except StreamLost:
            if not self._held:
                raise
            data, self._held = self._held, b""
        return data

    def _response_bytes(self, stream: Http2Stream) -> bytes:
        """
        Return what has come of the response.

        By its length it may be complete before its stream has ended. What makes it so is held until
        then: a client of HTTP/1.1 would send its next request, for which it is too early.
        """
        out, self._held = self._held, b""
        while stream.heads:
            out += self._h11.send(self._response(stream.heads.popleft())) or b""
        if self._h11.our_state is h11.SEND_BODY:
            if body := stream.body():
                out += self._h11.send(h11.Data(data=body)) or b""
                self._due -= len(body)
            if stream.has_ended:
                trailers = stream.trailers if self._is_chunked else []
                out += self._h11.send(h11.EndOfMessage(headers=trailers)) or b""
                self._end_exchange()
            elif not (self._is_chunked or self._due):
                out, self._held = b"", out
        return out

    def _response(self, headers: RawHeaders) -> h11.Response | h11.InformationalResponse:
        digits = dict(headers)[b":status"]
        if len(digits) != 3 or not digits.isdigit():
            raise h11.LocalProtocolError("its status is not a number of three digits")
        status = int(digits)
        found = [pair for pair in headers if not pair[0].startswith(b":")]
        if status < 200:
            return h11.InformationalResponse(status_code=status, headers=found)
        response = h11.Response(status_code=status, headers=found)
        length = next(
            (int(value) for name, value in response.headers if name == b"content-length"), None
        )
        may_have_body = status not in (204, 304) and not self._is_head_request
        self._is_chunked = may_have_body and length is None
        self._due = (length or 0) if may_have_body else 0
        return response

    def _end_exchange(self) -> None:
        """Be ready for the next request, once all of this one and of its response has passed."""
        if {self._h11.our_state, self._h11.their_state} <= {h11.DONE, h11.MUST_CLOSE, h11.CLOSED}:
            if self._stream:
                self._stream.close()
                self._stream = None
            self._has_request.set()
            if self._h11.our_state is self._h11.their_state is h11.DONE:
                self._h11.start_next_cycle()

    async def wait_send_all_might_not_block(self) -> None:
        """Not needed: `send_all` waits."""
        await trio.lowlevel.checkpoint()

    async def aclose(self) -> None:
        """End it; a request that is not complete is reset."""
        self._is_closed = True
        self._has_request.set()
        if self._stream:
            self._stream.close(ErrorCodes.CANCEL)
            self._stream = None
        await trio.lowlevel.checkpoint()


def _request(headers: RawHeaders, *, has_body: bool) -> h11.Request:
    """Return the head of a request. Raises `h11.LocalProtocolError` if there is none such."""
    named = dict(headers)
    host = named.get(b":authority") or named.get(b"host", b"")
    found = [(name, value) for name, value in headers if name != b"host" and name[:1] != b":"]
    if has_body and b"content-length" not in named:
        found.append((b"transfer-encoding", b"chunked"))
    return h11.Request(
        method=named.get(b":method", b""),
        target=named.get(b":path", b""),
        headers=[(b"host", host), *found],
    )


def _fields(headers: Any) -> RawHeaders:
    """Return headers without those that are about an HTTP/1.1 connection."""
    return [
        (bytes(name), bytes(value))
        for name, value in headers
        if name not in _OF_CONNECTION and (name != b"te" or value.lower() == b"trailers")
    ]
