"""The WebSocket of a bridge: what it replies to, how it ends, and who closes what."""

import json
import os
from functools import partial
from types import SimpleNamespace

import pytest
import trio
from support.remote import INITIALIZED, OPENED, STREAM, chunk, receive, response
from trio.testing import MockClock, lockstep_stream_pair, wait_all_tasks_blocked
from wsproto import ConnectionType, WSConnection
from wsproto.events import (
    AcceptConnection,
    CloseConnection,
    Ping,
    Pong,
    RejectConnection,
    Request,
    TextMessage,
)

from acp_spy.remote import bridge, http_client, socket_message
from acp_spy.remote.bridge import HttpBridge, SocketBridge
from acp_spy.remote.connector import Connector
from acp_spy.remote.http_client import HttpClient
from acp_spy.remote.stdio_lines import LineReader, LineWriter

TOO_LONG = "a message of more than 65 MiB of the client was not sent on"
LINE = INITIALIZED + b"\n"
FIRST = b'{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}\n'


class Exchange:
    """Its methods are their names, for `observe`."""

    last = 0

    def __getattr__(self, name):
        return name


class Service:
    """Stands in for a service: nothing is recorded, and the agent is the test."""

    target = SimpleNamespace(shown="agent", path="/acp", authority="agent", is_tls=False)
    conversations = SimpleNamespace(begin=Exchange)

    def __init__(self):
        self.ours, self.theirs = lockstep_stream_pair()
        self.observed = []
        self.complaints = []
        self.agent = WSConnection(ConnectionType.SERVER)

    def exchange(self, *_):
        return Exchange()

    def observe(self, *what):
        self.observed.append(what)

    def complain_once(self, text):
        self.complaints.append(text)

    async def connect(self, *_):
        return self.ours

    async def guard_against_bugs(self, work):
        await work()

    async def accept(self, answer):
        """Let the agent answer the request for a WebSocket."""
        self.agent.receive_data(await self.theirs.receive_some())
        assert any(isinstance(event, Request) for event in self.agent.events())
        await self.theirs.send_all(self.agent.send(answer))

    async def receive(self, count):
        """Return so many events of the bridge, as the agent gets them."""
        found = []
        while len(found) < count:
            self.agent.receive_data(await self.theirs.receive_some())
            found += self.agent.events()
        return found


@pytest.fixture
def lines(monkeypatch):
    """Have the client send these lines, and then nothing for ever."""
    sent = []

    class Lines:
        def __aiter__(self):
            return self

        async def __anext__(self):
            if not sent:
                await trio.sleep_forever()
            return sent.pop(0)

    monkeypatch.setattr(bridge, "LineReader", Lines)
    return sent


@pytest.fixture
def written(monkeypatch):
    """Return what the client gets."""
    found = []

    class Writer:
        is_behind, waited = False, 0.0

        async def write(self, data):
            if data:
                found.append(data)

    monkeypatch.setattr(bridge, "LineWriter", Writer)
    return found


def run(main):
    async def limited():
        with trio.fail_after(1000):  # of a clock that takes no time
            await main()

    trio.run(limited, clock=MockClock(autojump_threshold=0))


@pytest.mark.parametrize(
    ("event", "reply"), [(Ping(), Pong), (CloseConnection(1000), CloseConnection)]
)
def test_a_reply_waits_for_a_message_that_is_being_sent(lines, event, reply):
    lines.append(LINE)

    async def main():
        service = Service()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(SocketBridge(service, []).run)
            await service.accept(AcceptConnection())
            await wait_all_tasks_blocked()  # the message is on its way, and not read yet
            await service.theirs.send_all(service.agent.send(event))
            await wait_all_tasks_blocked()
            message, replied = await service.receive(2)
            assert isinstance(message, TextMessage)
            assert message.data == INITIALIZED.decode()
            assert isinstance(replied, reply)
            nursery.cancel_scope.cancel()

    run(main)


def test_a_header_of_the_response_that_is_not_ascii_is_no_bug_of_ours(lines):
    async def main():
        service = Service()
        socket = SocketBridge(service, [])
        refused = []

        async def refuse_all(why):
            refused.append(why)

        socket._refuse_all = refuse_all
        async with trio.open_nursery() as nursery:
            nursery.start_soon(socket.run)
            service.agent.receive_data(await service.theirs.receive_some())
            accepted = service.agent.send(AcceptConnection())
            more = "\r\nSec-WebSocket-Protocol: café\r\n\r\n".encode()
            await service.theirs.send_all(accepted.removesuffix(b"\r\n\r\n") + more)
        assert refused == ["cannot connect to agent: a header of its response is not ASCII"]

    run(main)


def test_a_message_that_is_too_long_ends_the_conversation(lines, monkeypatch):
    monkeypatch.setattr(socket_message, "LONGEST", 1000)

    async def main():
        service = Service()
        socket = SocketBridge(service, [])
        async with trio.open_nursery() as nursery:
            nursery.start_soon(socket.run)
            await service.accept(AcceptConnection())
            for _ in range(2):
                part = TextMessage("x" * 900, message_finished=False)
                await service.theirs.send_all(service.agent.send(part))
        assert socket._why_closed == "the connection was lost: a message is longer than 0 MiB"

    run(main)


def test_no_part_of_a_line_that_is_too_long_is_sent(lines, monkeypatch):
    monkeypatch.setattr(bridge, "LONGEST_LINE", 1000)
    lines += [b"x" * 1001, b"{}\n", FIRST]  # as they are read

    async def main():
        service = Service()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(SocketBridge(service, []).run)
            await service.accept(AcceptConnection())
            [message] = await service.receive(1)
            assert message.data == FIRST.decode().strip()
            nursery.cancel_scope.cancel()
        assert service.complaints == [TOO_LONG] * 2
        recorded = [what[2] for what in service.observed if what[0] == "messages"]
        assert recorded == [[b"x" * 1001], [b"{}\n"]]

    run(main)


def test_an_agent_that_closes_and_does_not_read_is_not_waited_for(lines):
    lines.append(LINE)

    async def main():
        service = Service()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(SocketBridge(service, []).run)
            await service.accept(AcceptConnection())
            await wait_all_tasks_blocked()
            await service.theirs.send_all(service.agent.send(CloseConnection(1000)))

    run(main)


@pytest.mark.parametrize(
    ("answer", "goes_on"), [(AcceptConnection(), False), (RejectConnection(status_code=403), True)]
)
def test_the_connection_is_closed_when_it_is_of_no_more_use(lines, answer, goes_on):
    """When the bridge is cancelled; and when it is refused, while the client goes on."""

    async def main():
        service, scope = Service(), trio.CancelScope()

        async def carry():
            with scope:
                await SocketBridge(service, []).run()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(carry)
            await service.accept(answer)
            await wait_all_tasks_blocked()
            if not goes_on:
                scope.cancel()
            assert await service.theirs.receive_some() == b""
            scope.cancel()
        assert ("lost", "proxy") in service.observed  # which means nothing if it is over

    run(main)


def test_an_agent_that_does_not_respond_is_not_waited_for(lines):
    """Else the end of the client's stdin would not be seen, and we would stay for ever."""
    lines.append(b'{"jsonrpc":"2.0","id":0,"method":"initialize"}\n')

    async def main():
        service = Service()
        socket = SocketBridge(service, [])
        async with trio.open_nursery() as nursery:
            nursery.start_soon(socket.run)
            await service.theirs.receive_some()  # the request
            assert await service.theirs.receive_some() == b""
            nursery.cancel_scope.cancel()
        assert ("lost", "agent", "it does not respond") in service.observed

    run(main)


def test_what_an_agent_sends_is_delivered_though_it_pings_and_does_not_read(lines, written):
    lines.append(LINE)

    async def main():
        service = Service()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(SocketBridge(service, []).run)
            await service.accept(AcceptConnection())
            await wait_all_tasks_blocked()  # the message is on its way, and not read yet
            pings = [Ping(b"1"), Ping(b"2"), Ping(b"3")]
            for event in (*pings, TextMessage(data='{"from":"agent"}')):
                await service.theirs.send_all(service.agent.send(event))
            await wait_all_tasks_blocked()
            assert written == [b'{"from":"agent"}\n']
            replies = (await service.receive(3))[1:]  # one was on its way; then the last
            assert [bytes(each.payload) for each in replies] == [b"1", b"3"]
            nursery.cancel_scope.cancel()

    run(main)


def test_an_agent_that_sends_pings_and_does_not_read_holds_up_no_end(lines, monkeypatch):
    async def main():
        service = Service()
        is_over = trio.Event()

        class Lines:
            def __aiter__(self):
                return self

            async def __anext__(self):
                await is_over.wait()
                raise StopAsyncIteration

        monkeypatch.setattr(bridge, "LineReader", Lines)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(SocketBridge(service, []).run)
            await service.accept(AcceptConnection())
            await service.theirs.send_all(service.agent.send(Ping()))
            await wait_all_tasks_blocked()  # the reply is on its way, and is never read
            is_over.set()

    run(main)


def test_a_response_that_msgspec_refuses_is_the_one_to_its_request(lines, written):
    """Half an emoji, as JavaScript writes it. Else an error would follow."""
    lines.append(FIRST)
    reply = '{"jsonrpc":"2.0","id":0,"result":"\\ud83d"}'

    async def main():
        service = Service()
        socket = SocketBridge(service, [])
        async with trio.open_nursery() as nursery:

            async def carry():
                assert await socket.run() == 0

            nursery.start_soon(carry)
            await service.accept(AcceptConnection())
            await service.receive(1)
            for event in (TextMessage(reply), CloseConnection(1000)):
                await service.theirs.send_all(service.agent.send(event))

    run(main)
    assert written == [reply.encode() + b"\n"]


@pytest.mark.parametrize(
    ("frame", "why"),
    [
        (b"\x81\x01\xff", "'utf-8' codec can't decode byte 0xff in position 0: invalid start byte"),
        (b"\x81\x80\0\0\0\0", "client received unexpected masked frame"),
    ],
)
def test_what_no_websocket_may_send_is_not_a_close_frame_of_the_agent(lines, written, frame, why):
    lines.append(FIRST)

    async def main():
        service = Service()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(SocketBridge(service, []).run)
            await service.accept(AcceptConnection())
            await service.receive(1)
            await service.theirs.send_all(frame)
            [end] = await service.receive(1)
            assert isinstance(end, CloseConnection)

    run(main)
    [failed] = map(json.loads, written)
    assert failed["error"]["message"] == f"acp-spy: the agent broke the WebSocket protocol: {why}"


def test_an_empty_message_is_no_line_for_the_client(lines, written):
    async def main():
        service = Service()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(SocketBridge(service, []).run)
            await service.accept(AcceptConnection())
            for event in (
                TextMessage(""),
                TextMessage("\n"),
                TextMessage("{}"),
                CloseConnection(1000),
            ):
                await service.theirs.send_all(service.agent.send(event))

    run(main)
    assert written == [b"{}\n"]


class LinesThatEnd:
    """Have the client send these lines, and close its stdin."""

    def __init__(self, lines):
        self.lines = list(lines)

    def __aiter__(self):
        return self

    async def __anext__(self):
        if not self.lines:
            raise StopAsyncIteration
        return self.lines.pop(0)


@pytest.mark.parametrize("does_respond", [True, False])
def test_a_response_is_waited_for_though_the_client_has_ended(monkeypatch, does_respond):
    """As with `echo ... | acp-spy -- wss://...`; but not for ever."""
    written = []

    class Writer:
        is_behind, waited = False, 0.0

        def __init__(self):
            self.lock = trio.Lock()

        async def write(self, data):
            async with self.lock:
                await trio.sleep(0.1)
                written.extend([data] if data else [])

    monkeypatch.setattr(bridge, "LineReader", partial(LinesThatEnd, [FIRST]))
    monkeypatch.setattr(bridge, "LineWriter", Writer)

    async def main():
        service = Service()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(SocketBridge(service, []).run)
            await service.accept(AcceptConnection())
            await service.receive(1)
            with trio.move_on_after(1) as waiting:
                await service.receive(1)
            assert waiting.cancelled_caught  # the end comes after the response, if one comes
            if does_respond:
                reply = service.agent.send(TextMessage(data=INITIALIZED.decode()))
                await service.theirs.send_all(reply)
            [end] = await service.receive(1)
            assert isinstance(end, CloseConnection)
            await service.theirs.send_all(service.agent.send(end.response()))
            await service.theirs.aclose()

    run(main)
    assert written[0] == LINE if does_respond else b"acp-spy: " in written[-1]


LONG = b'{"jsonrpc":"2.0","id":%d,"result":"' + b"x" * 500_000 + b'"}'  # more than a pipe holds


@pytest.fixture
def slow_reader(monkeypatch):
    """Return the descriptor at which the client reads, when it does."""
    reader, writer = os.pipe()
    monkeypatch.setattr(bridge, "LineWriter", lambda: LineWriter(writer))
    yield reader
    os.close(reader)
    os.close(writer)


def test_what_has_come_is_written_to_its_end_however_slowly_it_is_read(monkeypatch, slow_reader):
    """The second response waits in the socket for the first: it has come, too."""
    monkeypatch.setattr(
        bridge, "LineReader", partial(LinesThatEnd, [FIRST, FIRST.replace(b"0,", b"1,")])
    )
    got = []

    async def main():
        service = Service()
        socket = SocketBridge(service, [])
        async with trio.open_nursery() as nursery:

            async def carry():
                assert await socket.run() == 0

            async def respond():
                for ident in (0, 1):
                    reply = service.agent.send(TextMessage(data=(LONG % ident).decode()))
                    await service.theirs.send_all(reply)
                await service.receive(1)
                await service.theirs.aclose()

            nursery.start_soon(carry)
            await service.accept(AcceptConnection())
            await service.receive(2)
            nursery.start_soon(respond)
            await trio.sleep(10 * bridge.LAST_WORDS)
            lines = LineReader(slow_reader)
            got.append(await anext(lines))
            await trio.sleep(10 * bridge.LAST_WORDS)
            got.append(await anext(lines))

    run(main)
    assert got == [LONG % 0 + b"\n", LONG % 1 + b"\n"]


NOTIFICATION = b'{"jsonrpc":"2.0","method":"session/update","params":"' + b"x" * 500_000 + b'"}'


@pytest.mark.parametrize("writes", [True, False])
def test_what_has_come_is_written_at_the_end_of_either_side(
    monkeypatch, lines, slow_reader, writes
):
    """
    The client takes its time for each line, and the rest waits in the socket.

    It closes stdin; or it writes to an agent that has gone, and the response has come.
    """
    lines += [FIRST] if writes else []
    if not writes:
        monkeypatch.setattr(bridge, "LineReader", partial(LinesThatEnd, []))
    sent = [NOTIFICATION, NOTIFICATION, LONG % 0]
    got = []

    async def main():
        service = Service()
        socket = SocketBridge(service, [])
        async with trio.open_nursery() as nursery:

            async def carry():
                assert await socket.run() == 0

            async def respond():
                for each in sent:
                    message = service.agent.send(TextMessage(data=each.decode()))
                    await service.theirs.send_all(message)
                if not writes:
                    assert isinstance((await service.receive(1))[0], CloseConnection)
                await service.theirs.aclose()

            nursery.start_soon(carry)
            await service.accept(AcceptConnection())
            if writes:
                await service.receive(1)
            nursery.start_soon(respond)
            await wait_all_tasks_blocked()  # a part of the first line is in the pipe
            if writes:
                await service.theirs.receive_stream.aclose()
                await socket._send(LINE)
            reader = LineReader(slow_reader)
            for _ in sent:
                await trio.sleep(10 * bridge.LAST_WORDS)
                got.append(await anext(reader))

    run(main)
    assert got == [each + b"\n" for each in sent]


def test_an_agent_that_takes_nothing_and_does_not_close_is_waited_for_a_little(lines, written):
    """Then what is pending fails."""
    lines.append(FIRST)

    async def main():
        service = Service()
        socket = SocketBridge(service, [])
        async with trio.open_nursery() as nursery:

            async def carry():
                assert await socket.run() == 1

            nursery.start_soon(carry)
            await service.accept(AcceptConnection())
            await service.theirs.receive_stream.aclose()

    run(main)
    [failed] = map(json.loads, written)
    assert failed["error"]["message"] == "acp-spy: the agent closed the connection"


@pytest.mark.parametrize("does_read", [True, False])
def test_a_signal_lets_a_line_be_finished_before_the_error(lines, slow_reader, does_read):
    lines += [FIRST, FIRST.replace(b"0,", b"1,")]
    got = []

    async def main():
        service = Service()
        socket = SocketBridge(service, [])
        async with trio.open_nursery() as nursery:
            nursery.start_soon(socket.run)
            await service.accept(AcceptConnection())
            await service.receive(2)
            await service.theirs.send_all(service.agent.send(TextMessage(data=(LONG % 0).decode())))
            await wait_all_tasks_blocked()  # a part of the line is in the pipe
            nursery.cancel_scope.cancel()

        async def read():
            reader = LineReader(slow_reader)
            while len(got) < 2:
                got.append(await anext(reader))

        async with trio.open_nursery() as nursery:
            if does_read:
                nursery.start_soon(read)
            assert await socket.end_by_signal() == 1

    run(main)
    if does_read:
        assert got[0] == LONG % 0 + b"\n"
        assert json.loads(got[1])["error"]["message"] == "acp-spy: ended by a signal"
    else:  # nothing is after the part that was written
        assert (LONG % 0).startswith(os.read(slow_reader, 1_000_000))


# ----------------------------------------------------------------------------- over HTTP


def test_a_request_that_is_cancelled_closes_its_connection(monkeypatch):
    """Also one that was kept from the request before."""
    monkeypatch.setattr(http_client, "_has_something", lambda _: False)  # a memory is no socket

    async def main():
        service = Service()
        response = None

        async def request():
            nonlocal response
            response = await client.request("POST", [], b"{}")
            await response.read()
            await client.request("POST", [], b"{}")

        async with trio.open_nursery() as nursery:
            client = HttpClient(service, [], Connector(service, nursery))
            nursery.start_soon(request)
            await service.theirs.receive_some()
            await service.theirs.send_all(b"HTTP/1.1 202 \r\ncontent-length: 0\r\n\r\n")
            await service.theirs.receive_some()
            await wait_all_tasks_blocked()
            assert response.status == 202
            nursery.cancel_scope.cancel()
        assert await service.theirs.receive_some() == b""

    run(main)


def test_a_stream_of_events_that_is_cancelled_closes_its_connection(monkeypatch):
    closed = []

    class Response:
        async def chunks(self):
            try:
                yield b"data: {}\n\n"
            finally:
                closed.append(True)

    async def never_taken(*_):
        await trio.sleep_forever()

    monkeypatch.setattr(HttpBridge, "_take", never_taken)

    async def main():
        with trio.move_on_after(1):
            await HttpBridge(Service(), [])._read_events(Response())
        assert closed

    run(main)


@pytest.mark.parametrize("ends_stream", [True, False])
def test_what_has_come_on_a_stream_is_written_though_the_client_has_ended(
    monkeypatch, slow_reader, ends_stream
):
    """The rest waits in the socket, because the client takes its time for each line."""
    monkeypatch.setattr(http_client, "_has_something", lambda _: False)  # a memory is no socket
    got = []

    async def main():
        service = Service()
        to_accept, accepted = trio.open_memory_channel(1)
        is_over = trio.Event()

        async def connect(*_):
            ours, theirs = lockstep_stream_pair()
            await to_accept.send(theirs)
            return ours

        async def lines():
            yield FIRST
            await is_over.wait()

        async def agent():
            stream = await accepted.receive()
            await receive(stream, until=FIRST.strip())
            await stream.send_all(OPENED)
            assert (await receive(stream, until=b"\r\n\r\n")).startswith(b"GET ")
            nursery.start_soon(send_events, stream)
            await wait_all_tasks_blocked()  # a part of the first line is in the pipe
            is_over.set()
            other = await accepted.receive()
            assert (await receive(other, until=b"\r\n\r\n")).startswith(b"DELETE ")
            await other.send_all(response(202))

        async def send_events(stream):
            await stream.send_all(STREAM)
            for _ in range(3):
                await stream.send_all(chunk(b"data: %b\n\n" % NOTIFICATION))
            if ends_stream:
                await stream.send_all(b"0\r\n\r\n")

        async def carry():
            assert await HttpBridge(service, []).run() == 0

        service.connect = connect
        monkeypatch.setattr(bridge, "LineReader", lines)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(carry)
            nursery.start_soon(agent)
            reader = LineReader(slow_reader)
            for _ in range(4):
                await trio.sleep(10 * bridge.LAST_WORDS)
                got.append(await anext(reader))
        assert service.complaints == []

    run(main)
    assert got == [LINE, *[NOTIFICATION + b"\n"] * 3]
