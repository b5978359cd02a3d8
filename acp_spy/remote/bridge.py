"""
A client on stdio, an agent that is remote: what `acp-spy -- URL` runs.

Each line from the client becomes a POST or a WebSocket message, and each message of the agent a
line. What fails on the way is a JSON-RPC error for the client, because a client on stdio knows
nothing of HTTP.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager, suppress
from functools import partial
from typing import Any

import msgspec
import trio
from wsproto import ConnectionType, WSConnection
from wsproto.connection import ConnectionState
from wsproto.events import (
    AcceptConnection,
    BytesMessage,
    CloseConnection,
    Ping,
    RejectConnection,
    Request,
    TextMessage,
)
from wsproto.utilities import ProtocolError, RemoteProtocolError

from acp_spy.engine.driven import run
from acp_spy.protocol.names import SETUPS
from acp_spy.remote.checking import Checking
from acp_spy.remote.connector import HTTP_1, Connector
from acp_spy.remote.conversations import Conversation, Conversations
from acp_spy.remote.credentials import without_credentials
from acp_spy.remote.deflate import Deflate
from acp_spy.remote.exchange import EVENT_STREAM, Headers, is_event_stream
from acp_spy.remote.http_client import CHUNK, HttpClient, HttpFailed, HttpResponse
from acp_spy.remote.message_head import head_of, key_of, value_of
from acp_spy.remote.pongs import Pongs
from acp_spy.remote.service import CONNECT_TIMEOUT, Service, reason
from acp_spy.remote.socket_message import SocketMessage
from acp_spy.remote.sse import SseReader
from acp_spy.remote.stdio_lines import LineReader, LineWriter
from acp_spy.remote.until_signal import until_signal
from acp_spy.wire.cut import cut_at_word
from acp_spy.wire.frame import Peer, Via
from acp_spy.wire.framing import LONGEST_LINE, Parts
from acp_spy.wire.values import fields, text

ORDERLY = 1.0  # seconds that the response to a POST may take before the next one goes
SLOWEST = 250_000  # bytes a second, for which the next one waits
RETRIES = (0.5, 1.0, 2.0)  # seconds before a lost stream is opened again
SOUND = 5.0  # seconds after which a stream counts as one that worked
LAST_WORDS = 2.0  # seconds for the end of a connection
_LONGEST_DETAIL = 200  # characters of a body that is no message
_INTERNAL_ERROR = -32603
_ENDED = f"the client ended, and no response came in {LAST_WORDS:g} seconds"
_TOO_LONG = f"a message of more than {LONGEST_LINE >> 20} MiB of the client was not sent on"
# Their responses come on the stream of the session or on that of the connection: SDKs differ.
_ON_EITHER = (*SETUPS, "session/close")
_OPEN_FOR_AGENT = (ConnectionState.OPEN, ConnectionState.LOCAL_CLOSING)
_GONE = (trio.BrokenResourceError, trio.ClosedResourceError, OSError)


class OneConversation(Conversations):
    """All requests belong to one conversation, whatever their headers say."""

    _only: Conversation | None = None

    def begin(self) -> Conversation:
        """Return the one conversation."""
        if self._only is None:
            self._only = super().begin()
        return self._taken(self._only)

    def of_request(self, connection: str, session: str, *, opens: bool) -> Conversation:  # noqa: ARG002
        """Return the one conversation."""
        return self.begin()

    def close(self) -> None:
        """Record the end, too: for the client the conversation is over."""
        if self._only is not None:
            self.end(self._only, Peer.CLIENT)
        super().close()


def run_bridge(service: Service, headers: Headers, checking: Checking) -> int:
    """Bridge until the client or the agent ends it; return the exit status."""
    bridge = SocketBridge if service.target.is_websocket else HttpBridge
    status = 0

    async def main() -> None:
        nonlocal status
        async with until_signal(service, checking) as signals:
            status = await _run_until(signals, bridge(service, headers))

    run(main)
    return status


async def _run_until(signals: Any, bridge: "SocketBridge | HttpBridge") -> int:
    with trio.CancelScope() as running:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_cancel_on, signals, running)
            status = await bridge.run()
            nursery.cancel_scope.cancel()
            return status
    return await bridge.end_by_signal()


async def _cancel_on(signals: Any, scope: trio.CancelScope) -> None:
    async for _ in signals:
        scope.cancel()


class _Bridge:
    """What both ways have in common: which requests of the client are pending, and errors."""

    transport = "http"

    def __init__(self, service: Service, headers: Headers) -> None:
        self._service = service
        self._headers = list(headers)
        self._output = LineWriter()
        self._parts = Parts(LONGEST_LINE)
        # Ids of the client's requests, each with the streams that may bring its response.
        self._pending: dict[bytes, frozenset[str] | None] = {}
        self._failed: set[bytes] = set()  # ids of those that got an error of ours instead
        self._has_responses = trio.Event()  # to all that it has asked
        self._connection = ""

    def _leaves_out(self, line: bytes) -> bool:
        """Whether this is a part of a line that is too long: it is recorded and not sent."""
        if not self._parts.has(line):
            return False
        self._service.complain_once(_TOO_LONG)
        self._record_unsent(line)
        return True

    def _record_unsent(self, payload: bytes) -> None:
        """Record what the client sent although it cannot be sent."""
        stream = "post" if self.transport == "http" else "connection"
        via = Via(self.transport, stream, self._connection)
        conversation = self._service.conversations.begin()
        self._service.observe(conversation.messages, Peer.CLIENT, [payload], via)

    def _note_request(self, message: dict[str, Any]) -> bytes:
        """Return the id of a request of the client, which is pending now; empty if it is none."""
        if "method" not in message or "id" not in message:
            return b""
        ident = key_of(message["id"])
        self._pending[ident] = None
        self._failed.discard(ident)
        return ident

    async def _deliver(self, payload: bytes, seq: int = 0) -> None:
        """Give the client a message, in one line. It has been recorded, as the frame `seq`."""
        message = head_of(payload)
        if "id" in message and "method" not in message:
            ident = key_of(message["id"])
            if ident in self._failed:  # the client must not get a second response
                self._drop_late(ident, seq)
                return
            self._pending.pop(ident, None)
            self._note_response()
        line = payload.replace(b"\r\n", b" ").replace(b"\n", b" ").replace(b"\r", b" ").strip()
        if line:
            await self._output.write(line + b"\n")

    def _drop_late(self, ident: bytes, seq: int) -> None:
        late = f"the response to request {ident.decode()} came after it had failed"
        self._service.complain_once(f"{late}: it was not delivered")
        if seq:
            self._service.observe(self._service.conversations.begin().dropped, seq)

    def _note_response(self) -> None:
        if not self._pending:
            self._has_responses.set()

    async def _wait_for_responses(self) -> None:
        """Wait a little for what the client has asked, though it has ended: it may be a pipe."""
        if self._pending:
            self._has_responses = trio.Event()
            await self._wait_for(self._has_responses)
        await self._output.write(b"")  # after those that are being written

    async def _wait_for(self, event: trio.Event) -> None:
        """
        Wait a little for an event of the agent.

        Time that the client takes to read what has come does not count: more may be behind that.
        """
        await self._output.write(b"")
        deadline = trio.current_time() + LAST_WORDS - self._output.waited
        while not event.is_set():
            waited = self._output.waited
            with trio.move_on_at(deadline + waited):
                await event.wait()
            if self._output.waited == waited and not self._output.is_behind:
                break
            await self._output.write(b"")

    async def _fail_unanswered(self) -> bool:
        """Fail what has no response when the client has ended; return whether there was any."""
        has_pending = bool(self._pending)
        if has_pending:
            await self._fail_all(_ENDED)
        return has_pending

    async def _fail(self, ident: bytes, why: str, status: int = 0) -> None:
        """Respond to a request of the client with an error of ours; it is recorded, too."""
        if ident not in self._pending:
            return
        del self._pending[ident]
        self._failed.add(ident)
        self._note_response()
        error = {
            "code": _INTERNAL_ERROR,
            "message": f"acp-spy: {why}",
            "data": {"origin": "acp-spy", **({"httpStatus": status} if status else {})},
        }
        body = {"jsonrpc": "2.0", "id": msgspec.Raw(ident), "error": error}
        payload = msgspec.json.encode(body)
        stream = "post" if self.transport == "http" else "connection"
        via = Via(self.transport, stream, self._connection, status=status)
        conversation = self._service.conversations.begin()
        self._service.observe(conversation.messages, Peer.AGENT, [payload], via)
        await self._output.write(payload + b"\n")

    async def end_by_signal(self) -> int:
        """Fail what is pending, after what is being written; return the exit status."""
        has_pending = bool(self._pending)
        with trio.move_on_after(LAST_WORDS):
            if has_pending:
                await self._fail_all("ended by a signal")
            await self._output.write(b"")
        return 1 if has_pending or self._output.is_behind else 0

    async def _fail_all(self, why: str) -> None:
        self._service.complain_once(why)
        for ident in list(self._pending):
            await self._fail(ident, why)


class HttpBridge(_Bridge):
    """Over HTTP: a POST for each line of the client, and SSE streams for what the agent sends."""

    def __init__(self, service: Service, headers: Headers) -> None:
        super().__init__(service, headers)
        self._agents_requests: dict[bytes, str] = {}  # ids, with their sessions
        self._named: dict[str, trio.Event] = {}  # sessions: whether the client had the response
        self._opening: set[bytes] = set()  # requests of the client whose result names a session
        # Streams by their sessions; that of the connection has none.
        self._streams: set[str] = set()
        self._lost: dict[str, str] = {}  # why, until they are opened again
        # The first response comes before what is on the stream of the connection.
        self._has_begun = trio.Event()
        self._has_failed = False
        self._has_ended = False  # by our DELETE
        self._streams_have_ended = trio.Event()  # after that

    async def run(self) -> int:
        """Bridge until the client closes its stdin."""
        async with self._connected():
            async for line in LineReader():
                if not self._leaves_out(line):
                    await self._send(line)
            waited = self._output.waited
            await self._wait_for_responses()
            self._has_failed |= await self._fail_unanswered()
            self._has_ended = True
            await self._end()
            # Only for a client that is slow: more may be behind what it reads. An agent that leaves
            # its streams open would hold up every end.
            if self._streams and (self._output.is_behind or self._output.waited > waited):
                await self._wait_for(self._streams_have_ended)
        await self._output.write(b"")  # what had come, and was being written
        return 1 if self._has_failed else 0

    @asynccontextmanager
    async def _connected(self) -> AsyncIterator[None]:
        async with trio.open_nursery() as self._nursery:
            connector = Connector(self._service, self._nursery, CONNECT_TIMEOUT)
            self._client = HttpClient(self._service, self._headers, connector)
            try:
                yield
            finally:
                await self._client.close()
            self._nursery.cancel_scope.cancel()

    async def end_by_signal(self) -> int:
        """End the connection of the agent, too: else it would be open until it is idle."""
        status = await super().end_by_signal()
        async with self._connected():
            await self._end()
        return status

    async def _send(self, line: bytes) -> None:
        body = line.removesuffix(b"\n").removesuffix(b"\r")
        if not body.strip():
            return
        message = head_of(body)
        session = self._session_of(message)
        ident = self._note_request(message)
        if self._connection and (session or ident):
            for stream in sorted(_streams_for(message, session)):
                await self._open_stream(stream)
        is_sent, is_taken = trio.Event(), trio.Event()
        self._nursery.start_soon(self._post, body, message, ident, session, is_sent, is_taken)
        # The next one must not overtake what is still being sent, unless the agent reads nothing.
        with trio.move_on_after(ORDERLY + len(body) / SLOWEST):
            await is_sent.wait()
        with trio.move_on_after(ORDERLY):
            await is_taken.wait()

    def _session_of(self, message: dict[str, Any]) -> str:
        if "method" not in message and "id" in message:
            return self._agents_requests.pop(key_of(message["id"]), "")
        if message.get("method") == "$/cancel_request":
            return ""
        if message.get("method") in ("session/new", "session/fork") and "id" in message:
            self._opening.add(key_of(message["id"]))
        return text(fields(message.get("params")).get("sessionId")) or ""

    async def _post(
        self,
        body: bytes,
        message: dict[str, Any],
        ident: bytes,
        session: str,
        is_sent: trio.Event,
        is_taken: trio.Event,
    ) -> None:
        """Send a message; `ident` is its id if it is a request."""
        is_first = message.get("method") == "initialize"
        status = 0
        try:
            response = await self._request(body, session, is_sent)
            status = response.status
            if is_first and status < 300 and (given := response.header("acp-connection-id")):
                self._connection = given
            why = await self._take_response(response, ident, is_taken, is_first=is_first)
        except HttpFailed as error:
            is_sent.set()  # it may not even have begun
            why, status = str(error), 0
            self._has_failed |= not ident or ident in self._pending
        finally:
            is_taken.set()
        if why:
            await self._report(message, ident, why, status)
        elif ident in self._pending:
            self._pending[ident] = _streams_for(message, session)
            await self._fail_without_stream()
        if is_first:
            self._has_begun.set()

    async def _request(self, body: bytes, session: str, is_sent: trio.Event) -> HttpResponse:
        headers = [
            ("content-type", "application/json"),
            ("accept", f"application/json, {EVENT_STREAM}"),
        ]
        return await self._client.request("POST", [*headers, *self._ids(session)], body, is_sent)

    async def _take_response(
        self, response: HttpResponse, ident: bytes, is_taken: trio.Event, *, is_first: bool
    ) -> str:
        """Deliver what a response has; return why it is of no use to the client, if it is not."""
        has_events = is_event_stream(response.header("content-type")) and response.status < 300
        if has_events:
            deliver = partial(self._read_events, response)
        else:
            content = await response.read()
            if response.status == 202 and not _is_message(content):
                content = b""  # what a framework says of it; the response comes on another stream
            if why := _why_unusable(response, content, is_first=is_first):
                return why
            deliver = partial(self._deliver, content)
        is_taken.set()
        if is_first and self._connection:
            await self._begin(deliver)
        else:
            await deliver()
        # With 202 the response comes on another stream.
        if has_events and response.status != 202 and ident in self._pending:
            raise HttpFailed("the stream of the response was lost: the agent closed it")
        return ""

    async def _begin(self, deliver: Callable[[], Awaitable[None]]) -> None:
        """Deliver the first response, after the stream of the connection was opened."""
        try:
            await self._open_stream("")
        except trio.Cancelled:  # the client has ended; the response has come for it
            with trio.move_on_after(LAST_WORDS, shield=True):
                await deliver()
            raise
        await deliver()

    async def _report(
        self, message: dict[str, Any], ident: bytes, why: str, status: int = 0
    ) -> None:
        if not ident:
            what = message.get("method") or ("a response" if "id" in message else "a message")
            self._service.complain_once(f"cannot send {what}: {why}")
        elif ident in self._pending:
            self._service.complain_once(why)
            await self._fail(ident, why, status)

    async def _fail_without_stream(self) -> None:
        """Fail the requests whose response would come on a stream, if none is open."""
        for ident, streams in list(self._pending.items()):
            if streams is not None and streams.isdisjoint(self._streams):
                why = self._lost.get(max(streams)) or "no stream is open for the response"
                self._has_failed = True
                self._service.complain_once(why)
                await self._fail(ident, why)

    def _ids(self, session: str) -> list[tuple[str, str]]:
        spelled = session.encode(errors="surrogatepass").decode("latin-1")  # UTF-8, byte by byte
        ids = (("acp-connection-id", self._connection), ("acp-session-id", spelled))
        return [(name, value) for name, value in ids if value]

    async def _open_stream(self, session: str) -> None:
        """Open the stream of a session, or that of the connection, if it is not open yet."""
        if session in self._streams:
            return
        self._streams.add(session)
        self._lost.pop(session, None)
        is_open = trio.Event()
        self._nursery.start_soon(self._keep_stream, session, is_open)
        with trio.move_on_after(2 * ORDERLY):
            await is_open.wait()

    async def _keep_stream(self, session: str, is_open: trio.Event) -> None:
        """Read a stream; open it again if it is lost."""
        waits = iter(RETRIES)
        while True:
            begun = trio.current_time()
            why, may_try_again = await self._read_stream(session, is_open)
            if trio.current_time() - begun > SOUND:
                waits = iter(RETRIES)
            wait = next(waits, None) if may_try_again and not self._has_ended else None
            if wait is None:
                break
            await trio.sleep(wait)
        is_open.set()  # or there is nothing to wait for
        self._streams.discard(session)
        if self._has_ended:
            if not self._streams:
                self._streams_have_ended.set()
            return
        name = f"the stream of session `{session}`" if session else "the stream of the connection"
        self._lost[session] = f"{name} was lost: {why}"
        self._service.complain_once(self._lost[session])
        await self._fail_without_stream()

    async def _read_stream(self, session: str, is_open: trio.Event) -> tuple[str, bool]:
        """Read a stream to its end; return why it ended, and whether another may do better."""
        try:
            accept = [("accept", EVENT_STREAM), *self._ids(session)]
            response = await self._client.request("GET", accept)
            if response.status != 200:
                body = _beginning(await response.read())
                why = f"HTTP {response.status}" + (f": {body}" if body else "")
                return why, response.status >= 500
            is_open.set()
            if not session:
                await self._has_begun.wait()
            elif (response_comes := self._named.get(session)) is not None:
                await response_comes.wait()  # it names the session, and goes first
            await self._read_events(response)
        except HttpFailed as error:
            return str(error), True
        return "the agent closed it", True

    async def _read_events(self, response: HttpResponse) -> None:
        reader = SseReader()
        # Closed in any case: that closes the connection, if this is cancelled.
        async with aclosing(response.chunks()) as chunks:
            async for chunk in chunks:
                messages = reader.feed(chunk)  # they have been recorded, and nothing after them
                first = self._service.conversations.begin().last + 1 - len(messages)
                for seq, data in enumerate(messages, first):
                    await self._take(data, seq)
                if reader.held > LONGEST_LINE:
                    raise HttpFailed(f"an event is longer than {LONGEST_LINE} bytes")

    async def _take(self, data: bytes, seq: int) -> None:
        message, is_delivered = head_of(data), None
        ident = key_of(message["id"]) if "id" in message else b""
        if "method" in message and ident:
            session = text(fields(message.get("params")).get("sessionId"))
            self._agents_requests[ident] = session or ""
        elif ident in self._opening and ident not in self._failed:
            self._opening.discard(ident)
            if session := text(fields(message.get("result")).get("sessionId")):
                is_delivered = self._named[session] = trio.Event()
                await self._open_stream(session)
        await self._deliver(data, seq)
        if is_delivered is not None:
            is_delivered.set()
        if ident and "method" not in message:
            self._has_begun.set()

    async def _end(self) -> None:
        """End the connection, as the client has ended its own."""
        if self._connection:
            with trio.move_on_after(LAST_WORDS), suppress(HttpFailed):
                response = await self._client.request("DELETE", self._ids(""))
                await response.read()


class SocketBridge(_Bridge):
    """Over a WebSocket: a text message for each line, both ways."""

    transport = "ws"
    _stream: Any = None

    async def run(self) -> int:
        """Bridge until either side ends."""
        try:
            try:
                why = await self._open()
            except (*_GONE, ProtocolError, ExceptionGroup) as error:
                why = f"cannot connect to {self._service.target.shown}: {reason(error)}"
                self._service.observe(self._exchange.lost, "agent", reason(error))
            if not why:
                return await self._carry()
        finally:
            self._service.observe(self._exchange.lost, "proxy")  # nothing, if it is over
            if self._stream is not None:
                await trio.aclose_forcefully(self._stream)
        return await self._refuse_all(why)

    async def _carry(self) -> int:
        status = 0
        async with trio.open_nursery() as nursery:
            self._is_closed = trio.Event()
            self._sending = trio.Lock()  # a reply to a ping or a close waits for a message
            self._pongs = Pongs(self._send_event)
            nursery.start_soon(self._pongs.run)
            nursery.start_soon(self._read)
            with trio.CancelScope() as self._reading:
                async for line in LineReader():
                    if not self._leaves_out(line):
                        await self._send(line)
                await self._wait_for_responses()
                status = int(await self._fail_unanswered())
                self._ended_by_client = True
                # Not waited for: an agent need not read what is being sent.
                nursery.start_soon(self._send_event, CloseConnection(code=1000))
            await self._wait_for(self._is_closed)  # it may be behind what it has to deliver
            if self._pending:
                status = 1
                await self._fail_all(self._why_closed)
            nursery.cancel_scope.cancel()
        by = "proxy" if self._ended_by_client else "agent"
        self._service.observe(self._exchange.socket_end, "client" if by == "proxy" else by)
        await self._output.write(b"")  # what had come, and was being written
        return status

    async def _open(self) -> str:
        """Open the WebSocket; return why the agent has refused it, if it has."""
        self._why_closed = ""
        self._ended_by_client = False
        target = self._service.target
        self._socket = WSConnection(ConnectionType.CLIENT)
        own = [(name.lower(), value) for name, value in self._headers]
        offered = [value for name, value in own if name == "sec-websocket-protocol"]
        extra = [
            (name.encode(), value.encode("latin-1"))
            for name, value in own
            if name != "sec-websocket-protocol"
        ]
        path = target.path or "/acp"
        recorded = [("host", target.authority), ("upgrade", "websocket"), *own]
        self._exchange = self._service.exchange("GET", path, recorded, "")
        self._service.observe(self._exchange.request_end)
        self._stream = await self._service.connect(HTTP_1)
        request = Request(
            host=target.authority,
            target=path,
            extensions=[Deflate()],
            extra_headers=extra,
            subprotocols=[each.strip() for value in offered for each in value.split(",")],
        )
        with trio.move_on_after(CONNECT_TIMEOUT):  # else we would not see the end of stdin
            await self._stream.send_all(self._socket.send(request))
            return await self._take_response()
        raise TimeoutError("it does not respond")

    async def _take_response(self) -> str:
        received = b""
        while True:
            data = bytes(await self._stream.receive_some(CHUNK))
            if not data:
                raise OSError("it closed the connection")
            received += data
            try:
                self._socket.receive_data(data)
            except UnicodeDecodeError:  # wsproto takes all headers for ASCII
                raise RemoteProtocolError("a header of its response is not ASCII") from None
            for event in self._socket.events():
                if isinstance(event, AcceptConnection):
                    self._accepted(event)
                    first = received.partition(b"\r\n\r\n")[2]
                    self._service.observe(self._exchange.socket_data, Peer.AGENT, first)
                    return ""
                if isinstance(event, RejectConnection):
                    return self._rejected(event)

    def _accepted(self, event: AcceptConnection) -> None:
        headers = [(n.decode().lower(), v.decode("latin-1")) for n, v in event.extra_headers]
        if event.extensions:
            agreed = ", ".join(f"{each.name}; {each.offer()}" for each in event.extensions)
            headers.append(("sec-websocket-extensions", agreed))
        self._connection = dict(headers).get("acp-connection-id", "")
        self._service.observe(self._exchange.upgraded, headers, "1.1")

    def _rejected(self, event: RejectConnection) -> str:
        headers = [(n.decode().lower(), v.decode("latin-1")) for n, v in event.headers]
        self._service.observe(self._exchange.response_head, event.status_code, headers, "1.1")
        self._service.observe(self._exchange.response_end)
        if 300 <= event.status_code < 400:
            return _redirection(event.status_code, dict(headers).get("location", ""))
        return f"the agent refused the WebSocket with HTTP {event.status_code}"

    async def _refuse_all(self, why: str) -> int:
        """Respond to every request that there is no agent."""
        self._service.complain_once(why)
        async for line in LineReader():
            if self._leaves_out(line):
                continue
            if line.strip():
                ident = self._note_request(head_of(line))
                self._record_unsent(line.removesuffix(b"\n"))
                await self._fail(ident, why)
        return 1

    async def _send(self, line: bytes) -> None:
        payload = line.removesuffix(b"\n").removesuffix(b"\r")
        if not payload.strip():
            return
        self._note_request(head_of(payload))
        if not await self._send_event(TextMessage(data=payload.decode(errors="replace"))):
            self._record_unsent(payload)

    async def _send_event(self, event: Any) -> bool:
        """
        Send something. `False` if the agent has closed the socket.

        The client is read no more if that fails. What the agent has sent before is still to come.
        """
        async with self._sending:
            try:
                data = bytes(self._socket.send(event))
            except ProtocolError:
                self._reading.cancel()
                return False
            self._service.observe(self._exchange.socket_data, Peer.CLIENT, data)
            try:
                await self._stream.send_all(data)
            except _GONE:
                self._reading.cancel()
            return True

    async def _read(self) -> None:
        message = SocketMessage()
        self._why_closed = "the agent closed the connection"
        try:
            with trio.CancelScope() as self._listening:
                for event in self._socket.events():  # what came with the response
                    await self._take(event, message)
                while data := bytes(await self._stream.receive_some(CHUNK)):
                    self._service.observe(self._exchange.socket_data, Peer.AGENT, data)
                    self._socket.receive_data(data)
                    for event in self._socket.events():
                        await self._take(event, message)
        except (*_GONE, ProtocolError) as error:
            self._why_closed = f"the connection was lost: {reason(error)}"
        self._is_closed.set()
        self._reading.cancel()

    async def _take(self, event: Any, message: SocketMessage) -> None:
        """Take an event of the agent's, which may be a part of `message`."""
        if isinstance(event, TextMessage):
            payload = message.add(event)
            if payload is not None:
                await self._deliver(payload)
        elif isinstance(event, BytesMessage):
            self._service.complain_once("a binary WebSocket message was ignored")
        elif isinstance(event, Ping):
            self._pongs.reply_to(event)
        elif isinstance(event, CloseConnection):
            # wsproto gives the same event for what it cannot read.
            is_by_agent = self._socket.state not in _OPEN_FOR_AGENT
            code = f"{int(event.code)} {event.reason}" if event.reason else f"{int(event.code)}"
            self._why_closed = (
                f"the agent closed the connection with code {code}"
                if is_by_agent
                else f"the agent broke the WebSocket protocol: {event.reason}"
            )
            # For our reply, which an agent need not read, and for its end of the connection.
            self._listening.deadline = trio.current_time() + LAST_WORDS
            await self._send_event(event.response())
            if not is_by_agent:  # nothing after it can be read
                self._listening.cancel()


def _streams_for(message: dict[str, Any], session: str) -> frozenset[str]:
    """Return the streams that may bring the response to a request, by their sessions."""
    return frozenset(("", session) if message.get("method") in _ON_EITHER else (session,))


def _beginning(body: bytes) -> str:
    """Return what a person would read of a body that is no message."""
    return cut_at_word(
        body[: 5 * _LONGEST_DETAIL].decode(errors="replace").strip(), _LONGEST_DETAIL
    )


def _is_message(content: bytes) -> bool:
    """Whether it is a message, or several; most frameworks have something to say of a 202."""
    value = value_of(content)
    return isinstance(value, list) or not {"id", "method"}.isdisjoint(fields(value))


def _why_unusable(response: HttpResponse, content: bytes, *, is_first: bool) -> str:
    """Return why a response to a POST is of no use to the client; empty if it is."""
    status = response.status
    if status >= 400:
        detail = _beginning(content)
        return f"the agent refused it with HTTP {status}" + (f": {detail}" if detail else "")
    if status >= 300:
        return _redirection(status, response.header("location"))
    if content.strip() and value_of(content) is None:
        kind = response.header("content-type").partition(";")[0] or "something"
        return f"the agent responded with {kind} instead of JSON (HTTP {status}): check the URL"
    if is_first and not content.strip() and not response.header("acp-connection-id"):
        return f"the agent responded with nothing (HTTP {status}): check the URL"
    return ""


def _redirection(status: int, location: str) -> str:
    where = without_credentials(location) or "nowhere"
    return f"the agent redirects to {where} (HTTP {status}): use that URL"
