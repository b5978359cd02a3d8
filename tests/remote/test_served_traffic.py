"""What passes between the clients of `serve` and real agents: all of it, as fast as it is read."""

import os
import re
import resource
import sys
from contextlib import asynccontextmanager

import msgspec
import pytest
import trio
from h2.events import ResponseReceived
from support import effort
from support.http2_peer import JSON, Http2Peer
from support.processes import DEADLINE, end_of, is_alive
from support.remote import Lab, get, post, receive, tcp_pair

from acp_spy import check, load
from acp_spy.capture.records import Disconnect, Exit, HttpExchange
from acp_spy.remote import agent_server, listening
from acp_spy.remote.addresses import Guard
from acp_spy.remote.agent_server import AgentServer, Limits
from acp_spy.remote.http_server import CHUNK

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
        assert (await head(client)).startswith(b"HTTP/1.1 200 ")
        return client

    async def posted(self, connection, body):
        """Post a message; return the head of the response."""
        client = self.client()
        await client.send_all(post(body, f"Acp-Connection-Id: {connection}"))
        return await receive(client, until=b"\r\n\r\n")

    async def socket(self):
        """Open a WebSocket."""
        client = self.client()
        await client.send_all(get(*map(": ".join, UPGRADE.items())))
        assert (await head(client)).startswith(b"HTTP/1.1 101 ")
        return client


async def head(client):
    """Return the head of a response, and leave what follows it."""
    got = b""
    while not got.endswith(b"\r\n\r\n") and (byte := await client.receive_some(1)):
        got += byte
    return got


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
@pytest.mark.parametrize("session", effort.some_of(["s1", "", "\\ud83d"], " s", "a\\nb"))
def test_a_message_is_carried_over_http_whatever_is_in_it(odd, session, tmp_path):
    lab = Lab(tmp_path)
    sent = request(7, "session/prompt", odd, session)
    response = b'{"jsonrpc":"2.0","id":7,"result":%b}' % odd

    async def main():
        async with serving(lab, echo()) as served:
            connection, _ = await served.initialized()
            # Nobody reads the session of a message that is nested too deeply, and no header names
            # half of a pair, a blank at an end or the end of a line: these are of the connection.
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


def test_no_part_of_a_line_that_is_too_long_is_sent_on(tmp_path, monkeypatch):
    monkeypatch.setattr(agent_server, "LONGEST_LINE", 100_000)
    # More than is read at once, so that it comes in parts.
    long = r"""b'x' * 1_000_000 + b"\n" + """
    lab = Lab(tmp_path)

    async def main():
        async with serving(lab, echo(response=long + RESPONSE)) as served:
            client = await served.socket()
            await client.send_all(text_frame(request(7, "x", b"[]")))
            got = await receive(client, until=b"]}")
            assert got[2:] == b'{"jsonrpc":"2.0","id":7,"result":[]}'

    trio.run(main)
    assert lab.complaints == ["a message of more than 65 MiB of the agent was not sent on"]
    assert frames(lab, "agent")[0].startswith(b"xxx")


UPGRADE = {
    "Upgrade": "websocket",
    "Connection": "Upgrade",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
}


@pytest.mark.parametrize(
    ("changes", "status", "text"),
    [
        ({"Sec-WebSocket-Key": None}, b"400", b"Missing header, 'Sec-WebSocket-Key'"),
        ({"Connection": None}, b"400", b"Missing header, 'Connection: Upgrade'"),
        ({"Sec-WebSocket-Version": None}, b"400", b"Missing header, 'Sec-WebSocket-Version'"),
        ({"Sec-WebSocket-Version": "8"}, b"426", b"Sec-WebSocket-Version must be 13"),
        ({"Host": "é"}, b"400", b"The headers of a WebSocket must be ASCII"),
        ({"Host": "xn--0"}, b"400", b"incomplete pun"),  # as Python spells it, with `i` or `y`
        ({"Host": None}, b"400", b"Missing mandatory Host: header"),
        ({}, b"503", b"Too many connections"),
    ],
)
def test_a_wrong_upgrade_is_refused_before_an_agent_is_started(changes, status, text, tmp_path):
    lab = Lab(tmp_path)
    lab.guard = Guard("127.0.0.1", allow_remote=True)
    named = {"Host": "localhost", **UPGRADE, **changes}
    lines = [f"{name}: {value}" for name, value in named.items() if value is not None]

    async def main():
        async with serving(lab, echo(), Limits(connections=0)) as served:
            client = served.client()
            await client.send_all("\r\n".join(["GET /acp HTTP/1.1", *lines, "", ""]).encode())
            found = await head(client)
            assert found.startswith(b"HTTP/1.1 " + status)
            assert (b"\r\nsec-websocket-version: 13\r\n" in found) == (status == b"426")
            await receive(client, until=text)

    trio.run(main)
    assert lab.complaints == []


def test_a_websocket_is_opened_with_get(tmp_path):
    async def main():
        async with serving(Lab(tmp_path), echo(), Limits(connections=0)) as served:
            client = served.client()
            await client.send_all(post(b"{}", *map(": ".join, UPGRADE.items())))
            assert (await head(client)).startswith(b"HTTP/1.1 405 ")

    trio.run(main)


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


FLOOD = r"""
import sys
def out(text): print(text, flush=True)
for line in sys.stdin:
    if '"initialize"' in line:
        out('{"jsonrpc":"2.0","id":0,"result":{}}')
        continue
    for number in range(COUNT):
        out('{"jsonrpc":"2.0","method":"session/update","params":{"n":%d,"x":"%s"}}' % (number, "x" * SIZE))
    out('{"jsonrpc":"2.0","id":7,"result":{}' + " " * SPACES + '}')
    THEN
sys.exit(3)
"""
LAST = b'{"jsonrpc":"2.0","id":7,"result":{}}'
COUNT, SIZE = 400, 10_000


def flood(count=COUNT, then="pass", spaces=0):
    script = FLOOD.replace("COUNT", str(count)).replace("SIZE", str(SIZE))
    return python(script.replace("THEN", then).replace("SPACES", str(spaces)))


async def until(is_so):
    while not is_so():
        await trio.testing.wait_all_tasks_blocked(0.01)


async def asked_for_all(served, transport):
    """Begin a connection, and ask for all that the agent has; return the reader and the agent."""
    if transport == "ws":
        client = await served.socket()
        await client.send_all(text_frame(request(7, "x", b"{}")))
    else:
        connection, _ = await served.initialized()
        client = await served.stream(connection)
        assert b" 202 " in await served.posted(connection, request(7, "x", b"{}"))
    return client, next(iter(served.server._connections.values()))


async def flooded(served, transport):
    """Ask for more than the reader takes, and wait until the agent has to wait."""
    client, agent = await asked_for_all(served, transport)
    await until(lambda: agent.is_ending or agent._room.statistics().tasks_waiting)
    return client, agent


@pytest.fixture
def few(monkeypatch):
    """Let less wait than the agent sends."""
    monkeypatch.setattr(agent_server, "MOST_WAITING", 1_000_000)
    monkeypatch.setattr(agent_server, "MOST_AHEAD", 100_000)
    monkeypatch.setattr(agent_server, "GRACE", 0)  # to write the rest


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("then", effort.some_of(["pass"], "sys.exit()"))
@pytest.mark.parametrize("transport", ["ws", "http"])
def test_an_agent_waits_for_a_client_that_pauses(transport, then, tmp_path):
    lab = Lab(tmp_path)

    async def main():
        async with serving(lab, flood(then=then)) as served:
            client, agent = await flooded(served, transport)
            assert sum(outlet.waiting for outlet in agent._outlets.values()) < 500_000
            got = await receive(client, until=LAST)
            assert [b'"n":%d,' % number in got for number in range(COUNT)] == [True] * COUNT
            if then != "pass":
                end = b"the agent has exited" if transport == "ws" else b"0\r\n\r\n"
                assert end in got[-100:] + await receive(client, until=end)
            assert agent.is_ending is False

    trio.run(main)
    assert lab.complaints == []


@pytest.mark.usefixtures("few")
def test_an_agent_goes_on_when_its_reader_has_gone_and_the_next_one_gets_the_rest(tmp_path):
    async def main():
        async with serving(Lab(tmp_path), flood(count=100)) as served:
            client, agent = await flooded(served, "http")
            await client.aclose()
            await until(lambda: not agent._outlets[""].is_read)
            client = await served.stream(agent.ident)
            assert LAST in await receive(client, until=LAST)

    trio.run(main)


def test_an_agent_that_waits_for_its_reader_can_be_ended(tmp_path, monkeypatch):
    """It writes what it has to write, reads the end of its stdin, and exits by itself."""
    monkeypatch.setattr(agent_server, "GRACE", DEADLINE)
    monkeypatch.setattr(agent_server, "MOST_AHEAD", 100_000)
    lab = Lab(tmp_path)

    async def main():
        async with serving(lab, flood()) as served:
            _, agent = await flooded(served, "http")
            client = served.client()
            ask = get(f"Acp-Connection-Id: {agent.ident}").replace(b"GET", b"DELETE")
            await client.send_all(ask)
            assert b" 202 " in await receive(client, until=b"\r\n\r\n")
            await until(lambda: not served.server._connections)
            assert agent._process.returncode == 3

    trio.run(main)


CLOSE = b"\x88\x82" + bytes(4) + b"\x03\xe8"


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("farewell", [b"", CLOSE])
def test_a_client_that_leaves_a_websocket_unread_ends_its_agent(farewell, tmp_path):
    lab = Lab(tmp_path)

    async def main():
        async with serving(lab, flood()) as served:
            client, agent = await flooded(served, "ws")
            if farewell:
                await client.send_all(farewell)
                await receive(client, until=farewell[-2:])
            await client.aclose()
            await until(lambda: not served.server._connections)
            assert agent._outlets[""].waiting == 0

    trio.run(main)
    numbers = re.findall(rb'"n":([0-9]+)', b"".join(frames(lab, "agent")))
    assert [*map(int, numbers)] == [*range(len(numbers))]  # also those that nobody has read


@pytest.mark.parametrize("transport", ["ws", "http"])
def test_what_an_agent_said_before_it_exited_is_recorded_though_its_client_goes(
    transport, tmp_path, monkeypatch
):
    monkeypatch.setattr(agent_server, "MOST_AHEAD", 100_000_000)
    lab = Lab(tmp_path)

    async def main():
        async with serving(lab, flood(then="sys.exit()")) as served:
            client, agent = await asked_for_all(served, transport)
            await until(lambda: agent._has_ended)
            await client.aclose()

    trio.run(main)
    assert LAST in b"".join(frames(lab, "agent"))
    numbers = re.findall(rb'"n":([0-9]+)', b"".join(frames(lab, "agent")))
    assert [*map(int, numbers)] == [*range(COUNT)]


@pytest.mark.usefixtures("few")
def test_one_long_message_may_wait_for_its_stream_to_be_opened(tmp_path):
    lab = Lab(tmp_path)

    async def main():
        async with serving(lab, flood(count=0, spaces=2_000_000)) as served:
            connection, _ = await served.initialized()
            assert b" 202 " in await served.posted(connection, request(7, "x", b"{}"))
            agent = next(iter(served.server._connections.values()))
            await until(lambda: agent.is_ending or agent._outlets[""].waiting > 2_000_000)
            client = await served.stream(connection)
            assert len(await receive(client, until=b" }")) > 2_000_000

    trio.run(main)
    assert lab.complaints == []


def test_an_agent_ends_if_its_client_leaves_before_it_has_the_id_of_its_connection(tmp_path):
    lab = Lab(tmp_path)
    never_responds = python("import sys; sys.stdin.read()")

    async def main():
        async with serving(lab, never_responds, Limits(connections=1)) as served:
            connections = served.server._connections
            for _ in range(2):  # the second one has a place
                client = served.client()
                await client.send_all(post(request(0, "initialize", b"{}")))
                await until(lambda: connections)
                [agent] = connections.values()
                await client.aclose()
                await until(lambda: not connections)
                assert agent._process.returncode == 0

    trio.run(main)
    for number in (1, 2):
        [exchange] = [each for each in lab.records(number) if isinstance(each, HttpExchange)]
        gone = "the client closed the connection before the response was complete"
        assert (exchange.status, exchange.error) == (0, gone)


def test_event_streams_on_one_connection_of_http_2_leave_places_for_messages(tmp_path):
    most = listening.MOST_STREAMS * 7 // 8

    async def main():
        async with serving(Lab(tmp_path), echo()) as served:
            connection, _ = await served.initialized()
            of_connection = ("acp-connection-id", connection)
            client = Http2Peer(served.client(), is_client=True)

            async def opened(number):
                session = ("acp-session-id", f"s{number}")
                accept = ("accept", "text/event-stream")
                ident = await client.request("GET", accept, of_connection, session)
                status = dict((await client.until(ResponseReceived, ident)).headers)[":status"]
                if status != "200":
                    await client.body(ident)
                return ident, status

            found = [await opened(number) for number in range(listening.MOST_STREAMS)]
            assert {status for _, status in found[:most]} == {"200"}
            assert {status for _, status in found[most + 1 :]} == {"429"}
            body = request(1, "x", b"{}")
            message = await client.request("POST", JSON, of_connection, body=body)
            assert (await client.response(message))[0] == 202
            client.h2.reset_stream(found[0][0])
            while (await opened(0))[1] != "200":  # it may be noticed a little later
                await trio.testing.wait_all_tasks_blocked()

    trio.run(main)


# It reads no second message until somebody opens the gate; then it keeps what it gets.
GATED = r"""
import sys
sys.stdin.buffer.readline()
print('{"jsonrpc":"2.0","id":0,"result":{}}', flush=True)
open("GATE").read()
with open("GOT", "wb") as got:
    for line in sys.stdin.buffer:
        got.write(line)
"""


def test_clients_that_leave_while_the_agent_does_not_read_leave_their_places(tmp_path):
    gate, got = tmp_path / "gate", tmp_path / "got"
    os.mkfifo(gate)
    command = python(GATED.replace("GATE", str(gate)).replace("GOT", str(got)))
    large = request(1, "x", b'"%b"' % (b"x" * 300_000))  # more than a pipe takes
    last = request(9, "x", b"{}")
    held = set()

    async def main():
        async with serving(Lab(tmp_path), command) as served, trio.open_nursery() as nursery:
            connection, _ = await served.initialized()

            async def handle(ours):
                held.add(ours)
                await served.server.handle(ours)
                held.discard(ours)

            async def leave(sent):
                ours, client = tcp_pair()
                nursery.start_soon(handle, ours)
                await client.send_all(sent)
                await client.aclose()

            def posting(body):
                return post(body, f"Acp-Connection-Id: {connection}")

            (agent,) = served.server._connections.values()
            await leave(posting(large))
            await until(agent._writing.locked)
            for ahead in (b"", get(), b"x" * 2 * CHUNK):
                await leave(posting(request(2, "x", b"{}")) + ahead)
            stayed, client = tcp_pair()
            nursery.start_soon(handle, stayed)
            await client.send_all(posting(last))
            two = Http2Peer(served.client(), is_client=True)
            ident = await two.request("POST", JSON, ("acp-connection-id", connection), body=b"{}")
            await until(lambda: agent._writing.statistics().tasks_waiting == 2)
            two.h2.reset_stream(ident)
            await two.flush()
            await until(lambda: agent._writing.statistics().tasks_waiting == 1)
            await until(lambda: len(held) == 2)  # the one that is being written, and the last
            gate.write_bytes(b"")
            assert b" 202 " in await head(client)
            await client.aclose()
            agent.end("client")
            await agent._process.wait()

    trio.run(main)
    assert got.read_bytes().split(b"\n") == [large, last, b""]


def test_the_first_response_is_recorded_though_the_client_has_gone(tmp_path):
    """The agent responds when its stdin has ended, because the client has gone."""
    lab = Lab(tmp_path)
    responds_late = python(
        """import sys; sys.stdin.read(); print('{"jsonrpc":"2.0","id":0,"result":{}}')"""
    )

    async def main():
        async with serving(lab, responds_late) as served:
            client = served.client()
            await client.send_all(post(request(0, "initialize", b"{}")))
            await until(lambda: served.server._connections)
            await client.aclose()
            await until(lambda: not served.server._connections)

    trio.run(main)
    assert frames(lab, "agent") == [b'{"jsonrpc":"2.0","id":0,"result":{}}\n']


def test_requests_that_follow_initialize_at_once_are_served_after_it(tmp_path):
    later = post(b"x" * 300_000)

    async def main():
        async with serving(Lab(tmp_path), echo()) as served:
            client = served.client()
            async with trio.open_nursery() as nursery:
                ask = post(request(0, "initialize", b"{}")) + later + later
                nursery.start_soon(client.send_all, ask)
                got = await receive(client, until=b"HTTP/1.1 400 ")
                assert got.startswith(b"HTTP/1.1 200 ")
                assert b"HTTP/1.1 400 " in await receive(client, until=b"HTTP/1.1 400 ")

    trio.run(main)


def test_messages_at_once_on_one_connection_of_http_2_reach_the_agent_in_their_order(tmp_path):
    async def main():
        lab = Lab(tmp_path)
        async with serving(lab, echo()) as served:
            connection, _ = await served.initialized()
            client = Http2Peer(served.client(), is_client=True)
            for first in range(1, 50, 5):
                idents = [
                    await client.request(
                        *("POST", JSON, ("acp-connection-id", connection)), is_all=False
                    )
                    for _ in range(5)
                ]
                for number, ident in enumerate(idents, start=first):
                    client.h2.send_data(ident, request(number, "x", b"1"), end_stream=True)
                for ident in idents:
                    assert (await client.response(ident))[0] == 202
        said = [msgspec.json.decode(raw)["id"] for raw in frames(lab, "client")]
        assert said == list(range(51))

    trio.run(main)


@pytest.mark.usefixtures("few")
def test_a_connection_whose_streams_nobody_opens_is_ended_by_us_and_the_capture_says_so(tmp_path):
    lab = Lab(tmp_path)

    async def main():
        async with serving(lab, flood()) as served:
            connection, _ = await served.initialized()
            assert b" 202 " in await served.posted(connection, request(7, "x", b"{}"))
            await until(lambda: not served.server._connections)

    trio.run(main)
    why = "more than 64 MiB wait for streams that nobody has open"
    assert lab.complaints == [f"a connection was ended: {why}"]
    [end] = [each for each in lab.records() if isinstance(each, Disconnect)]
    assert (end.by, end.stream, end.error) == ("proxy", "connection", why)
    found = {finding.code for finding in check(load(tmp_path / "run.jsonl"))}
    assert not found & {"RPC006", "RPC022"}


LEAVES_A_CHILD = r"""
import os, signal, sys, time
def out(text): os.write(1, text.encode() + b"\n")
sys.stdin.readline()
out('{"jsonrpc":"2.0","id":0,"result":{}}')
sys.stdin.readline()
parent, child = os.getpid(), os.fork()
if child:
    out('{"jsonrpc":"2.0","method":"_child","params":{"pid":%d}}' % child)
    os._exit(3)
while os.getppid() == parent:
    time.sleep(0.001)
THEN
"""
ENDS = {"ws": b"the agent has exited", "http": b"0\r\n\r\n"}


async def left_by_its_agent(served, transport):
    """Begin a connection whose agent exits and leaves a child; return the reader, the agent, and the child."""
    if transport == "ws":
        client = await served.socket()
        await client.send_all(text_frame(request(0, "initialize", b"{}")))
        await client.send_all(text_frame(request(7, "x", b"{}")))
    else:
        connection, _ = await served.initialized()
        client = await served.stream(connection)
        assert b" 202 " in await served.posted(connection, request(7, "x", b"{}"))
    agent = next(iter(served.server._connections.values()))
    told = await receive(client, until=b'"pid":')
    while b"}}" not in told:
        told += await client.receive_some()
    return client, agent, int(re.search(rb'"pid":([0-9]+)', told)[1])


@pytest.mark.parametrize("transport", ["ws", "http"])
def test_a_silent_child_of_an_agent_that_has_exited_is_not_taken_for_the_agent(
    transport, tmp_path, monkeypatch
):
    monkeypatch.setattr(agent_server, "SILENCE_AFTER_EXIT", 0)
    lab = Lab(tmp_path)

    async def main():
        silent = python(LEAVES_A_CHILD.replace("THEN", "signal.pause()"))
        async with serving(lab, silent, Limits(connections=1)) as served:
            client, agent, child = await left_by_its_agent(served, transport)
            try:
                assert ENDS[transport] in await receive(client, until=ENDS[transport])
                assert is_alive(child)  # it was no business of ours
                await until(lambda: not served.server._connections)
                assert b" 404 " in await served.posted(agent.ident, request(8, "x", b"{}"))
                assert (await served.initialized())[0]  # its place is free
            finally:
                end_of(child)

    trio.run(main)
    [end] = [each for each in lab.records() if isinstance(each, Exit)]
    assert end.status == 3


@pytest.mark.parametrize("log", ["'a line'); time.sleep(0.001", "'a line\\n' * 5000"])
@pytest.mark.parametrize("transport", ["ws", "http"])
def test_a_child_that_logs_to_the_stdout_of_an_agent_that_has_exited_is_not_taken_for_it(
    transport, log, tmp_path, monkeypatch
):
    monkeypatch.setattr(agent_server, "SILENCE_AFTER_EXIT", 0.2)
    lab = Lab(tmp_path)

    async def main():
        logging = python(LEAVES_A_CHILD.replace("THEN", f"while True: out({log})"))
        async with serving(lab, logging, Limits(connections=1)) as served:
            client, _, child = await left_by_its_agent(served, transport)
            try:
                assert ENDS[transport] in await receive(client, until=ENDS[transport])
                await until(lambda: not served.server._connections)
            finally:
                end_of(child)

    trio.run(main)
    [end] = [each for each in lab.records() if isinstance(each, Exit)]
    assert end.status == 3


def test_what_an_agent_has_written_before_it_exits_is_heard_behind_noise(tmp_path, monkeypatch):
    monkeypatch.setattr(agent_server, "SILENCE_AFTER_EXIT", 0)
    lab = Lab(tmp_path)
    last = b'{"jsonrpc":"2.0","method":"_last"}'
    noise = f"    out('x\\n' * 20_000 + {last.decode()!r})\n    os._exit(3)"
    leaves = LEAVES_A_CHILD.replace("    os._exit(3)", noise).replace("THEN", "signal.pause()")

    async def main():
        async with serving(lab, python(leaves)) as served:
            _, _, child = await left_by_its_agent(served, "ws")
            try:
                await until(lambda: not served.server._connections)
            finally:
                end_of(child)

    trio.run(main)
    assert last in b"".join(frames(lab, "agent"))


@pytest.mark.parametrize("transport", ["ws", "http"])
def test_a_child_that_goes_on_for_an_agent_that_has_exited_is_heard(
    transport, tmp_path, monkeypatch
):
    """The agent was a wrapper."""
    monkeypatch.setattr(agent_server, "SILENCE_AFTER_EXIT", DEADLINE)
    lab = Lab(tmp_path)
    response = b'{"jsonrpc":"2.0","id":8,"result":{}}'

    async def main():
        then = f"sys.stdin.readline(); out({response.decode()!r})"
        async with serving(lab, python(LEAVES_A_CHILD.replace("THEN", then))) as served:
            client, agent, _ = await left_by_its_agent(served, transport)
            await agent._process.wait()
            if transport == "ws":
                await client.send_all(text_frame(request(8, "x", b"{}")))
            else:
                assert b" 202 " in await served.posted(agent.ident, request(8, "x", b"{}"))
            got = await receive(client, until=response)
            assert response in got
            if ENDS[transport] not in got:
                assert ENDS[transport] in await receive(client, until=ENDS[transport])

    trio.run(main)
    assert response in b"".join(frames(lab, "agent"))
    [end] = [each for each in lab.records() if isinstance(each, Exit)]
    assert end.status == 3


@pytest.mark.parametrize("transport", ["ws", "http"])
def test_an_agent_that_closes_its_stdout_and_lives_on_is_ended(transport, tmp_path, monkeypatch):
    monkeypatch.setattr(agent_server, "AFTER_STDOUT", 0)
    lab = Lab(tmp_path)

    async def main():
        then = "sys.stdout.close(); os.close(1); sys.stdin.read(); os._exit(4)"
        async with serving(lab, flood(count=1, then=f"import os; {then}")) as served:
            client, agent = await asked_for_all(served, transport)
            got = await receive(client, until=LAST)
            if ENDS[transport] not in got:
                assert ENDS[transport] in await receive(client, until=ENDS[transport])
            await until(lambda: not served.server._connections)
            assert b" 404 " in await served.posted(agent.ident, request(8, "x", b"{}"))

    trio.run(main)
    why = "the agent closed its stdout and did not exit"
    assert lab.complaints == [f"a connection was ended: {why}"]
    ends = [each for each in lab.records() if isinstance(each, Disconnect)]
    assert ("proxy", why) in [(each.by, each.error) for each in ends]
    [exit_] = [each for each in lab.records() if isinstance(each, Exit)]
    assert exit_.status == 4  # it had the end of its stdin, and time
