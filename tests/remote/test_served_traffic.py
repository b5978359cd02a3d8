"""What passes between the clients of `serve` and real agents: all of it, as fast as it is read."""

import resource
import sys
from contextlib import asynccontextmanager

import pytest
import trio
from support.processes import DEADLINE
from support.remote import Lab, get, post, receive

from acp_spy.remote.agent_server import AgentServer, Limits

OPEN_FILES = resource.getrlimit(resource.RLIMIT_NOFILE)
ODD = [
    b'"\\ud83d"',
    b"1e400",
    b"1" * 5000,
    b'"\xff"',
    b"[" * 1500 + b"]" * 1500,
]
NAMES = ["half a pair", "a number", "an integer", "bytes", "depth"]
# It sends back what it gets, in the result of a request.
ECHO = r"""
import re, sys
for line in sys.stdin.buffer:
    ident, odd = re.search(rb'"id":(\d+).*?"odd":(.*)}}', line).groups()
    print(*NOISE, sep="\n", end="", flush=True)
    sys.stdout.buffer.write(RESPONSE)
    sys.stdout.buffer.flush()
"""
RESPONSE = r"""b'{"jsonrpc":"2.0","id":%b,"result":%b}\n' % (ident, odd)"""
BATCH = r"""b'[{"jsonrpc":"2.0","id":%b,"result":%b}]\n' % (ident, odd)"""


def python(script):
    return [sys.executable, "-c", script]


def echo(noise=(), response=RESPONSE):
    return python(ECHO.replace("NOISE", repr(noise)).replace("RESPONSE", response))


def request(ident, method, odd, session=""):
    named = b'"sessionId":"%b",' % session.encode() if session else b""
    return b'{"jsonrpc":"2.0","id":%d,"method":"%b","params":{%b"odd":%b}}' % (
        *(ident, method.encode(), named),
        odd,
    )


class Served:
    """An agent that is served; `client` gives a new connection to it."""

    def __init__(self, lab, command, agents, nursery, limits):
        self.server = AgentServer(lab, command, limits, agents, OPEN_FILES)
        self._nursery = nursery
        self._ends = []

    def client(self):
        ours, theirs = (trio.SocketStream(end) for end in trio.socket.socketpair())
        self._nursery.start_soon(self.server.handle, ours)
        self._ends.append(theirs)
        return theirs

    def close(self):
        for end in self._ends:
            end.socket.close()

    async def initialized(self, odd=b"{}"):
        """Begin a connection over HTTP; return its id and the response."""
        client = self.client()
        await client.send_all(post(request(0, "initialize", odd)))
        got = await receive(client, until=b"\r\n\r\n")
        head, _, body = got.partition(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 200 "):
            return "", got
        length = int(head.lower().partition(b"content-length: ")[2].split()[0])
        body += await receive(client, length - len(body)) if len(body) < length else b""
        return head.partition(b"acp-connection-id: ")[2].split()[0].decode(), body

    async def stream(self, connection, *headers):
        """Open an event stream."""
        client = self.client()
        accept = "Accept: text/event-stream"
        await client.send_all(get(accept, f"Acp-Connection-Id: {connection}", *headers))
        assert (await receive(client, until=b"\r\n\r\n")).startswith(b"HTTP/1.1 200 ")
        return client

    async def posted(self, connection, body):
        """Post a message; return the head of the response."""
        client = self.client()
        await client.send_all(post(body, f"Acp-Connection-Id: {connection}"))
        return await receive(client, until=b"\r\n\r\n")

    async def socket(self):
        """Open a WebSocket."""
        client = self.client()
        upgrade = ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13"]
        await client.send_all(get(*upgrade, "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="))
        assert (await receive(client, until=b"\r\n\r\n")).startswith(b"HTTP/1.1 101 ")
        return client


def text_frame(payload):
    """Return a message of a client on a WebSocket."""
    payload = payload.ljust(126)  # less has another head
    return b"\x81\xfe" + len(payload).to_bytes(2, "big") + bytes(4) + payload


@asynccontextmanager
async def serving(lab, command, limits=None):
    with trio.fail_after(DEADLINE):
        async with trio.open_nursery() as agents:
            async with trio.open_nursery() as nursery:
                served = Served(lab, command, agents, nursery, limits or Limits())
                try:
                    yield served
                finally:
                    nursery.cancel_scope.cancel()
                    served.close()
            served.server.end_all()


def frames(lab, sender):
    return [
        record.raw
        for record in lab.records()
        if hasattr(record, "raw") and record.sender.value == sender
    ]


@pytest.mark.parametrize("odd", ODD, ids=NAMES)
@pytest.mark.parametrize("session", ["", "s1", "\\ud83d"])
def test_a_message_is_carried_over_http_whatever_is_in_it(odd, session, tmp_path):
    lab = Lab(tmp_path)
    sent = request(7, "session/prompt", odd, session)
    response = b'{"jsonrpc":"2.0","id":7,"result":%b}' % odd

    async def main():
        async with serving(lab, echo()) as served:
            connection, _ = await served.initialized()
            # Nobody reads the session of a message that is nested too deeply, and no header names
            # half of a pair: these are of the connection.
            is_of_session = session == "s1" and not odd.startswith(b"[")
            headers = [f"Acp-Session-Id: {session}"] if is_of_session else []
            stream = await served.stream(connection, *headers)
            assert b" 202 " in await served.posted(connection, sent)
            assert b"data: %b\n\n" % response in await receive(stream, until=response)

    trio.run(main)
    assert frames(lab, "client")[1].rstrip() == sent
    assert frames(lab, "agent")[1].rstrip() == response


@pytest.mark.parametrize("odd", ODD, ids=NAMES)
def test_a_message_is_carried_on_a_websocket_whatever_is_in_it(odd, tmp_path):
    async def main():
        async with serving(Lab(tmp_path), echo()) as served:
            client = await served.socket()
            readable = odd.decode(errors="replace").encode()  # as in any message of a WebSocket
            await client.send_all(text_frame(request(7, "x", readable)))
            response = b'{"jsonrpc":"2.0","id":7,"result":%b}' % readable
            assert response in await receive(client, until=response)

    trio.run(main)


@pytest.mark.parametrize("odd", ODD[:-1], ids=NAMES[:-1])
def test_a_connection_is_initialized_whatever_is_in_its_first_messages(odd, tmp_path):
    lab = Lab(tmp_path)

    async def main():
        async with serving(lab, echo()) as served:
            for _ in range(2):
                connection, body = await served.initialized(odd)
                assert connection
                assert body == b'{"jsonrpc":"2.0","id":0,"result":%b}' % odd

    trio.run(main)
    for number in (1, 2):
        senders = [record.sender.value for record in lab.records(number) if hasattr(record, "raw")]
        assert senders == ["client", "agent"]


def test_a_batch_of_an_agent_goes_to_the_stream_of_the_connection_and_noise_to_none(tmp_path):
    noise = ["[INFO] it works", "{ starting }", "7", '"a"', ""]
    lab = Lab(tmp_path)

    async def main():
        async with serving(lab, echo(noise, BATCH)) as served:
            client = await served.socket()
            await client.send_all(text_frame(request(7, "x", b"[]")))
            got = await receive(client, until=b"}]")
            assert got[2:] == b'[{"jsonrpc":"2.0","id":7,"result":[]}]'

    trio.run(main)
    assert [raw.decode().strip() for raw in frames(lab, "agent")[:4]] == noise[:4]


@pytest.mark.parametrize(
    ("body", "status"),
    [(b"x", 400), (b"7", 400), (b"null", 400), (b'"a"', 400), (b"[]", 501), (b"{} {}", 400)],
)
def test_what_is_no_object_is_refused(body, status, tmp_path):
    async def main():
        async with serving(Lab(tmp_path), echo()) as served:
            connection, _ = await served.initialized()
            assert b" %d " % status in await served.posted(connection, body)

    trio.run(main)
