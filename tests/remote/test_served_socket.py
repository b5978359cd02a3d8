"""A WebSocket that `serve` offers: what it replies to, while a message is on its way."""

import zlib
from types import SimpleNamespace

import pytest
import trio
from support.remote import INITIALIZED
from trio.testing import (
    MockClock,
    lockstep_stream_pair,
    memory_stream_pair,
    wait_all_tasks_blocked,
)
from wsproto import ConnectionType, WSConnection

from acp_spy.remote import socket_message
from acp_spy.remote.agent_server import Outlet, ServedSocket

UPGRADE = [
    *((b"host", b"agent"), (b"upgrade", b"websocket"), (b"connection", b"Upgrade")),
    *((b"sec-websocket-version", b"13"), (b"sec-websocket-key", b"dGhlIHNhbXBsZSBub25jZQ==")),
]
NO_MASK = bytes(4)


def outlet_with_a_message():
    outlet = Outlet()
    outlet.put(INITIALIZED)
    return outlet


def served_socket(stream, outlet, end, send=None, complain=None, more=()):
    """Return a WebSocket on `stream`, of which nothing is recorded."""
    request = SimpleNamespace(
        exchange=SimpleNamespace(upgraded=None, socket_data=None, lost=None),
        stream_and_rest=(stream, b""),
    )
    agent = SimpleNamespace(
        ident="c-1", outlet=lambda _: outlet, end=end, send=send, keep_unread=lambda: None
    )
    service = SimpleNamespace(observe=lambda *_: None, complain_once=complain)
    socket = WSConnection(ConnectionType.SERVER)
    socket.initiate_upgrade_connection([*UPGRADE, *more], "/acp")
    return ServedSocket(service, request, agent, socket)


@pytest.mark.parametrize(
    ("sent", "reply"),
    [
        (b"\x89\x80" + NO_MASK, b"\x8a\x00"),
        (b"\x88\x82" + NO_MASK + b"\x03\xe8", b"\x88\x02\x03\xe8"),
    ],
    ids=["ping", "close"],
)
def test_a_reply_waits_for_a_message_that_is_being_sent(sent, reply):
    async def main():
        ours, theirs = lockstep_stream_pair()
        socket = served_socket(ours, outlet_with_a_message(), lambda _by: None)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(socket.run)
            assert (await theirs.receive_some()).startswith(b"HTTP/1.1 101 ")
            await wait_all_tasks_blocked()  # the message is on its way, and not read yet
            await theirs.send_all(sent)
            await wait_all_tasks_blocked()
            message = b"\x81" + bytes([len(INITIALIZED)]) + INITIALIZED
            got = b""
            while len(got) < len(message + reply):
                got += await theirs.receive_some()
            assert got == message + reply
            nursery.cancel_scope.cancel()

    trio.run(main)


def test_a_client_that_pings_and_does_not_read_is_still_heard():
    """Its agent may wait for what it sends, and it for what the agent does then."""
    got = []

    async def main():
        ours, theirs = lockstep_stream_pair()

        async def send(payload):
            got.append(bytes(payload))

        socket = served_socket(ours, outlet_with_a_message(), lambda _by: None, send)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(socket.run)
            assert (await theirs.receive_some()).startswith(b"HTTP/1.1 101 ")
            await wait_all_tasks_blocked()  # the message is on its way, and not read yet
            for _ in range(3):
                await theirs.send_all(b"\x89\x80" + NO_MASK)
            await theirs.send_all(b"\x81\x82" + NO_MASK + b"{}")
            await wait_all_tasks_blocked()
            nursery.cancel_scope.cancel()

    trio.run(main)
    assert got == [b"{}"]


def test_a_client_that_closes_and_does_not_read_is_not_waited_for():
    async def main():
        ours, theirs = lockstep_stream_pair()
        outlet, ended = outlet_with_a_message(), []
        socket = served_socket(ours, outlet, ended.append)
        with trio.fail_after(1000):  # of a clock that takes no time
            async with trio.open_nursery() as nursery:
                nursery.start_soon(socket.run)
                assert (await theirs.receive_some()).startswith(b"HTTP/1.1 101 ")
                await wait_all_tasks_blocked()
                await theirs.send_all(b"\x88\x82" + NO_MASK + b"\x03\xe8")
        assert ended == ["client"]

    trio.run(main, clock=MockClock(autojump_threshold=0))


def test_a_client_that_does_not_reply_to_our_close_is_not_waited_for():
    async def main():
        ours, theirs = memory_stream_pair()
        outlet, ended = outlet_with_a_message(), []
        outlet.is_over = True
        with trio.fail_after(1000):  # of a clock that takes no time
            await served_socket(ours, outlet, ended.append).run()
        assert ended == ["agent"]
        assert b"\x03\xf3the agent has exited" in bytes(await theirs.receive_some())

    trio.run(main, clock=MockClock(autojump_threshold=0))


def test_a_client_that_has_gone_while_the_agent_does_not_read_is_noticed():
    """What it sent waits for the agent, so its end is not read."""

    async def main():
        ours, theirs = memory_stream_pair()
        ended = []

        async def send(_payload):
            await trio.sleep_forever()

        socket = served_socket(ours, outlet_with_a_message(), ended.append, send)
        with trio.fail_after(1000):  # of a clock that takes no time
            async with trio.open_nursery() as nursery:
                nursery.start_soon(socket.run)
                await theirs.send_all(b"\x81\x82" + NO_MASK + b"{}")
                await trio.sleep(100)
                assert b"\x89\x00" in bytes(await theirs.receive_some())  # pings
                assert ended == []
                await theirs.aclose()
        assert ended == ["client"]

    trio.run(main, clock=MockClock(autojump_threshold=0))


def _fragments():
    yield b"\x01\xfe\x27\x10" + NO_MASK + b"x" * 10_000
    yield b"\x00\xfe\x27\x10" + NO_MASK + b"x" * 10_000


def _bomb():
    pack = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = (pack.compress(b"x" * 20_000) + pack.flush(zlib.Z_SYNC_FLUSH))[:-4]
    assert len(packed) < 100
    yield b"\xc1" + bytes([0x80 | len(packed)]) + NO_MASK + packed


@pytest.mark.parametrize("frames", [_fragments, _bomb])
def test_a_message_that_is_too_long_closes_the_socket(frames, monkeypatch):
    monkeypatch.setattr(socket_message, "LONGEST", 15_000)
    deflate = (b"sec-websocket-extensions", b"permessage-deflate")
    ended, sent, complaints = [], [], []

    async def send(payload):
        sent.append(payload)

    async def main():
        ours, theirs = memory_stream_pair()
        socket = served_socket(ours, Outlet(), ended.append, send, complaints.append, [deflate])
        async with trio.open_nursery() as nursery:
            nursery.start_soon(socket.run)
            assert b"permessage-deflate" in await theirs.receive_some()
            for frame in frames():
                await theirs.send_all(frame)
            assert (await theirs.receive_some())[2:4] == (1009).to_bytes(2, "big")

    trio.run(main)
    assert ended == ["proxy"]
    assert not sent
    assert complaints == ["a WebSocket was closed: a message is longer than 0 MiB"]
