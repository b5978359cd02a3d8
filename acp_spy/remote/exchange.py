"""
One HTTP request and its response, as they pass: what of them is recorded, and when.

The code that carries the bytes calls a method here before it sends them on. Nothing here waits or
raises: a bug of ours ends the recording, not the traffic.
"""

import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress

import msgspec

from acp_spy.capture.records import Disconnect, HttpExchange
from acp_spy.remote.body_copy import Decoded
from acp_spy.remote.conversations import Conversation, Conversations
from acp_spy.remote.credentials import credentials_in, recorded, without_credentials
from acp_spy.remote.message_head import head_of, value_of
from acp_spy.remote.room import LARGE
from acp_spy.remote.socket_copy import SocketCopy
from acp_spy.remote.sse import SseReader
from acp_spy.units import counted
from acp_spy.wire.cut import cut_at_word
from acp_spy.wire.frame import Peer, Via
from acp_spy.wire.framing import LONGEST_LINE
from acp_spy.wire.values import fields

LONGEST_BODY = 4096  # characters of a body that is no message
MOST_HELD = 64 * 1024  # bytes of a body for which the head of the response waits
PART = 8 * 1024 * 1024  # bytes of a message that is recorded in parts
EVENT_STREAM = "text/event-stream"

Headers = Iterable[tuple[str, str]]


class Rules(msgspec.Struct, frozen=True):
    """What of an exchange is recorded: credentials only if they are kept."""

    keep_credentials: bool = False


class Exchange:
    """
    Follows one exchange. `headers` has names in lower case, `http` is the client's version.

    `is_held` while the head of a response must wait for the rest of it.
    """

    def __init__(
        self,
        conversations: Conversations,
        rules: Rules,
        method: str,
        path: str,
        headers: Headers,
        http: str,
    ) -> None:
        self._conversations = conversations
        self._rules = rules
        self._headers = list(headers)
        self._started = time.monotonic()
        named = dict(self._headers)
        self.method = method
        self._whole_path = path
        self._path = path if rules.keep_credentials else without_credentials(path)
        self._http = http
        self._http_target = ""
        self._connection = named.get("acp-connection-id", "")
        self._session = session_in(named)
        self.is_upgrade = named.get("upgrade", "").lower() == "websocket"
        self._opens = self.is_upgrade and not self._connection  # a conversation
        self._accepts_events = EVENT_STREAM in named.get("accept", "")
        self._copy = Decoded(named.get("content-encoding", ""), LONGEST_LINE)
        self._body = bytearray()
        self._is_cut = False  # the start of the body was recorded already
        self._request = 0
        self.conversation: Conversation | None = None
        self._status = 0
        self._response_headers: dict[str, str] = {}
        self._response: dict[str, str] = {}
        self._number = 0
        self.is_held = False
        self.is_stream = False
        self.is_over = False
        self.is_unsent = False  # the target takes no more requests at once
        self._sse: SseReader | None = None
        self._heard = self._silence = 0.0
        self._sockets: dict[Peer, SocketCopy] = {}
        self._socket_messages = 0
        self._via_socket = Via("ws", "connection")
        self._closed_by: Peer | None = None
        self._error = ""

    # ------------------------------------------------------------------------- the request

    def request_data(self, data: bytes) -> None:
        """Take a part of the request's body."""
        self._body += self._copy.feed(data)
        if len(self._body) > LARGE and self._conversations.room.is_too_much(self):
            self._enter()
            for part in self._taken_parts():
                self._record_request(part)

    def request_end(self) -> None:
        """Take the end of the request: its body is recorded."""
        self._enter()
        if self._body:
            self._record_request(self._taken_body())

    @property
    def held(self) -> int:
        """How many bytes of messages there are that are not complete."""
        sockets = sum(copy.held for copy in self._sockets.values())
        return len(self._body) + sockets + (self._sse.held if self._sse else 0)

    def _taken_body(self) -> bytes:
        """Return what has come of a body, and hold it no longer."""
        body, self._body = self._body, bytearray()
        return bytes(body)

    def _taken_parts(self) -> Iterator[bytes]:
        """Return a body that is too long in parts: copies of it that are as long would be."""
        body, self._body = self._body, bytearray()
        self._is_cut = True
        return _parts(body)

    def _enter(self) -> None:
        """Find the conversation, once."""
        if self.conversation is not None:
            return
        if self.is_upgrade:
            self.conversation = self._conversations.begin()
        else:
            is_new = self.method == "POST" and not self._connection
            with suppress(MemoryError):  # which is said when the message itself is recorded
                self._opens = is_new and _is_initialize(self._body)
            self.conversation = self._conversations.of_request(
                self._connection, self._session, opens=self._opens
            )
        self.conversation.in_use += 1
        self.conversation.learn(credentials_in(self._headers, self._whole_path))

    def _record_request(self, body: bytes) -> None:
        assert self.conversation is not None
        via = Via("http", "post", self._connection, self._session)
        self._request = self.conversation.messages(Peer.CLIENT, [body], via)

    @property
    def stream(self) -> str:
        """The stream that this exchange is or opens, as in `via`; empty if it is none."""
        if self.method == "POST":
            return "post"
        if self.method == "GET" and self.is_upgrade:
            return "connection"
        if self.method == "GET" and self._accepts_events:
            return "session" if self._session else "connection"
        return ""

    # ------------------------------------------------------------------------- the response

    def response_head(self, status: int, headers: Headers, http: str) -> None:
        """Take the head of the response, unless it opens a WebSocket."""
        self._enter()
        assert self.conversation is not None
        self._status, self._http_target = status, http
        self._response = dict(headers := list(headers))
        self._response_headers = self._recorded(headers)
        self.conversation.learn(credentials_in(headers))
        self._copy = Decoded(self._response.get("content-encoding", ""), LONGEST_LINE)
        self._body.clear()
        self._is_cut = False
        self._heard = time.monotonic()
        opens = self._opens and status < 300
        self._conversations.bind(self.conversation, *self._ids, opens=opens)
        if is_event_stream(self._response.get("content-type", "")) and status < 300:
            self.is_stream = True
            self._sse = SseReader()
            if unknown := self._copy.unknown:
                self._error = f"cannot read the events: they are compressed with `{unknown}`"
            self._record_exchange()
        else:
            self.is_held = True

    def _recorded(self, headers: Headers) -> dict[str, str]:
        return recorded(headers, keep=self._rules.keep_credentials, request=self._headers)

    @property
    def is_encoded(self) -> bool:
        """Whether the body of the response is compressed."""
        return "content-encoding" in self._response

    @property
    def _ids(self) -> tuple[str, str]:
        given = self._response
        return given.get("acp-connection-id", ""), session_in(given)

    def response_data(self, data: bytes) -> None:
        """Take a part of the response's body; messages in it are recorded."""
        if self._sse:
            self.response_events(data, [], b"")
            return
        self._body += self._copy.feed(data)
        if self.is_held and len(self._body) > MOST_HELD:
            self.release()
        if len(self._body) > LARGE and self._conversations.room.is_too_much(self):
            for part in self._taken_parts():
                self._record_response([part])

    def response_events(self, before: bytes, messages: list[msgspec.Raw], after: bytes) -> None:
        """Take a part of the body of an event stream: `messages` in it were found already."""
        assert self._sse is not None
        self._measure_silence()
        if self._copy.unknown:
            return
        self._read_events(before)
        if messages:
            self._sse.skip(len(messages))
            assert self.conversation is not None
            self.conversation.found_messages(Peer.AGENT, messages, self._via_response)
        self._read_events(after)

    def _read_events(self, data: bytes) -> None:
        sse = self._sse
        assert sse is not None
        if data and (found := sse.feed(self._copy.feed(data))):
            self._record_response(found)
        if sse.held > LARGE and self._conversations.room.is_too_much(self):
            for part in _parts(sse.take_held()):
                self._record_response([part])

    def response_end(self) -> None:
        """Take the end of the response."""
        if self.is_stream:
            self._disconnect("agent")
        else:
            body = self._taken_body()
            is_message = bool(body) and (self._is_cut or _is_message(body))
            if not self._number:
                self._record_exchange(body="" if is_message else self._shown(body))
            self.is_held = False
            if is_message:
                self._record_response([body])
        self._leave()

    def _shown(self, body: bytes) -> str:
        if body and (unknown := self._copy.unknown):
            return f"{len(body)} bytes, compressed with `{unknown}`"
        return _text(body)

    def release(self) -> None:
        """Let the head go on, although the rest of the response has not come yet."""
        if self.is_held:
            self.is_held = False
            self._record_exchange()

    def _record_response(self, messages: list[bytes]) -> None:
        assert self.conversation is not None
        self.conversation.messages(Peer.AGENT, messages, self._via_response)

    @property
    def _via_response(self) -> Via:
        connection = self._connection or self._ids[0]
        return Via("http", self.stream or "post", connection, self._session, self._status)

    # ------------------------------------------------------------------------- a WebSocket

    def upgraded(self, headers: Headers, http: str) -> None:
        """Take the response that opens the WebSocket."""
        self._enter()
        assert self.conversation is not None
        self._status, self._http_target = 101, http
        self._response = dict(headers := list(headers))
        self._response_headers = self._recorded(headers)
        self.conversation.learn(credentials_in(headers))
        self._heard = time.monotonic()
        self._conversations.bind(self.conversation, *self._ids, opens=self._opens)
        self.is_stream = True
        self._record_exchange()
        connection = self._connection or self._ids[0]
        self._via_socket = Via("ws", "connection", connection, self._session)
        agreed = self._response.get("sec-websocket-extensions", "")
        self._sockets = {peer: SocketCopy(peer, agreed) for peer in Peer}

    def socket_data(self, sender: Peer, data: bytes) -> None:
        """Take bytes on the WebSocket; the messages that they complete are recorded."""
        copy = self._sockets[sender]
        if sender is Peer.AGENT:
            self._measure_silence()
        assert self.conversation is not None
        messages = copy.feed(data)
        self._socket_messages += len(messages)
        for message, is_binary in messages:
            via = self._via_socket
            if is_binary:
                via = msgspec.structs.replace(via, binary=True)
            self.conversation.messages(sender, [message], via)
        if copy.has_closed and self._closed_by is None:
            self._closed_by = sender
        if copy.held > LARGE and self._conversations.room.is_too_much(self):
            copy.stop("too much waits for the end of messages")
        if why := copy.failure:
            self._error = f"cannot read what the {sender.value} sends: {why}"

    def socket_end(self, by: str) -> None:
        """Take the end of the WebSocket's connection; `by` ended it, unless by a close frame."""
        self._disconnect(by)
        assert self.conversation is not None
        self._leave()
        if by != "proxy":
            self._conversations.end(self.conversation, self._closed_by or Peer(by))

    # ------------------------------------------------------------------------- failures

    def responded_by_us(self, status: int, body: str, error: str = "") -> None:
        """Record a response of our own."""
        self._enter()
        self._status = status
        self._record_exchange(body=body, by="proxy", error=error)
        self._leave()

    def lost(self, by: str, error: str = "") -> None:
        """Take the end of a connection before the response was complete; `by` ended it."""
        if self.is_over or self.conversation is None:
            return
        self._error = self._error or error
        if self._sockets:
            self.socket_end(by)
            return
        if self.is_stream:
            self._note_rest()
            self._disconnect(by, lost=by != "client")
        elif not self._number:
            why = error or f"the {by} closed the connection before the response was complete"
            why = f"acp-spy did not send it: {why}" if self.is_unsent else why
            body = self._taken_body() if self._status else b""
            by = "proxy" if self.is_unsent else ""
            self._record_exchange(body=self._shown(body), by=by, error=why)
        elif by == "agent":  # its head was recorded when it was forwarded
            self._note_rest()
            if self._is_cut and (rest := self._taken_body()):
                self._record_response([rest])
            self._disconnect(by, lost=True)
        self._leave()

    def _note_rest(self) -> None:
        """Say in an error that a message was begun: what does not end is not recorded."""
        if self._error and self.held:
            self._error += f"; {counted(self.held, 'byte')} of a message that did not end had come"

    def _leave(self) -> None:
        if self.is_over:
            return
        self.is_over = True
        conversation = self.conversation
        assert conversation is not None
        conversation.in_use -= 1
        was_refused = (self._status or 500) >= 400 and self.stream == "post"
        # A browser asks first whether its page may send the request that opens a conversation.
        only_asked = self.method == "OPTIONS" and self._number == 1
        if ((was_refused or only_asked) and not conversation.keys) or (
            self.is_upgrade and not self._sockets
        ):
            conversation.has_failed = True
        if self.method == "DELETE" and 200 <= self._status < 300:
            self._conversations.end(conversation, Peer.CLIENT)
        else:
            self._conversations.settle(conversation)

    # ------------------------------------------------------------------------- records

    def _record_exchange(self, *, body: str = "", by: str = "", error: str = "") -> None:
        assert self.conversation is not None
        now = time.monotonic()
        self._number = self.conversation.exchange(
            lambda t, number: HttpExchange(
                t,
                number,
                "ws" if self.is_upgrade else "http",
                self.method,
                self._path,
                self.stream,
                self._connection,
                self._session,
                self._request,
                self._status,
                by,
                self._http,
                self._http_target,
                round(now - self._started, 6),
                recorded(
                    (pair for pair in self._headers if pair[0] not in _IN_FIELDS),
                    keep=self._rules.keep_credentials,
                ),
                self._response_headers,
                body,
                error,
            )
        )

    def _disconnect(self, by: str, *, lost: bool = False) -> None:
        assert self.conversation is not None
        if self.is_stream:
            self._measure_silence()
        for part in _parts(self._sse.close()) if self._sse else ():
            self._record_response([part])
        copy = self._sockets.get(self._closed_by) if self._closed_by else None
        if self._sockets:
            lost = copy is None
        self.conversation.disconnect(
            lambda t: Disconnect(
                t,
                self._number,
                "ws" if self._sockets else "http",
                self.stream,
                self._closed_by.value if self._closed_by else by,
                self._connection or self._ids[0],
                self._session,
                lost,
                copy.code if copy else 0,
                copy.reason if copy else "",
                self._error,
                self._sse.events if self._sse else self._socket_messages,
                self._sse.comments if self._sse else 0,
                round(self._silence, 6),
            )
        )

    def _measure_silence(self) -> None:
        now = time.monotonic()
        self._silence = max(self._silence, now - self._heard)
        self._heard = now


def _parts(body: bytearray) -> Iterator[bytes]:
    return (bytes(body[start : start + PART]) for start in range(0, len(body), PART))


_IN_FIELDS = frozenset({"acp-connection-id", "acp-session-id"})


def session_in(headers: Mapping[str, str]) -> str:
    """Return the session that headers name: they are read byte by byte, an id is mostly UTF-8."""
    value = headers.get("acp-session-id", "")
    if value.isascii():
        return value
    try:
        return value.encode("latin-1").decode()
    except UnicodeError:
        return value


def is_event_stream(content_type: str) -> bool:
    """Whether a header names SSE: in any case, with any parameters."""
    return content_type.lower().startswith(EVENT_STREAM)


class _Method(msgspec.Struct):
    method: str = ""


_decode_method = msgspec.json.Decoder(_Method).decode


def _is_initialize(body: bytes | bytearray) -> bool:
    try:
        return _decode_method(body).method == "initialize"
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return head_of(bytes(body)).get("method") == "initialize"


def _is_message(body: bytes) -> bool:
    """Whether a response's body is a JSON-RPC message, or a batch of them."""
    if len(body) > LARGE:  # its values would take many times as much
        return _is_large_message(body)
    value = value_of(body)
    first = value[0] if isinstance(value, list) and value else value
    found = fields(first)
    return "jsonrpc" in found or ("id" in found and ("result" in found or "error" in found))


class _Envelope(msgspec.Struct):
    jsonrpc: msgspec.Raw = msgspec.Raw()
    id: msgspec.Raw = msgspec.Raw()
    result: msgspec.Raw = msgspec.Raw()
    error: msgspec.Raw = msgspec.Raw()


_decode_envelope = msgspec.json.Decoder(_Envelope).decode


def _is_large_message(body: bytes) -> bool:
    if body[:LARGE].lstrip().startswith(b"["):
        return True  # a batch, or some other list: who reads the capture will see
    try:
        found = _decode_envelope(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    return bool(found.jsonrpc or (found.id and (found.result or found.error)))


def _text(body: bytes) -> str:
    return cut_at_word(body[: 5 * LONGEST_BODY].decode(errors="replace"), LONGEST_BODY)
