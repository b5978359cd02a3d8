"""Many connections at once and one after the other, and readers that do not read."""

import trio
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
    response,
)

from acp_spy.remote import conversations
from acp_spy.remote.run_http import relay

MANY = 100  # a thousand, over TCP: test_thousand.py
BIG = chunk(b"data: " + b"x" * 60_000 + b"\n\n")


async def open_one(lab, number, client):
    await client.send_all(post(INITIALIZE))
    target = await lab.accepted(number)
    await receive(target, until=INITIALIZE)
    await target.send_all(OPENED.replace(b"c-1", b"c-%d" % number))
    await receive(client, until=INITIALIZED)
    return target


def test_conversations_that_nobody_ends_do_not_pile_up(tmp_path, monkeypatch):
    monkeypatch.setattr(conversations, "MOST_IDLE", 10)
    lab = Lab(tmp_path)

    async def main():
        for number in range(50):
            async with lab.client() as client:
                await open_one(lab, number, client)

    trio.run(main)
    assert len(lab.conversations._open) <= 11
    assert len(lab.conversations._by_key) <= 11
    assert len(list(tmp_path.iterdir())) == 50


def test_ended_conversations_are_forgotten(tmp_path):
    lab = Lab(tmp_path)

    async def main():
        for number in range(20):
            async with lab.client() as client:
                target = await open_one(lab, number, client)
                delete = get(f"Acp-Connection-Id: c-{number}").replace(b"GET", b"DELETE")
                await client.send_all(delete)
                await receive(target, until=b"\r\n\r\n")
                await target.send_all(response(202))
                await receive(client, until=b"\r\n\r\n")

    trio.run(main)
    assert (lab.conversations._open, lab.conversations._by_key) == ({}, {})


def test_many_connections_at_once_belong_to_one_conversation(tmp_path):
    lab = Lab(tmp_path)

    async def stream(number, ready):
        async with lab.client() as client:
            await client.send_all(get("Accept: text/event-stream", "Acp-Connection-Id: c-0"))
            target = await lab.accepted(number)
            await receive(target, until=b"\r\n\r\n")
            await target.send_all(STREAM + chunk(b'data: {"n":%d}\n\n' % number))
            await receive(client, until=b"}")
            ready.append(number)
            while len(ready) < MANY:
                await trio.lowlevel.checkpoint()

    async def main():
        async with lab.client() as client:
            await open_one(lab, 0, client)
        ready = []
        async with trio.open_nursery() as nursery:
            for number in range(1, MANY + 1):
                nursery.start_soon(stream, number, ready)

    trio.run(main)
    lab.conversations.close()
    frames = [record for record in lab.records() if getattr(record, "raw", b"")[:4] == b'{"n"']
    assert len(frames) == MANY


def test_a_client_that_does_not_read_makes_the_target_wait(tmp_path):
    """Over real sockets, whose buffers are all that fills."""
    lab = Lab(tmp_path)
    sent = 0

    async def target_of(stream):
        nonlocal sent
        async with stream:
            await receive(stream, until=b"\r\n\r\n")
            await stream.send_all(STREAM)
            while True:
                await stream.send_all(BIG)
                sent += len(BIG)

    async def main():
        async with trio.open_nursery() as nursery:
            listeners = await nursery.start(trio.serve_tcp, target_of, 0)
            port = listeners[0].socket.getsockname()[1]

            async def connect(_protocols):
                return await trio.open_tcp_stream("127.0.0.1", port)

            lab.connect = connect

            async def relayed(stream):
                await relay(stream, lab)

            relays = await nursery.start(trio.serve_tcp, relayed, 0)
            client = await trio.open_tcp_stream("127.0.0.1", relays[0].socket.getsockname()[1])
            await client.send_all(get("Accept: text/event-stream", "Acp-Connection-Id: c-1"))
            before = -1
            while sent != before:
                before = sent
                await trio.testing.wait_all_tasks_blocked(0.1)
            assert before < 64_000_000
            await client.aclose()
            nursery.cancel_scope.cancel()

    trio.run(main)
