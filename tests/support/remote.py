"""A relay between a client and a target in memory, recorded to a file."""

import socket
import struct
import time
import weakref
from contextlib import asynccontextmanager

import trio
from support.processes import DEADLINE
from trio.testing import memory_stream_pair

from acp_spy.capture.files import load
from acp_spy.capture.records import Header
from acp_spy.engine.tap import Tap
from acp_spy.remote.addresses import Guard, parse_target
from acp_spy.remote.conversations import Conversations
from acp_spy.remote.exchange import Rules
from acp_spy.remote.run_http import relay
from acp_spy.remote.service import Service
from acp_spy.secrets.redactor import Redactor

INITIALIZE = b'{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}'
INITIALIZED = b'{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}'


def post(body, *headers, path="/acp"):
    lines = [f"POST {path} HTTP/1.1", "Host: localhost", "Content-Type: application/json", *headers]
    return "\r\n".join([*lines, f"Content-Length: {len(body)}", "", ""]).encode() + body


def get(*headers, path="/acp"):
    return "\r\n".join([f"GET {path} HTTP/1.1", "Host: localhost", *headers, "", ""]).encode()


def response(status, body=b"", *headers):
    lines = [f"HTTP/1.1 {status} Status", f"Content-Length: {len(body)}", *headers, "", ""]
    return "\r\n".join(lines).encode() + body


def chunk(data):
    return b"%x\r\n%b\r\n" % (len(data), data)


OPENED = response(200, INITIALIZED, "Content-Type: application/json", "Acp-Connection-Id: c-1")
STREAM = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


class Lab(Service):
    """
    Relays in memory, or between `sockets`, or by `tcp`. `connections` has the target's end of each connection.

    A target with `http2` agrees to it by ALPN. `free` are places for more streams of a client.
    """

    def __init__(
        self,
        folder,
        *,
        unreachable=None,
        keep_credentials=False,
        http2=False,
        free=None,
        redact=False,
        sockets=False,
        tcp=False,
    ):
        self.folder = folder
        self.free = free
        self._pair = tcp_pair if tcp else _socket_pair if sockets else memory_stream_pair
        self.complaints = complaints = []
        self.connections = []
        self._unreachable = unreachable
        taps = []

        def open_tap():  # not a method, by which the lab would not be gone with its test
            redactor = Redactor() if redact else None
            tap = Tap(time.monotonic_ns(), complaints.append, redactor)
            tap.open(str(folder / "run.jsonl"), Header())
            taps.append(tap)
            return tap

        weakref.finalize(self, lambda: [tap.close() for tap in taps])
        super().__init__(
            parse_target(f"{'https' if http2 else 'http'}://target.example:8080/acp"),
            Conversations(open_tap),
            Rules(keep_credentials),
            Guard("127.0.0.1"),
            self.complaints.append,
        )

    async def connect(self, protocols):
        await trio.lowlevel.checkpoint()
        if self._unreachable:
            raise self._unreachable
        ours, theirs = self._pair()
        self.connections.append(theirs)
        if self.target.is_tls:
            ours.selected_alpn_protocol = lambda: protocols[0]
        return ours

    @asynccontextmanager
    async def client(self):
        """
        Give the client's end of a connection that is relayed; it ends with the block.

        `has_ended` is set when it ends by itself.
        """
        ours, theirs = self._pair()
        self.has_ended = trio.Event()

        async def carry():
            await relay(ours, self, self.free)
            self.has_ended.set()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(carry)
            yield theirs
            nursery.cancel_scope.cancel()
        if isinstance(theirs, trio.SocketStream):
            for stream in (theirs, *self.connections):
                below = getattr(stream, "transport_stream", stream)
                if isinstance(below, trio.SocketStream):
                    below.socket.close()

    async def accepted(self, number=0):
        """Return the target's end of a connection, once there is one."""
        while len(self.connections) <= number:
            await trio.testing.wait_all_tasks_blocked()
        return self.connections[number]

    def records(self, number=1):
        """Return what was recorded in a conversation, without the header."""
        name = "run.jsonl" if number == 1 else f"run-{number}.jsonl"
        return load(self.folder / name).records


def _socket_pair():
    """Return the ends of a connection that takes a few bytes before somebody reads them."""
    pair = [trio.SocketStream(end) for end in trio.socket.socketpair()]
    for stream in pair:
        stream.setsockopt(trio.socket.SOL_SOCKET, trio.socket.SO_SNDBUF, 1)  # the least there is
    return pair


def tcp_pair():
    """Return the ends of a TCP connection, which can be reset."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        ends = socket.create_connection(listener.getsockname()), listener.accept()[0]
    return [trio.SocketStream(trio.socket.from_stdlib_socket(end)) for end in ends]


async def receive(stream, size=None, until=b""):
    """Return what comes: so many bytes, or up to something, or to the end."""
    data = bytearray()
    searched = 0  # of megabytes, not all again with each piece
    with trio.fail_after(DEADLINE):
        while (size is None or len(data) < size) and not (
            until and data.find(until, searched) >= 0
        ):
            searched = max(0, len(data) - len(until))
            some = await stream.receive_some()
            if not some:
                break
            data += some
    return bytes(data)


async def reset(stream):
    """End a TCP connection so that it is an error for the peer."""
    stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    await stream.aclose()
