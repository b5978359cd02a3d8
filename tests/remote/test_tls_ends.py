"""Ends of connections to a target by TLS, which has no half of a connection to close."""

import os
import ssl

import pytest
import trio
from support import certificates
from support.http2_peer import JSON, Http2Peer
from support.remote import (
    INITIALIZE,
    INITIALIZED,
    OPENED,
    STREAM,
    Lab,
    chunk,
    get,
    post,
    receive,
    reset,
    response,
)
from trio.testing import MockClock, memory_stream_pair, wait_all_tasks_blocked
from wsproto import ConnectionType, WSConnection
from wsproto.events import AcceptConnection, TextMessage

from acp_spy.capture.records import Disconnect
from acp_spy.remote import bridge, http1_relay
from acp_spy.remote.bridge import SocketBridge
from acp_spy.remote.plain_socket import LINGER
from acp_spy.remote.stdio_lines import LineReader, LineWriter
from acp_spy.remote.tls_stream import TlsStream

EVENT = b'data: {"jsonrpc":"2.0","id":1,"result":{"sessionId":"s-1"}}\n\n'
EVENTS = get("Accept: text/event-stream", "Acp-Connection-Id: c-1")
UNTIL_CLOSE = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"
SWITCH = b"HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return certificates.make(tmp_path_factory.mktemp("certificates"))


class SecureLab(Lab):
    """A lab whose connections to the target are by TLS, and HTTP/1.1."""

    def __init__(self, folder, made, **options):
        super().__init__(folder, **options)
        self._trusting = ssl.create_default_context(cafile=made[0])
        self._serving = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        self._serving.load_cert_chain(*made[1:])

    async def connect(self, protocols):
        ours = await super().connect(protocols)
        theirs = trio.SSLStream(
            self.connections[-1], self._serving, server_side=True, https_compatible=True
        )
        self.connections[-1] = theirs
        return TlsStream(
            trio.SSLStream(ours, self._trusting, server_hostname="127.0.0.1", https_compatible=True)
        )


async def begun(lab, client, request=None):
    """Send a request, and nothing after it; return the target's end."""
    request = request or post(INITIALIZE)
    await client.send_all(request)
    await client.send_eof()
    target = await lab.accepted()
    await receive(target, until=request[-8:])
    await wait_all_tasks_blocked()
    return target


async def open_conversation(lab, client):
    await client.send_all(post(INITIALIZE))
    target = await lab.accepted()
    await receive(target, until=INITIALIZE)
    await target.send_all(OPENED)
    await receive(client, until=INITIALIZED)
    return target


@pytest.mark.parametrize("header", ["Accept: application/json", "Connection: close"])
def test_a_client_that_has_closed_its_half_gets_the_response_that_is_due(header, made, tmp_path):
    lab = SecureLab(tmp_path, made)

    async def main():
        async with lab.client() as client:
            target = await begun(lab, client, post(INITIALIZE, header))
            await target.send_all(OPENED)
            assert (await receive(client)).endswith(INITIALIZED)
            assert await receive(target) == b""

    trio.run(main)
    assert [getattr(record, "error", "") for record in lab.records()] == ["", "", ""]


def test_a_client_that_has_closed_its_half_gets_a_response_of_http_2(tmp_path):
    lab = Lab(tmp_path, http2=True)

    async def main():
        async with lab.client() as client:
            await client.send_all(post(INITIALIZE))
            await client.send_eof()
            target = Http2Peer(await lab.accepted(), is_client=False)
            ident, _, _ = await target.requested()
            await wait_all_tasks_blocked()
            await target.respond(ident, 200, JSON, body=INITIALIZED)
            assert INITIALIZED in await receive(client)

    trio.run(main)
    assert lab.records()[-1].raw == INITIALIZED + b"\n"


def test_a_client_that_has_closed_its_half_and_reads_slowly_gets_all_of_its_response(
    made, tmp_path
):
    lab = SecureLab(tmp_path, made, sockets=True)
    large = response(200, b"x" * 60_000)

    async def main():
        async with lab.client() as client, trio.open_nursery() as nursery:
            is_sent = trio.Event()

            async def serve():
                target = await lab.accepted()
                await receive(target, until=INITIALIZE)
                await target.send_all(OPENED)
                await receive(target, until=INITIALIZE)
                await target.send_all(large)
                is_sent.set()

            nursery.start_soon(serve)
            await client.send_all(post(INITIALIZE))
            await receive(client, until=INITIALIZED)
            await client.send_all(post(INITIALIZE))
            await is_sent.wait()
            await wait_all_tasks_blocked()
            await client.send_eof()
            await wait_all_tasks_blocked()
            assert await receive(client) == large

    trio.run(main)
    assert lab.complaints == []


def test_a_client_that_has_closed_its_half_gets_events_to_their_end(made, tmp_path):
    lab = SecureLab(tmp_path, made)

    async def main():
        async with lab.client() as client:
            target = await begun(lab, client, EVENTS)
            await target.send_all(STREAM + chunk(EVENT))
            await receive(client, until=chunk(EVENT))
            await target.send_all(chunk(EVENT) + b"0\r\n\r\n")
            assert await receive(client) == chunk(EVENT) + b"0\r\n\r\n"
            assert await receive(target) == b""

    trio.run(main)
    assert [r.events for r in lab.records() if isinstance(r, Disconnect)] == [2]


def test_a_client_that_ends_when_nothing_is_due_ends_the_connection(made, tmp_path):
    lab = SecureLab(tmp_path, made)

    async def main():
        async with lab.client() as client:
            target = await open_conversation(lab, client)
            await client.send_eof()
            assert await receive(target) == b""
            assert await receive(client) == b""

    trio.run(main)


def test_a_client_that_ends_an_open_event_stream_ends_the_connection(made, tmp_path):
    lab = SecureLab(tmp_path, made)

    async def main():
        started = trio.current_time()
        async with lab.client() as client:
            target = await open_conversation(lab, client)
            await client.send_all(EVENTS)
            await receive(target, until=b"\r\n\r\n")
            await target.send_all(STREAM)
            await receive(client, until=b"\r\n\r\n")
            await client.aclose()
            assert await receive(target) == b""
        assert trio.current_time() == started

    trio.run(main, clock=MockClock(autojump_threshold=0))
    assert (lab.records()[-1].by, lab.records()[-1].lost) == ("client", False)


def test_a_client_that_has_gone_for_good_is_waited_for_only_so_long(made, tmp_path):
    lab = SecureLab(tmp_path, made)

    async def main():
        async with lab.client() as client:
            target = await begun(lab, client)
            started = trio.current_time()
            while await target.receive_some():
                pass
            assert trio.current_time() - started <= 2 * http1_relay.SILENCE

    trio.run(main, clock=MockClock(autojump_threshold=0))
    assert lab.records()[-1].error.startswith("the client closed the connection before")


def test_the_close_frame_of_a_target_reaches_a_client_that_has_sent_its_own(made, tmp_path):
    lab = SecureLab(tmp_path, made)
    close = b"\x88\x02\x03\xe8"

    async def main():
        async with lab.client() as client:
            await client.send_all(get("Upgrade: websocket", "Connection: Upgrade"))
            target = await lab.accepted()
            await receive(target, until=b"\r\n\r\n")
            await target.send_all(SWITCH)
            await receive(client, until=b"\r\n\r\n")
            await client.send_all(b"\x88\x82\0\0\0\0\x03\xe8")
            await client.send_eof()
            await receive(target, 8)
            await target.send_all(close)
            assert await receive(client, len(close)) == close
            assert await receive(target) == b""  # after a second, although it has not ended itself

    trio.run(main, clock=MockClock(autojump_threshold=0))
    (end,) = [record for record in lab.records() if isinstance(record, Disconnect)]
    assert (end.by, end.lost) == ("client", False)


def test_a_client_that_is_behind_gets_what_its_agent_has_sent_before_it_ended(made, tmp_path):
    """It goes on sending, which nobody takes any more."""
    lab = SecureLab(tmp_path, made, sockets=True)
    frames = (b"\x82\x7e\x7d\x00" + b"x" * 32_000) * 10

    async def main():
        async with lab.client() as client:
            lab._pair = memory_stream_pair  # takes all at once; the client does not
            await client.send_all(get("Upgrade: websocket", "Connection: Upgrade"))
            target = await lab.accepted()
            await receive(target, until=b"\r\n\r\n")
            await target.send_all(SWITCH)
            await receive(client, until=b"\r\n\r\n")
            await target.send_all(frames)
            await wait_all_tasks_blocked()
            await target.transport_stream.receive_stream.aclose()
            await target.transport_stream.send_stream.aclose()
            for _ in range(3):
                await client.send_all(b"\x81\x82\0\0\0\0{}")
                await wait_all_tasks_blocked()
            await trio.sleep(1.2 * LINGER)  # it is no matter of time
            assert await receive(client) == frames

    trio.run(main)
    (end,) = [record for record in lab.records() if isinstance(record, Disconnect)]
    assert end.by == "agent"


@pytest.mark.parametrize("is_reset", [True, False])
def test_a_body_without_a_length_is_lost_if_tls_is_reset_but_not_if_it_is_closed(
    is_reset, made, tmp_path, monkeypatch
):
    """Many servers close the connection and do not say so by TLS."""
    monkeypatch.setattr(http1_relay, "HOLD", 0)
    lab = SecureLab(tmp_path, made, tcp=True)

    async def main():
        async with lab.client() as client, trio.open_nursery() as nursery:
            await client.send_all(post(INITIALIZE))
            target = await lab.accepted()
            await receive(target, until=INITIALIZE)
            nursery.start_soon(target.send_all, UNTIL_CLOSE + INITIALIZED)
            await receive(client, until=INITIALIZED + b"\r\n")
            end = reset if is_reset else trio.aclose_forcefully
            await end(target.transport_stream)
            assert await receive(client) == (b"" if is_reset else b"0\r\n\r\n")

    trio.run(main)
    last = lab.records()[-1]
    if is_reset:
        assert (last.lost, last.error.partition(";")[0][-24:]) == (True, "Connection reset by peer")
    else:
        assert last.raw == INITIALIZED + b"\n"


def test_a_bridge_delivers_what_has_come_although_its_agent_has_gone(made, tmp_path, monkeypatch):
    """The client writes while it is behind, and nothing can be sent any more."""
    lab = SecureLab(tmp_path, made)
    from_bridge, stdout = os.pipe()
    update = b'{"jsonrpc":"2.0","method":"session/update","params":"%b"}' % (b"x" * 100_000)
    sent = [update, update, INITIALIZED]
    got = []

    async def main():
        is_behind = trio.Event()

        async def lines():
            yield INITIALIZE + b"\n"
            await is_behind.wait()
            yield b"{}\n"

        async def carry():
            assert await SocketBridge(lab, []).run() == 0

        monkeypatch.setattr(bridge, "LineReader", lines)
        monkeypatch.setattr(bridge, "LineWriter", lambda: LineWriter(stdout))
        async with trio.open_nursery() as nursery:
            nursery.start_soon(carry)
            target, socket = await lab.accepted(), WSConnection(ConnectionType.SERVER)
            socket.receive_data(await receive(target, until=b"\r\n\r\n"))
            await target.send_all(socket.send(AcceptConnection()))
            await target.receive_some()
            for each in sent:
                await target.send_all(socket.send(TextMessage(each.decode())))
            await wait_all_tasks_blocked()  # a part of the first line is in the pipe
            await target.transport_stream.receive_stream.aclose()
            await target.transport_stream.send_stream.aclose()
            is_behind.set()
            await wait_all_tasks_blocked()
            reader = LineReader(from_bridge)
            got.extend([await anext(reader) for _ in sent])

    trio.run(main)
    for end in (from_bridge, stdout):
        os.close(end)
    assert got == [each + b"\n" for each in sent]
