"""A client or a server that speaks HTTP/2, by hand: tests say each thing that it does."""

import trio
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import DataReceived, RequestReceived, ResponseReceived, StreamEnded
from support.processes import DEADLINE

ACP = [(":scheme", "http"), (":authority", "localhost"), (":path", "/acp")]
JSON = ("content-type", "application/json")


class Http2Peer:
    """Speaks on `stream`; `events` has all that came and was not asked for yet."""

    def __init__(self, stream, *, is_client):
        self.stream = stream
        self.h2 = H2Connection(H2Configuration(client_side=is_client, header_encoding="utf-8"))
        self.h2.initiate_connection()
        self.events = []
        self.has_ended = False

    async def flush(self):
        if data := self.h2.data_to_send():
            await self.stream.send_all(data)

    async def read(self):
        """Take what comes next."""
        await self.flush()
        data = bytes(await self.stream.receive_some())
        self.has_ended = not data
        self.events += self.h2.receive_data(data)
        await self.flush()

    async def until(self, kind, stream_id=None):
        """Return the next event of a kind, of one stream if it is named."""
        with trio.fail_after(DEADLINE):
            while True:
                for event in self.events:
                    if isinstance(event, kind) and stream_id in (
                        None,
                        getattr(event, "stream_id", 0),
                    ):
                        self.events.remove(event)
                        return event
                assert not self.has_ended, "the connection has ended"
                await self.read()

    async def request(self, method, *headers, body=None, is_all=True):
        """Send a request; return the number of its stream."""
        ident = self.h2.get_next_available_stream_id()
        head = [(":method", method), *ACP, *headers]
        self.h2.send_headers(ident, head, end_stream=body is None and is_all)
        if body is not None:
            self.h2.send_data(ident, body, end_stream=is_all)
        await self.flush()
        return ident

    async def requested(self):
        """Return a whole request: its stream, its headers, its body."""
        head = await self.until(RequestReceived)
        return head.stream_id, dict(head.headers), await self.body(head.stream_id)

    async def respond(self, ident, status, *headers, body=b"", is_all=True):
        """Send a response."""
        is_short = is_all and not body
        self.h2.send_headers(ident, [(":status", str(status)), *headers], end_stream=is_short)
        if body:
            self.h2.send_data(ident, body, end_stream=is_all)
        await self.flush()

    async def response(self, ident):
        """Return a whole response: its status, its headers, its body."""
        headers = dict((await self.until(ResponseReceived, ident)).headers)
        return int(headers[":status"]), headers, await self.body(ident)

    async def body(self, ident):
        """Return what comes on a stream, to its end."""
        await self.until(StreamEnded, ident)
        parts = [e for e in self.events if isinstance(e, DataReceived) and e.stream_id == ident]
        self.events = [event for event in self.events if event not in parts]
        for part in parts:
            self.h2.acknowledge_received_data(part.flow_controlled_length, ident)
        return b"".join(part.data for part in parts)
