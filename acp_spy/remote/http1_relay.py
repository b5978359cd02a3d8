"""
Relay one HTTP/1.1 connection to the target, with one connection there for each one here.

So what a peer does to its connection (keep it, close it, half of it, reset it) is done to the
other's. Two tasks carry, one each way, as a plain relay has them. Both sides are parsed; bodies go
on as they come, after the recording has seen them. A WebSocket is opened by a response 101: from
then on bytes are carried as they are.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from typing import Any

import h11
import trio

from acp_spy.remote.connector import Connector, is_waiting, version
from acp_spy.remote.event_chunks import EventChunks
from acp_spy.remote.exchange import Exchange, is_event_stream
from acp_spy.remote.plain_socket import (
    LINGER,
    LONGEST_LINGER,
    PlainSocket,
    end_gently,
    plain,
    reset_of,
)
from acp_spy.remote.service import Service, reason
from acp_spy.remote.simple_http import (
    SimpleRequest,
    SimpleResponse,
    read_request,
    read_response,
)
from acp_spy.wire.frame import Peer

CHUNK = 64 * 1024
BURST = 256 * 1024  # bytes to read at once of events that come faster than they are carried
LARGEST_HEAD = 64 * 1024
HEAD_TIMEOUT = 60.0  # seconds for a request's head, once it has begun
MOST_AHEAD = 64 * 1024  # bytes that a client may send before it has its response
HOLD = 0.1  # seconds that the head of a response waits for a short body
SILENCE = 60.0  # seconds without a byte for a client that sends no more, and may have gone for good
_OF_CONNECTION = frozenset({b"proxy-connection", b"proxy-authorization"})
_HTTP = b"HTTP/"
_HOST = re.compile(rb"\A[^/?]*")
_GONE = (trio.BrokenResourceError, trio.ClosedResourceError, OSError)


class Http1Relay:
    """One connection of a client. `start` is what was already read from it."""

    def __init__(
        self, client: Any, service: Service, connector: Connector, start: bytes = b""
    ) -> None:
        self._client = plain(client)
        self._service = service
        self._connector = connector
        self._make_parsers()
        self._target: Any = None
        self._exchange: Exchange | None = None
        self._to_target = bytearray()
        self._to_client = bytearray()
        self._why_unreachable = self._why_lost = ""
        self._start = start
        self._reading = trio.CancelScope()
        self._has_resumed = trio.Event()
        self._client_is_done = trio.Event()  # it sends no more
        self._is_switched = self._client_ended = self._has_target_ended = False
        self._ahead = 0
        self._head_until: float | None = None  # when the head that has begun must have ended
        self._simple: SimpleRequest | None = None  # the request that the parsers have not seen
        self._scope = trio.CancelScope()
        self._ended_by = "proxy"
        self._is_last = False  # the connection to the target ends with the response that is due
        self._is_sending = False
        self._sent = 0  # how often something was sent to the client
        self._came = 0  # how often something came from it
        self._draining = trio.CancelScope()  # of what a client sends to an agent that has gone

    def _make_parsers(self) -> None:
        self._server = h11.Connection(h11.SERVER, max_incomplete_event_size=LARGEST_HEAD)
        self._forwarder = h11.Connection(h11.CLIENT, max_incomplete_event_size=LARGEST_HEAD)

    async def run(self) -> None:
        """Carry until either side has ended."""
        try:
            with self._scope:
                async with trio.open_nursery() as nursery:
                    self._nursery = nursery
                    await self._from_client()
                    self._client_is_done.set()
                    if self._target is not None:  # which need not end what the client has ended
                        await self._end_if_gone()
                    nursery.cancel_scope.cancel()
        except* (*_GONE, h11.LocalProtocolError):
            pass
        finally:
            if self._exchange:
                self._exchange.is_unsent = is_waiting(self._target)
                self._service.observe(self._exchange.lost, self._ended_by)
            await self._close()

    async def _close(self) -> None:
        with trio.CancelScope(shield=True):
            for stream in (self._client, self._target):
                if stream is not None:
                    await trio.aclose_forcefully(stream)

    # ------------------------------------------------------------------------- client -> target

    async def _from_client(self) -> None:
        if self._start:
            self._server.receive_data(self._start)
        while True:
            try:
                event = self._server.next_event()
            except h11.RemoteProtocolError as error:
                await self._end_broken_request(error)
                return
            await self._flush_to_target(unless=event)
            if event is h11.NEED_DATA:
                await self._read_client()
            elif event is h11.PAUSED:
                await self._wait_for_response()
                if self._is_switched:
                    await self._carry_socket(Peer.CLIENT)
                    return
                if self._client_ended:
                    await self._end_target_input()
                    return
            elif not await self._take_request(event):
                return

    async def _end_broken_request(self, error: h11.RemoteProtocolError) -> None:
        """Refuse what is not HTTP, or was broken off; the target sees that it ends."""
        await self._flush_to_target()
        if self._target is None or not self._client_ended:
            await self._refuse(error.error_status_hint, f"not HTTP: {error}")
        await self._end_target_input()

    async def _take_request(self, event: Any) -> bool:
        """Take a part of a request. `False` if the connection is of no further use."""
        if isinstance(event, h11.Request):
            return await self._begin(event)
        if isinstance(event, h11.ConnectionClosed):  # the client's half of it, at least
            await self._end_target_input()
            return False
        if self._exchange is None:  # the other task has responded, for the target broke off
            return False
        if isinstance(event, h11.Data):
            self._service.observe(self._exchange.request_data, bytes(event.data))
        else:
            self._service.observe(self._exchange.request_end)
        if self._target is not None:
            self._to_target += self._forwarder.send(event) or b""
        elif isinstance(event, h11.EndOfMessage):
            await self._report_unreachable()
            return False
        if isinstance(event, h11.EndOfMessage):
            self._next_cycle()
        return True

    async def _read_client(self) -> None:
        is_in_head = self._server.their_state is h11.IDLE and self._server.trailing_data[0]
        data = await (self._receive_head() if is_in_head else self._receive_from_client())
        if self._simple:  # the client is ahead of its response
            self._ahead += len(data)
            self._take_from_client(data)
            await self._wait_for_response()
            return
        # Meanwhile the response may have come, so this may be the start of the next request.
        if not is_in_head and self._server.their_state is h11.IDLE and self._target is not None:
            request = read_request(data)
            if request and await self._forward_simple(request):
                return
        self._take_from_client(data)

    async def _receive_head(self) -> bytes:
        if self._head_until is None:
            self._head_until = trio.current_time() + HEAD_TIMEOUT
        with trio.CancelScope(deadline=self._head_until):  # for all of it, not for each byte
            return await self._receive_from_client()
        await self._refuse(408, "the head of the request did not end in time")
        self._scope.cancel()
        await trio.lowlevel.checkpoint()
        raise AssertionError("cancelled")

    async def _receive_from_client(self) -> bytes:
        try:
            data = bytes(await self._client.receive_some(CHUNK))
            self._came += 1
            return data
        except trio.BusyResourceError:  # the other task reads the rest, and ends this one
            await trio.sleep_forever()
            raise
        except _GONE:
            self._ended_by = "client"
            raise

    async def _forward_simple(self, request: SimpleRequest) -> bool:
        """Forward a request that has come whole. `False` if it is refused, the usual way."""
        observe = self._service.observe
        if self._service.guard.refusal_of(request.headers):
            return False
        exchange = self._service.exchange(request.method, request.path, request.headers, "1.1")
        self._exchange = exchange
        if body := request.data[request.body_start :]:
            observe(exchange.request_data, body)
        observe(exchange.request_end)
        self._has_resumed = trio.Event()
        self._simple = request
        await self._send_to_target(request.to_host(self._service.target.authority.encode()))
        return True

    async def _take_simple(self, request: SimpleRequest, data: bytes) -> bool:
        """Take what may be a whole response. `False` if the parsers have to go on with it."""
        self._simple = None
        exchange, observe = self._exchange, self._service.observe
        response = read_response(data)
        if response is None or exchange is None or self._is_stream(response):
            self._let_parsers_see(request)
            return False
        http = version(self._target, b"1.1")
        observe(exchange.response_head, response.status, response.headers, http)
        if body := data[response.body_start :]:
            observe(exchange.response_data, body)
        observe(exchange.response_end)
        self._resume()  # first: a fast client has its next request here before this returns
        await self._send_to_client(data)
        return True

    @staticmethod
    def _is_stream(response: SimpleResponse) -> bool:
        return any(
            name == "content-type" and is_event_stream(value) for name, value in response.headers
        )

    def _let_parsers_see(self, request: SimpleRequest) -> None:
        """Bring the parsers to where they would be, had they seen a request from its start."""
        ahead = self._server.trailing_data[0]
        self._make_parsers()
        self._server.receive_data(request.data + ahead)
        while not isinstance(event := self._server.next_event(), h11.EndOfMessage):
            if isinstance(event, h11.Request):
                event = self._forwarded(event)
            assert isinstance(event, h11.Request | h11.Data)
            self._forwarder.send(event)
        self._forwarder.send(event)

    def _take_from_client(self, data: bytes) -> None:
        if not data:
            self._client_ended = True
            self._ended_by = "client"
        self._server.receive_data(data)

    async def _wait_for_response(self) -> None:
        """Wait until the next request may begin; meanwhile notice whether the client has gone."""
        while not (self._has_resumed.is_set() or self._client_ended):
            if self._ahead > MOST_AHEAD:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(self._end_if_gone)
                    await self._has_resumed.wait()
                    nursery.cancel_scope.cancel()
                break
            with trio.CancelScope() as self._reading:
                data = await self._receive_from_client()
                self._ahead += len(data)
                self._take_from_client(data)
        self._has_resumed = trio.Event()
        self._ahead = 0

    async def _begin(self, request: h11.Request) -> bool:
        """Take the head of a request. `False` if the connection is of no further use."""
        self._head_until = None
        headers = [(n.decode("latin-1"), v.decode("latin-1")) for n, v in request.headers]
        path, method = request.target.decode("latin-1"), request.method.decode("latin-1")
        http = version(self._client, request.http_version)
        self._exchange = self._service.exchange(method, path, headers, http)
        refusal = self._service.guard.refusal_of(headers)
        if refusal:
            self._service.complain_once(f"request refused: {refusal}")
            await self._refuse(403, f"refused: {refusal}")
            return False
        if request.method == b"CONNECT":
            await self._refuse(405, "CONNECT is not supported: give the client the URL itself")
            return False
        is_for_http1 = self._exchange.is_upgrade and version(self._target, b"") == "2"
        if self._target is None or is_for_http1:
            await self._connect()
        if self._target is not None:
            if self._forwarder.their_state is not h11.IDLE:
                return False  # it has just closed, or sends what nobody has asked for
            self._to_target += self._forwarder.send(self._forwarded(request)) or b""
        elif self._server.they_are_waiting_for_100_continue:  # no body comes before a response
            self._service.observe(self._exchange.request_end)
            await self._report_unreachable()
            return False
        return True

    async def _connect(self) -> None:
        """Connect to the target, or once more: a WebSocket needs a connection of HTTP/1.1."""
        before = self._target
        try:
            is_upgrade = self._exchange is not None and self._exchange.is_upgrade
            with self._unless_client_goes():
                self._target = plain(await self._connector.connect(for_socket=is_upgrade))
        except (OSError, trio.BrokenResourceError, ExceptionGroup) as error:
            self._target = None
            self._why_unreachable = reason(error)
            return
        if before is None:
            self._nursery.start_soon(self._from_target)
        else:
            await before.aclose()  # by which the other task goes on to the new one

    @contextmanager
    def _unless_client_goes(self) -> Iterator[None]:
        """End when the client resets its stream: a target may take any time to take something."""
        watch = getattr(self._client, "ended_by_client", None)
        with watch(self._end_for_client) if watch else nullcontext():
            yield

    def _end_for_client(self) -> None:
        self._ended_by = "client"
        self._scope.cancel()

    def _forwarded(self, request: h11.Request) -> h11.Request:
        target, guard = self._service.target, self._service.guard
        replaced = {b"host": target.authority.encode()}
        named = {n: v.decode("latin-1") for n, v in request.headers if n in (b"host", b"origin")}
        if guard.is_own_page(named.get(b"host", ""), named.get(b"origin", "")):
            replaced[b"origin"] = target.origin.encode()  # else it is of a stranger, to the target
        left_out = _OF_CONNECTION
        upgrades = [value.strip().lower() for name, value in request.headers if name == b"upgrade"]
        if b"h2c" in upgrades:  # we do not switch to HTTP/2 on the way
            left_out = _OF_CONNECTION | {b"connection", b"upgrade", b"http2-settings"}
        if any(name == b"transfer-encoding" for name, _ in request.headers):
            left_out |= {b"content-length"}  # who believes it sees another request in the body
        headers = [
            (name, replaced.get(name.lower(), value))
            for name, value in request.headers.raw_items()
            if name.lower() not in left_out
        ]
        return h11.Request(
            method=request.method,
            target=_origin_form(request.target),
            headers=headers,
            http_version=b"1.1",
        )

    async def _flush_to_target(self, unless: object = None) -> None:
        """Send what there is; not before the end of a message, if that has come as well."""
        if self._to_target and not isinstance(unless, h11.Data | h11.EndOfMessage):
            data, self._to_target = self._to_target, bytearray()
            await self._send_to_target(data)

    async def _send_to_target(self, data: bytes | bytearray) -> None:
        """Send something. One that takes no more may have responded: that goes on to its end."""
        try:
            with self._unless_client_goes():
                await self._target.send_all(data)
        except _GONE:
            while await self._receive_from_client():  # else it would wait before it reads
                pass
            await trio.sleep_forever()

    async def _end_target_input(self) -> None:
        """Pass on that the client will send no more; the target decides what that means."""
        if self._target is None:
            return
        if hasattr(self._target, "send_eof"):
            with suppress(*_GONE):
                await self._target.send_eof()
        else:  # TLS has no half of a connection to close, nor has a stream that was sent whole
            await self._wait_for_rest()
            self._scope.cancel()

    async def _wait_for_rest(self) -> None:
        """
        Wait for what the target still has to send to a client that will send no more.

        One that has gone for good looks the same, until we have sent it something. That is how a
        client ends an event stream, so the target sees the end of one that is open at once.
        """
        exchange = self._exchange
        if self._is_switched:
            await trio.sleep(LINGER)  # for its close frame
        elif exchange.is_stream if exchange else not self._is_sending:
            return
        else:
            self._is_last = True
            await self._silence()

    async def _silence(self) -> None:
        """Wait until nothing has been sent to the client for a while, and nothing is being sent."""
        sent = -1
        while sent != self._sent or self._is_sending:
            sent = self._sent
            await trio.sleep(SILENCE)

    async def _end_if_gone(self) -> None:
        """
        End when nobody is there to read the response: the client's system says so when it is asked.

        That takes a minute, see `keep_alive`. A client that has only closed its half may read on.
        """
        await reset_of(self._client)
        self._ended_by = "client"
        self._scope.cancel()

    # ------------------------------------------------------------------------- target -> client

    async def _from_target(self) -> None:
        try:
            while True:
                is_last = self._forwarder.their_state is h11.MUST_CLOSE
                event = h11.PAUSED if is_last else self._forwarder.next_event()
                if event is h11.NEED_DATA:
                    if not await self._read_target():
                        return
                elif event is h11.PAUSED:  # the response is complete, the request is not
                    await self._flush_to_client()
                    data = await self._take_from_target()
                    if not data:
                        return
                    if self._forwarder.their_state not in (h11.DONE, h11.MUST_CLOSE):
                        await self._read(data)  # else nobody has asked for it
                elif not await self._take_response(event):
                    await self._flush_to_client()
                    return
        except h11.ProtocolError as error:
            if not self._client_ended:
                self._ended_by = "agent"
            await self._flush_to_client()
            await self._report_lost("" if self._has_target_ended else str(error))
            self._cut_off_client()
        finally:
            await self._end_client_gently()
            self._scope.cancel()

    async def _take_response(self, event: Any) -> bool:
        """Take a part of a response. `False` if the connection is of no further use."""
        if isinstance(event, h11.ConnectionClosed) or self._exchange is None:
            return False  # it has gone, or sends what nobody has asked for
        if isinstance(event, h11.InformationalResponse) and event.status_code == 101:
            await self._switch(event)
            return False
        if isinstance(event, h11.Response):
            self._take_head(event)
            if self._exchange.is_stream and self._has_chunks(event):
                return await self._carry_events(is_last=_says_close(event))
            return True
        if isinstance(event, h11.Data):
            self._service.observe(self._exchange.response_data, bytes(event.data))
        elif isinstance(event, h11.EndOfMessage):
            self._service.observe(self._exchange.response_end)
        self._to_client += self._server.send(event) or b""
        if isinstance(event, h11.EndOfMessage) and not self._next_cycle():
            return self._server.their_state is h11.SEND_BODY  # the target may read it all the same
        return True

    def _take_head(self, event: h11.Response) -> None:
        assert self._exchange is not None
        headers = [(n.decode("latin-1"), v.decode("latin-1")) for n, v in event.headers]
        http = version(self._target, event.http_version)
        self._service.observe(self._exchange.response_head, event.status_code, headers, http)
        sent = h11.Response(
            status_code=event.status_code,
            headers=event.headers.raw_items(),
            reason=event.reason,
        )
        self._to_client += self._server.send(sent) or b""

    def _has_chunks(self, event: h11.Response) -> bool:
        """Whether both sides see the body in chunks, so that their bytes are the same."""
        assert self._exchange is not None
        if self._exchange.method == "HEAD" or event.status_code in (204, 304):
            return False  # there is none, whatever the headers say
        if self._server.their_state is h11.SEND_BODY:
            return False  # the parsers have to go on with the request
        codings = [value.lower() for name, value in event.headers if name == b"transfer-encoding"]
        request = self._server.their_http_version
        return codings == [b"chunked"] and request == b"1.1"

    async def _carry_events(self, *, is_last: bool) -> bool:
        """
        Carry the body of an event stream as it is, chunks and all, and read a copy of it.

        By h11 each chunk would cost a hundred times as much, and an event is a chunk. `False` if
        this was the last response on this connection.
        """
        assert self._exchange is not None
        exchange, observe = self._exchange, self._service.observe
        events = EventChunks(can_cut=not exchange.is_encoded)
        reader = events.chunks
        data = self._forwarder.trailing_data[0]
        if isinstance(self._target, PlainSocket):
            self._target.hold_bursts(BURST)
        await self._flush_to_client()
        while True:
            if data:
                observe(exchange.response_events, *events.feed(bytes(data)))
                if reader.is_over:
                    break
                await self._send_to_client(data)
            is_burst = len(data) > CHUNK // 2
            data = await self._take_from_target(BURST if is_burst else CHUNK)
            if not data:
                raise h11.RemoteProtocolError("the connection ended before the body did")
        if reader.is_broken:
            await self._send_to_client(data)
            raise h11.RemoteProtocolError("the body is not in chunks")
        self._to_client += data[: len(data) - len(reader.rest)]
        observe(exchange.response_end)
        if is_last or self._server.their_state is not h11.DONE:
            return False
        # h11 has seen no byte of that body, so the next exchange gets new ones.
        ahead = self._server.trailing_data[0]
        self._make_parsers()
        for parser, start in ((self._server, ahead), (self._forwarder, reader.rest)):
            if start:  # nothing would be the end of the connection
                parser.receive_data(start)
        self._resume()
        return True

    async def _send_to_client(self, data: bytes | bytearray) -> None:
        self._is_sending = True
        try:
            await self._client.send_all(data)
        except _GONE:
            self._ended_by = "client"
            raise
        finally:
            self._is_sending = False
        self._sent += 1

    async def _take_from_target(self, most: int = CHUNK) -> bytes:
        target = self._target
        try:
            data = bytes(await target.receive_some(most))
        except _GONE as error:
            if self._target not in (target, None):  # it was exchanged
                return await self._take_from_target(most)
            data = b""
            self._why_lost = reason(_cause(error))
            if fail_with := getattr(self._client, "fail_with", None):
                fail_with(error)
        self._has_target_ended = not data
        if not data and not self._client_ended:
            self._ended_by = "agent"
        return data

    async def _read_target(self) -> bool:
        """Read more from the target. `False` if nothing more is due."""
        exchange = self._exchange
        if exchange is not None and exchange.is_held and not exchange.is_over:
            with trio.move_on_after(HOLD) as patience:
                await self._receive_from_target()
            if not patience.cancelled_caught:
                return True
            self._service.observe(exchange.release)
        await self._flush_to_client()
        if self._is_last and self._exchange is None:
            return False
        await self._receive_from_target()
        return True

    async def _receive_from_target(self) -> None:
        await self._read(await self._take_from_target())

    async def _read(self, data: bytes) -> None:
        if self._simple and await self._take_simple(self._simple, data):
            return
        if self._forwarder.their_state is h11.SEND_RESPONSE:
            _refuse_other_protocol(self._forwarder.trailing_data[0] + data)
        if self._why_lost and self._forwarder.their_state is h11.SEND_BODY:
            # h11 would take it for the proper end of a body that ends with its connection.
            raise h11.RemoteProtocolError(self._why_lost)
        self._forwarder.receive_data(data)

    async def _flush_to_client(self) -> None:
        if self._to_client:
            data, self._to_client = self._to_client, bytearray()
            await self._send_to_client(data)

    def _next_cycle(self) -> bool:
        """Get ready for the next request, if both sides are done with this one, and go on."""
        server, forwarder = self._server, self._forwarder
        states = {server.our_state, server.their_state, forwarder.our_state, forwarder.their_state}
        if states != {h11.DONE}:
            return False
        server.start_next_cycle()
        forwarder.start_next_cycle()
        self._resume()
        return True

    def _resume(self) -> None:
        """Let the next request begin."""
        self._exchange = None
        self._has_resumed.set()
        self._reading.cancel()

    # ------------------------------------------------------------------------- WebSocket

    async def _switch(self, event: h11.InformationalResponse) -> None:
        assert self._exchange is not None
        headers = [(n.decode("latin-1"), v.decode("latin-1")) for n, v in event.headers]
        self._service.observe(self._exchange.upgraded, headers, event.http_version.decode())
        sent = h11.InformationalResponse(
            status_code=101, headers=event.headers.raw_items(), reason=event.reason
        )
        self._to_client += self._server.send(sent) or b""
        self._is_switched = True
        rest = self._forwarder.trailing_data[0]
        if rest:
            self._service.observe(self._exchange.socket_data, Peer.AGENT, bytes(rest))
            self._to_client += rest
        await self._flush_to_client()
        self._has_resumed.set()
        self._reading.cancel()
        await self._carry_socket(Peer.AGENT)

    async def _carry_socket(self, sender: Peer) -> None:
        """Carry what `sender` sends on the WebSocket, as it is."""
        is_client = sender is Peer.CLIENT
        ended_by, is_lost = await self._carry_until_end(sender)
        if self._ended_by == "proxy":
            self._ended_by = ended_by.value
        if is_client and ended_by is Peer.AGENT:
            # What it has sent before is still carried: it would be lost if we closed the connection
            # with something unread.
            with self._draining, suppress(*_GONE):
                while await self._client.receive_some(CHUNK):
                    pass
        elif is_client:
            await self._end_target_input()
        elif not is_lost:  # it may still read what the client sends: the reply to its close
            with suppress(*_GONE):
                await self._client.send_eof()
            self._draining.deadline = trio.current_time() + LONGEST_LINGER
            await self._client_is_done.wait()

    async def _carry_until_end(self, sender: Peer) -> tuple[Peer, bool]:
        """Carry until a side has ended; return which, and whether its connection was lost."""
        assert self._exchange is not None
        is_client = sender is Peer.CLIENT
        source, sink = (self._client, self._target) if is_client else (self._target, self._client)
        exchange, observe = self._exchange, self._service.observe
        data = bytes(self._server.trailing_data[0]) if is_client else b""
        while True:
            if data:
                observe(exchange.socket_data, sender, data)
                try:
                    await sink.send_all(data)
                except _GONE:
                    return sender.other, True
            try:
                data = bytes(await source.receive_some(CHUNK))
            except _GONE:
                return sender, True
            if not data:
                return sender, False

    # ------------------------------------------------------------------------- our own responses

    async def _refuse(self, status: int, text: str, error: str = "") -> None:
        """Respond by ourselves, and take no more from this connection."""
        exchange, server = self._exchange, self._server
        if server.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            return  # in the middle of a response: there is only closing
        if exchange is not None and (exchange.conversation or self._service.conversations.newest):
            self._service.observe(exchange.responded_by_us, status, text, error)
        self._exchange = None
        body = f"acp-spy: {text}\n".encode()
        headers = [
            ("Content-Type", "text/plain; charset=utf-8"),
            ("Content-Length", str(len(body))),
            ("Connection", "close"),
        ]
        response = h11.Response(status_code=status, headers=headers)
        is_head = exchange is not None and exchange.method == "HEAD"
        parts = (response, h11.Data(data=b"" if is_head else body), h11.EndOfMessage())
        data = b"".join(server.send(part) or b"" for part in parts)
        # Busy, if the response before this one is still being sent: then there is only closing.
        with suppress(*_GONE, trio.BusyResourceError):
            await self._client.send_all(data)
            await self._end_client_gently()

    async def _report_unreachable(self) -> None:
        """Respond 502: the request is recorded, and its conversation exists."""
        target = self._service.target.shown
        text = f"cannot connect to {target}: {self._why_unreachable}"
        self._service.complain_once(text)
        assert self._exchange is not None
        await self._refuse(502, text, self._why_unreachable)

    async def _report_lost(self, error: str) -> None:
        """Take note that the target broke off its response, or does not speak HTTP."""
        if self._exchange is None:
            return
        why = ""
        if self._ended_by == "agent":
            why = error or self._why_lost or self._why_ended()
            why = f"the target broke the connection or does not speak HTTP: {why}"
        self._service.observe(self._exchange.lost, self._ended_by, why)
        if error and self._server.our_state is h11.SEND_RESPONSE:
            text = f"{self._service.target.shown} does not speak HTTP: {error}"
            self._service.complain_once(text)
            self._exchange = None
            await self._refuse(502, text)

    def _why_ended(self) -> str:
        has_begun = self._server.our_state is not h11.SEND_RESPONSE
        is_empty = not has_begun and not self._forwarder.trailing_data[0]
        return f"it closed the connection {'without' if is_empty else 'within'} its response"

    def _cut_off_client(self) -> None:
        """Reset the connection of a client that would take its end for the end of the body."""
        server = self._server
        if server.our_state is h11.SEND_BODY and server.their_http_version == b"1.0":
            if isinstance(self._client, PlainSocket):
                self._client.reset_at_close()
            self._scope.cancel()

    async def _end_client_gently(self) -> None:
        """Close our half, and let a client that still sends read what we have sent."""
        if self._scope.cancel_called:
            return
        with suppress(*_GONE):
            try:
                still_sends = self._server.their_state in (h11.SEND_BODY, h11.ERROR)
                await end_gently(self._client, still_sends=still_sends)
            except trio.BusyResourceError:  # the other task does that
                with trio.move_on_after(LONGEST_LINGER):
                    came = -1
                    while came != self._came:
                        came = self._came
                        await trio.sleep(LINGER)


def _origin_form(target: bytes) -> bytes:
    """Return what a request is for, without an address: that would be ours, not the target's."""
    scheme, mark, rest = target.partition(b"://")
    if not mark or scheme.lower() not in (b"http", b"https"):
        return target
    path = _HOST.sub(b"", rest, count=1)
    return path if path.startswith(b"/") else b"/" + path


def _cause(error: BaseException) -> BaseException:
    """Return what an error of trio's comes from: it has no words of its own for that."""
    while isinstance(error, trio.BrokenResourceError) and error.__cause__ is not None:
        error = error.__cause__
    return error


def _refuse_other_protocol(start: bytes) -> None:
    """Raise if a response does not begin as one: h11 would wait for the end of its head."""
    begun = start.lstrip(b"\r\n")[: len(_HTTP)]
    if not _HTTP.startswith(begun):
        raise h11.RemoteProtocolError(f"its response begins with {begun.decode('latin-1')!r}")


def _says_close(event: h11.Response) -> bool:
    return any(name == b"connection" and b"close" in value.lower() for name, value in event.headers)
