"""
HTTP/2 on one connection: streams that are read and written each for itself.

One task reads for all streams, one writes for all, so that a stream that is cancelled leaves no
half of a frame behind. What came is acknowledged when more is asked for: a peer may send 64 KiB per
stream beyond what the other side has taken.

Each stream has its task, and trio wakes tasks in any order. So that messages go on in the order in
which they came, what comes on a stream is taken only when the one before has handed on what it has,
or cannot: its other side may not take it.
"""

import math
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import trio
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.errors import ErrorCodes
from h2.events import (
    DataReceived,
    InformationalResponseReceived,
    RemoteSettingsChanged,
    RequestReceived,
    ResponseReceived,
    StreamEnded,
    StreamReset,
    TrailersReceived,
    WindowUpdated,
)
from h2.exceptions import FrameTooLargeError, H2Error
from h2.settings import SettingCodes, Settings

from acp_spy.remote.listening import MOST_STREAMS

CHUNK = 64 * 1024
MOST_HEADS = 64  # informational responses that nobody has taken
MOST_OUTPUT = 256 * 1024  # bytes of responses to pings and the like that the peer does not read
CONNECTION_WINDOW = 8 * 1024 * 1024  # so that streams which nobody reads do not stop the others
MOST_ROUNDS = 100  # of trio's tasks, for a stream to hand on what came; a dozen are usual
LINGER = 1.0  # seconds for a peer to read why we end the connection
SETTINGS_TIMEOUT = 5.0  # seconds for a peer to say how many requests it takes
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"  # the first bytes of a client
_HEAD, _GOAWAY = 9, 7  # the size of a frame's head, and the type in it
_LARGEST_FRAME = 16 * 1024  # the least that is allowed, and the default
_KNOWN_SETTINGS = frozenset(SettingCodes)
_GONE = (trio.BrokenResourceError, trio.ClosedResourceError, OSError)

RawHeaders = list[tuple[bytes, bytes]]


class StreamLost(trio.BrokenResourceError):
    """A stream has ended before its time; `code` is the peer's error code."""

    def __init__(self, text: str, code: int = ErrorCodes.INTERNAL_ERROR) -> None:
        super().__init__(text)
        self.code = code


class NotSentError(OSError):
    """A request has waited for too long until the target takes it."""


class Http2Connection:
    """
    One connection; `streams` has those that are open, by their numbers.

    `on_request` is called with each stream that a client opens. Without it we are the client.
    A connection without streams is closed after `idle` seconds.
    """

    def __init__(
        self,
        stream: Any,
        on_request: "Callable[[Http2Stream], Awaitable[None]] | None" = None,
        idle: float = math.inf,
    ) -> None:
        self._stream = stream
        self._idle = idle
        self._on_request = on_request
        is_client = on_request is None
        self.h2 = H2Connection(H2Configuration(client_side=is_client, header_encoding=None))
        self.h2.local_settings = Settings(
            client=is_client,
            initial_values={
                SettingCodes.MAX_CONCURRENT_STREAMS: MOST_STREAMS,
                SettingCodes.MAX_HEADER_LIST_SIZE: CHUNK,
                **({SettingCodes.ENABLE_PUSH: 0} if is_client else {}),
            },
        )
        self.h2.remote_settings = KnownSettings(client=not is_client)
        self.streams: dict[int, Http2Stream] = {}
        self.is_going = False  # the peer takes no more requests
        self._has_settings = False  # of the peer
        self._opening = trio.StrictFIFOLock()
        self._events_opening = 0  # event streams that wait for their places
        self._last: Http2Stream | None = None  # on which something came
        self._reading = trio.CancelScope()
        self._why_lost = ""
        self._incoming = Incoming(0 if is_client else len(PREFACE))
        self._out = bytearray()
        self._has_output, self._is_sent, self._change = trio.Event(), trio.Event(), trio.Event()
        self._is_last_sent = trio.Event()  # what is being sent
        self._is_last_sent.set()
        self.h2.initiate_connection()  # now: a request may be sent before it runs
        self.h2.increment_flow_control_window(CONNECTION_WINDOW)
        self.push()

    async def run(self, start: bytes = b"") -> None:
        """Carry until the connection ends; `start` is what was already read from it."""
        why = "the connection was closed"
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._write)
                with self._reading:
                    await self._read(start)
                if self._reading.cancel_called:  # the peer still reads, and this was our end
                    with trio.move_on_after(LINGER):
                        await self.flush()
                nursery.cancel_scope.cancel()
        except* _GONE:
            why = "the connection was lost"
        except* H2Error as errors:
            why = f"not HTTP/2: {errors.exceptions[0]}"
            with trio.move_on_after(LINGER), suppress(*_GONE):
                self.push()  # a GOAWAY that says so
                await self._stream.send_all(self._out)
        finally:
            self.lose(why)
            with trio.CancelScope(shield=True):
                await trio.aclose_forcefully(self._stream)

    async def open(
        self, head: RawHeaders, *, is_all: bool, has_events: bool = False
    ) -> "Http2Stream":
        """
        Begin a request with its head, once the peer allows for one more.

        Those that wait get their places in the order in which they came.
        """
        self._events_opening += has_events
        try:
            async with self._opening:
                while not self.is_going and self.h2.open_outbound_streams >= self._most_streams:
                    await self.wait_for_change()
                if self.is_going:
                    raise StreamLost(self._why_lost or "the peer takes no more requests")
                stream = Http2Stream(self, self.h2.get_next_available_stream_id())
                stream.has_events = has_events
                self.streams[stream.ident] = stream
                stream.queue_head(head, is_all=is_all)
                return stream
        finally:
            self._events_opening -= has_events

    async def has_place_for_events(self, spare: int = 0) -> bool:
        """Whether one more event stream would leave `spare` places, as soon as that is known."""
        with trio.move_on_after(SETTINGS_TIMEOUT):
            while not (self._has_settings or self.is_going):
                await self.wait_for_change()
        events = sum(stream.has_events for stream in self.streams.values())
        return events + self._events_opening + spare < self._most_streams

    @property
    def _most_streams(self) -> int:
        """How many requests there may be at once: one, until the peer has said it."""
        return self.h2.remote_settings.max_concurrent_streams if self._has_settings else 1

    def push(self) -> None:
        """Let what is to be sent be sent."""
        self._out += self.h2.data_to_send()
        if self._out:
            self._has_output.set()

    async def flush(self) -> None:
        """Wait until all that is to be sent has been sent."""
        self.push()
        is_sent = self._is_sent if self._out else self._is_last_sent
        if not self._why_lost:
            await is_sent.wait()
        if self._why_lost:
            raise StreamLost(self._why_lost)

    async def wait_for_change(self) -> None:
        """Wait until the peer has taken something, a stream has ended, or the peer has gone."""
        await self._change.wait()

    def lose(self, why: str) -> None:
        """Take note that nothing will be sent or received any more."""
        self._why_lost = self._why_lost or why
        self.is_going = True
        for stream in list(self.streams.values()):
            stream.lose(StreamLost(self._why_lost))
        self._is_sent.set()
        self.changed()

    def changed(self) -> None:
        """Wake who waits for a change."""
        self._change.set()
        self._change = trio.Event()

    async def _write(self) -> None:
        while True:
            await self._has_output.wait()
            self._has_output = trio.Event()
            data, self._out = self._out, bytearray()
            is_sent = self._is_last_sent = self._is_sent
            self._is_sent = trio.Event()
            try:
                await self._stream.send_all(data)
            except _GONE:
                if self._on_request:
                    raise
                self.is_going = True  # what the target has sent before is still to be read
                self.changed()
                self.end_if_done()
            finally:
                is_sent.set()

    async def _read(self, data: bytes) -> None:
        while True:
            try:
                data = self._incoming.without_goaway(data)
            except FrameTooLargeError as error:
                self.h2.close_connection(error.error_code)
                raise
            for event in self.h2.receive_data(data):
                await self._take(event)
            for last, code in self._incoming.goaways():
                self._end(last, code)
            self.push()
            if len(self._out) > MOST_OUTPUT:
                await self.flush()
            data = await self._receive()
            if not data:
                return

    async def _receive(self) -> bytes:
        while True:
            with trio.move_on_after(self._idle):
                return bytes(await self._stream.receive_some(CHUNK))
            if not self.streams:
                return b""

    def end_if_done(self) -> None:
        """End a connection on which the peer takes no more requests, and all have ended."""
        if self.is_going and not self.streams and self._on_request is None:
            self._reading.cancel()

    def _end(self, last: int, code: int) -> None:
        """Take a GOAWAY: requests after `last` are not processed, those before it go on."""
        self.is_going = True
        self.changed()
        for stream in list(self.streams.values()):
            if stream.ident > last and stream.is_ours:
                why = f"the connection was closed: {_name(code)}"
                stream.lose(StreamLost(why, ErrorCodes.REFUSED_STREAM))  # so it may be sent again
        self.end_if_done()

    async def _take(self, event: Any) -> None:
        if isinstance(event, WindowUpdated | RemoteSettingsChanged):
            self._has_settings = self._has_settings or isinstance(event, RemoteSettingsChanged)
            self.changed()
            return
        ident = getattr(event, "stream_id", None) or 0
        if isinstance(event, StreamReset):  # which overtakes what waits
            self._take_reset(ident, int(event.error_code or 0))
            return
        await self._let_hand_on(ident)
        if isinstance(event, RequestReceived) and self._on_request:
            stream = self.streams[ident] = self._last = Http2Stream(self, ident)
            stream.take_head(event.headers)
            await self._on_request(stream)
            return
        found = self._last = self.streams.get(ident)
        if isinstance(event, DataReceived):
            size = event.flow_controlled_length
            if found:
                found.take_data(event.data, size)
            else:
                self.h2.acknowledge_received_data(size, ident)
        elif found is None:
            return
        elif isinstance(event, ResponseReceived | InformationalResponseReceived):
            found.take_head(event.headers)
        elif isinstance(event, TrailersReceived):
            found.trailers = list(event.headers)
        elif isinstance(event, StreamEnded):
            found.take_end()
            self.changed()

    def _take_reset(self, ident: int, code: int) -> None:
        if stream := self.streams.get(ident):
            stream.lose(StreamLost(f"the stream was reset: {_name(code)}", code))
            self.changed()

    async def _let_hand_on(self, ident: int) -> None:
        """Before something is taken for a stream, let the one before hand on what it has."""
        last = self._last
        if last is None or last.ident == ident or last.is_held_up:
            return
        for _ in range(MOST_ROUNDS):
            if last.has_handed_on:
                return
            await trio.lowlevel.checkpoint()
        last.is_held_up = True


class KnownSettings(Settings):
    """
    A peer's settings, without those that mean nothing: h2 keeps all and looks at each, every time.

    After 65,000 of them, an empty frame took ten milliseconds.
    """

    def __setitem__(self, key: SettingCodes | int, value: int) -> None:
        """Ignore what is not known, as RFC 9113, 6.5.2 says."""
        if key in _KNOWN_SETTINGS:
            super().__setitem__(key, value)


class Http2Stream:
    """One stream: what came on it and is not taken yet, and what is sent on it."""

    def __init__(self, connection: Http2Connection, ident: int) -> None:
        self._connection = connection
        self._h2 = connection.h2
        self.ident = ident
        self.is_ours = self._h2.config.client_side
        self.heads: deque[RawHeaders] = deque()
        self.trailers: RawHeaders = []
        self.has_ended = self.has_sent_all = False
        self.error: StreamLost | None = None
        self._body = bytearray()
        self._size = self._taken = 0  # as the windows count: of the body, and of what was taken
        self._news = trio.Event()
        self._is_awaited = False
        self.is_held_up = False  # it could not hand on what came, the last time
        self.has_events = False  # it is an event stream, which does not end
        self.when_lost: Callable[[], None] | None = None  # is called when the peer ends it

    # ------------------------------------------------------------------------- what comes

    def take_head(self, headers: Any) -> None:
        """Take headers that came, of a request or of a response."""
        self.heads.append(list(headers))
        if len(self.heads) > MOST_HEADS:
            self.close(ErrorCodes.ENHANCE_YOUR_CALM)
        self._news.set()

    def take_data(self, data: bytes, size: int) -> None:
        """Take a part of the body, which is of `size` for the windows."""
        self._body += data
        self._size += size
        self._news.set()

    def take_end(self) -> None:
        """Take note that all has come."""
        self.has_ended = True
        self._news.set()

    def lose(self, error: StreamLost) -> None:
        """Take note that no more will come, and nothing can be sent."""
        self.error = self.error or error
        self._news.set()
        if self.when_lost:
            self.when_lost()

    def body(self) -> bytes:
        """Return what has come of the body. It is acknowledged by the next call of `wait`."""
        data = bytes(self._body)
        self._body.clear()
        self._taken += self._size
        self._size = 0
        return data

    @property
    def is_empty(self) -> bool:
        """Whether it has ended, and there is nothing of a body to take."""
        return self.has_ended and not self._body

    @property
    def has_handed_on(self) -> bool:
        """Whether somebody waits for more, or nobody does any longer."""
        is_open = self._connection.streams.get(self.ident) is self
        return not is_open or (self._is_awaited and not self._news.is_set())

    async def wait(self) -> None:
        """Let the peer send as much as was taken, and wait for more. Raises `StreamLost`."""
        self._acknowledge()
        if self.error:
            raise self.error
        if self._is_awaited:
            raise trio.BusyResourceError("another task waits for this stream")
        self._is_awaited = True
        self.is_held_up = False
        try:
            await self._news.wait()
        finally:
            self._is_awaited = False
        self._news = trio.Event()

    async def wait_until_lost(self) -> None:
        """Wait until the peer has reset it, or has gone; what comes meanwhile is kept."""
        with suppress(StreamLost):
            while True:
                await self.wait()

    def _acknowledge(self) -> None:
        if self._taken:
            with suppress(H2Error):
                self._h2.acknowledge_received_data(self._taken, self.ident)
            self._connection.push()
        self._taken = 0

    # ------------------------------------------------------------------------- what is sent

    def queue_head(self, headers: RawHeaders, *, is_all: bool = False) -> None:
        """Let headers be sent: of a request or a response, or trailers."""
        with self._lost_if_impossible():
            self._h2.send_headers(self.ident, headers, end_stream=is_all)
        self.has_sent_all = is_all

    async def queue(self, data: bytes) -> None:
        """Let a part of the body be sent, as the peer makes room for it."""
        rest = memoryview(data)
        while rest:
            with self._lost_if_impossible():
                window = self._h2.local_flow_control_window(self.ident)
                size = min(window, self._h2.max_outbound_frame_size, len(rest))
                if size > 0:
                    self._h2.send_data(self.ident, bytes(rest[:size]))
                    rest = rest[size:]
                    continue
            self._connection.push()
            await self._connection.wait_for_change()

    def queue_end(self, trailers: RawHeaders) -> None:
        """Let the end of the body be sent."""
        if trailers:
            self.queue_head(trailers, is_all=True)
            return
        with self._lost_if_impossible():
            self._h2.end_stream(self.ident)
        self.has_sent_all = True

    async def flush(self) -> None:
        """Wait until what is to be sent has been sent."""
        await self._connection.flush()

    def close(self, code: int = ErrorCodes.INTERNAL_ERROR) -> None:
        """Be done with it; if it is not over, the peer is told so with `code`."""
        self.body()
        self._acknowledge()
        if not (self.has_ended and self.has_sent_all) and not self.error:
            with suppress(H2Error):
                self._h2.reset_stream(self.ident, code)
            self._connection.push()
        self.when_lost = None
        self.lose(StreamLost("the stream is closed", code))
        self._connection.streams.pop(self.ident, None)
        self._connection.changed()
        self._connection.end_if_done()

    @contextmanager
    def _lost_if_impossible(self) -> Iterator[None]:
        if self.error:
            raise self.error
        try:
            yield
        except H2Error as error:
            raise StreamLost(f"{error}") from None


class Incoming:
    """
    Bytes from a peer, without GOAWAY frames.

    h2 takes a GOAWAY as the end of everything, but the requests before it are still responded to:
    nginx sends one after a thousand requests, whatever streams are open.
    """

    def __init__(self, skip: int) -> None:
        self._left = skip  # bytes to the next frame
        self._held = b""
        self._found: list[tuple[int, int]] = []

    def without_goaway(self, data: bytes) -> bytes:
        """Return what the parser is to see."""
        data = self._held + data
        position = min(self._left, len(data))
        self._left -= position
        kept = [data[:position]]
        while len(data) - position >= _HEAD:
            end = position + _HEAD + int.from_bytes(data[position : position + 3], "big")
            if end - position > _HEAD + _LARGEST_FRAME:  # h2 would wait for all of it
                raise FrameTooLargeError(f"a frame of {end - position - _HEAD} bytes")
            if data[position + 3] != _GOAWAY:
                kept.append(data[position:end])
                self._left = max(0, end - len(data))
            elif end <= len(data):
                body = data[position + _HEAD : end]
                last = int.from_bytes(body[:4], "big") & 0x7FFFFFFF
                self._found.append((last, int.from_bytes(body[4:8], "big")))
            else:
                break
            position = min(end, len(data))
        self._held = data[position:]
        return b"".join(kept)

    def goaways(self) -> list[tuple[int, int]]:
        """Return what GOAWAY frames came: the last request that is processed, and the code."""
        found, self._found = self._found, []
        return found


def _name(code: int) -> str:
    try:
        return ErrorCodes(code).name
    except ValueError:
        return f"code {code}"
