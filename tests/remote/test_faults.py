"""Clients and targets that misbehave: they are ended by a limit, and nobody else notices."""

import gzip
import os
import tracemalloc
import zlib
from contextlib import suppress
from functools import partial

import pytest
import trio
from support.processes import DEADLINE
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
from trio.testing import MockClock, memory_stream_pair

from acp_spy.capture.records import Disconnect, HttpExchange
from acp_spy.remote import exchange, http1_relay, plain_socket
from acp_spy.remote.body_copy import Decoded
from acp_spy.remote.http_server import ServedHttp
from acp_spy.remote.plain_socket import PlainSocket
from acp_spy.remote.room import Room
from acp_spy.remote.socket_copy import SocketCopy
from acp_spy.wire.frame import Frame, Peer


async def send_slowly(client, data):
    """Send a byte every seven seconds of a clock that is not waited for, and never all of them."""
    with suppress(trio.BrokenResourceError):  # until that is noticed
        for place in range(len(data) - 1):
            await client.send_all(data[place : place + 1])
            await trio.sleep(7)


def test_a_head_that_comes_byte_by_byte_is_ended_and_holds_up_nobody(tmp_path):
    lab = Lab(tmp_path)

    async def main():
        async with lab.client() as slow, lab.client() as client, trio.open_nursery() as nursery:
            nursery.start_soon(send_slowly, slow, get("Accept: text/event-stream"))
            await trio.sleep(25)
            await client.send_all(post(INITIALIZE))
            target = await lab.accepted()
            await receive(target, until=INITIALIZE)
            await target.send_all(OPENED)
            assert INITIALIZED in await receive(client, until=INITIALIZED)
            assert trio.current_time() - started < 30
            assert (await slow.receive_some()).startswith(b"HTTP/1.1 408 ")
            assert trio.current_time() - started < http1_relay.HEAD_TIMEOUT + 20
            nursery.cancel_scope.cancel()

    async def timed():
        nonlocal started
        started = trio.current_time()
        await main()

    started = 0.0
    trio.run(timed, clock=MockClock(autojump_threshold=0))
    assert lab.complaints == []


def test_a_head_that_comes_byte_by_byte_to_what_we_serve_is_ended(tmp_path):
    async def main():
        ours, theirs = memory_stream_pair()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(send_slowly, theirs, get("Accept: text/event-stream"))
            await ServedHttp(ours, Lab(tmp_path), None).run()
            assert await theirs.receive_some() == b""
            nursery.cancel_scope.cancel()

    trio.run(main, clock=MockClock(autojump_threshold=0))


def test_a_target_that_restarts_is_reached_again_and_recorded_in_the_same_capture(tmp_path):
    lab = Lab(tmp_path)
    later = post(b'{"jsonrpc":"2.0","id":1,"method":"session/list"}', "Acp-Connection-Id: c-1")

    async def main():
        async with lab.client() as client:
            await client.send_all(post(INITIALIZE))
            target = await lab.accepted()
            await receive(target, until=INITIALIZE)
            await target.send_all(OPENED)
            await receive(client, until=INITIALIZED)
            await target.aclose()
            assert await receive(client) == b""
        lab._unreachable = ConnectionRefusedError(111, "Connection refused")
        async with lab.client() as client:
            await client.send_all(later)
            assert (await receive(client)).startswith(b"HTTP/1.1 502 ")
        lab._unreachable = None
        async with lab.client() as client:
            await client.send_all(later)
            target = await lab.accepted(1)
            await receive(target, until=b"list")
            await target.send_all(response(404, b"Unknown connection"))
            assert b"Unknown connection" in await receive(client, until=b"connection")

    trio.run(main)
    statuses = [record.status for record in lab.records() if isinstance(record, HttpExchange)]
    assert statuses == [200, 502, 404]
    assert len(list(tmp_path.iterdir())) == 1


def test_events_are_recorded_and_delivered_wherever_the_stream_is_split(tmp_path):
    lab = Lab(tmp_path)
    events = [b'{"n":%d}' % number for number in range(3)]
    body = b"".join(chunk(b"data: %b\n\n" % event) for event in events)

    async def main():
        for number, place in enumerate(range(1, len(body))):
            async with lab.client() as client:
                await client.send_all(get("Accept: text/event-stream", "Acp-Connection-Id: c-1"))
                target = await lab.accepted(number)
                await receive(target, until=b"\r\n\r\n")
                await target.send_all(STREAM + body[:place])
                await trio.testing.wait_all_tasks_blocked()
                await target.send_all(body[place:])
                assert await receive(client, len(STREAM) + len(body)) == STREAM + body

    trio.run(main)
    raws = [record.raw for record in lab.records() if isinstance(record, Frame)]
    assert raws == [event + b"\n" for event in events] * (len(body) - 1)


def test_a_compressed_bomb_is_delivered_and_not_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr(exchange, "SocketCopy", partial(SocketCopy, longest=1000))
    squeeze = zlib.compressobj(9, zlib.DEFLATED, -15)
    payload = squeeze.compress(b"x" * 20_000) + squeeze.flush(zlib.Z_SYNC_FLUSH)[:-4]
    bomb = bytes([0xC1, len(payload)]) + payload
    opened = (
        b"HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n"
    )
    lab = Lab(tmp_path)

    async def main():
        async with lab.client() as client:
            await client.send_all(get("Upgrade: websocket", "Connection: Upgrade"))
            target = await lab.accepted()
            await receive(target, until=b"\r\n\r\n")
            await target.send_all(opened + bomb)
            assert (await receive(client, until=bomb)).endswith(bomb)
            await target.aclose()
            await receive(client)

    trio.run(main)
    (end,) = [record for record in lab.records() if isinstance(record, Disconnect)]
    assert end.error == "cannot read what the agent sends: a message is longer than 1000 bytes"


def test_a_body_that_is_a_bomb_is_not_unpacked_beyond_a_limit():
    bomb = gzip.compress(b"x" * 20_000_000)
    body = Decoded("gzip", 1_000_000)
    assert len(body.feed(bomb)) <= 1_000_000 + 16 * 1024 * 1024 + len(bomb)
    assert body.feed(b"more") == b"more"


def test_a_bomb_that_comes_in_small_pieces_is_one_too():
    bomb = gzip.compress(b"x" * 20_000_000)
    body = Decoded("gzip", 1_000_000)
    pieces = (bomb[at : at + 100] for at in range(0, len(bomb), 100))
    assert len(b"".join(map(body.feed, pieces))) <= 1_200_000 + len(bomb)


def test_a_body_may_have_several_streams_of_gzip_one_after_the_other():
    body = Decoded("gzip", 1_000_000)
    whole = gzip.compress(b"one ") + gzip.compress(b"two ") + gzip.compress(b"three")
    assert b"".join(body.feed(whole[at : at + 7]) for at in range(0, len(whole), 7)) == (
        b"one two three"
    )
    assert Decoded("gzip", 1_000_000).feed(whole) == b"one two three"


def test_what_comes_after_a_compressed_body_is_left_out_and_not_kept():
    body = Decoded("gzip", 1_000_000)
    tracemalloc.start()
    try:
        assert body.feed(gzip.compress(b"{}") + b"x" * 100) == b"{}"
        for _ in range(100):
            assert body.feed(b"x" * 20_000) == b""
        assert tracemalloc.get_traced_memory()[0] < 100_000
    finally:
        tracemalloc.stop()


def test_a_plain_socket_waits_for_a_slow_reader_and_has_the_errors_of_trio():
    data = bytes(range(256)) * 20_000

    async def main():
        ours, theirs = map(trio.SocketStream, trio.socket.socketpair())
        plain = PlainSocket(ours)
        async with theirs, trio.open_nursery() as nursery:
            nursery.start_soon(plain.send_all, data)
            await trio.testing.wait_all_tasks_blocked()
            with pytest.raises(trio.BusyResourceError):
                await plain.send_all(b"in between")
            assert await receive(theirs, len(data)) == data
            await theirs.send_all(b"answer")
            assert await plain.receive_some(100) == b"answer"
            nursery.start_soon(_expect_closed, plain)
            await trio.testing.wait_all_tasks_blocked()
            await plain.aclose()
        with pytest.raises(trio.ClosedResourceError):
            await plain.send_all(b"more")

    async def _expect_closed(plain):
        with pytest.raises(trio.ClosedResourceError):
            await plain.receive_some(100)

    trio.run(main)


def test_a_plain_socket_waits_for_every_fourth_piece_of_a_burst_and_whenever_there_is_nothing(
    monkeypatch,
):
    waits = []

    async def wait_readable(descriptor):
        waits.append(descriptor)
        await trio.lowlevel.wait_readable(descriptor)

    monkeypatch.setattr(plain_socket, "wait_readable", wait_readable)

    async def main():
        ours, theirs = map(trio.SocketStream, trio.socket.socketpair())
        async with ours, theirs, trio.open_nursery() as nursery:
            reader = PlainSocket(ours)
            await theirs.send_all(b"x" * 8400)
            assert [len(await reader.receive_some(1000)) for _ in range(9)] == [*[1000] * 8, 400]
            assert len(waits) == 3
            await theirs.send_all(b"y" * 1000)
            assert await reader.receive_some(1000) == b"y" * 1000
            assert len(waits) == 4

            async def send_later():
                await trio.testing.wait_all_tasks_blocked()
                assert len(waits) == 5  # nothing was there, although the last piece was whole
                await theirs.send_all(b"z")

            nursery.start_soon(send_later)
            assert await reader.receive_some(1000) == b"z"

    trio.run(main)


def test_what_is_compressed_in_an_unknown_way_is_forwarded_and_the_capture_says_so(tmp_path):
    lab = Lab(tmp_path)
    squeezed = b"\x8b\x02\x80{}\n\n\x03"
    body = response(200, squeezed, "Content-Type: application/json", "Content-Encoding: br")
    head = STREAM.replace(b"Transfer", b"Content-Encoding: br\r\nTransfer")
    stream = head + chunk(squeezed) + b"0\r\n\r\n"

    async def main():
        async with lab.client() as client:
            for answer in (body, stream):
                await client.send_all(get("Accept: text/event-stream", "Acp-Connection-Id: c-1"))
                target = await lab.accepted()
                await receive(target, until=b"\r\n\r\n")
                await target.send_all(answer)
                assert await receive(client, len(answer)) == answer

    trio.run(main)
    plain, _, end = lab.records()
    assert plain.body == "8 bytes, compressed with `br`"
    assert end.error == "cannot read the events: they are compressed with `br`"


LONG = b"x" * 100_000


def parts_of(lab):
    frames = [record for record in lab.records() if isinstance(record, Frame)]
    return [frame.raw for frame in frames if frame.sender is Peer.AGENT]


def test_an_event_that_is_too_long_is_recorded_in_parts_and_delivered_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(exchange, "PART", 60_000)
    lab = Lab(tmp_path)
    lab.conversations.room = Room(longest=150_000)
    body = b"data: " + 3 * LONG + b"\n\ndata: {}\n\ndata: " + 2 * LONG + b"end"
    chunks = [chunk(body[at : at + 50_000]) for at in range(0, len(body), 50_000)]

    async def main():
        async with lab.client() as client:
            await client.send_all(get("Accept: text/event-stream", "Acp-Connection-Id: c-1"))
            target = await lab.accepted()
            await receive(target, until=b"\r\n\r\n")
            for piece in (STREAM, *chunks, b"0\r\n\r\n"):
                await target.send_all(piece)
                assert await receive(client, len(piece)) == piece

    trio.run(main)
    raws = parts_of(lab)
    at = raws.index(b"{}\n")
    first, second = (
        b"".join(raw.removesuffix(b"\n") for raw in some) for some in (raws[:at], raws[at + 1 :])
    )
    assert first == b"data: " + 3 * LONG
    assert second == b"data: " + 2 * LONG + b"end"
    assert lab.complaints == []


def test_a_body_that_is_too_long_is_recorded_in_parts_to_its_end(tmp_path, monkeypatch):
    monkeypatch.setattr(exchange, "PART", 60_000)
    lab = Lab(tmp_path)
    lab.conversations.room = Room(longest=150_000)
    body = b'"' + 3 * LONG + b'"'

    async def main():
        async with lab.client() as client, trio.open_nursery() as nursery:
            nursery.start_soon(client.send_all, post(body))
            target = await lab.accepted()
            assert (await receive(target, until=LONG + b'"')).endswith(body)
            nursery.start_soon(target.send_all, response(200, body))
            assert (await receive(client, until=LONG + b'"')).endswith(body)

    trio.run(main)
    frames = [record for record in lab.records() if isinstance(record, Frame)]
    for peer in Peer:
        raws = [frame.raw for frame in frames if frame.sender is peer]
        assert b"".join(raw.removesuffix(b"\n") for raw in raws) == body
        assert len(raws) > 1
    assert lab.complaints == []


def test_streams_that_end_no_message_have_one_limit_for_all(tmp_path):
    lab = Lab(tmp_path)
    lab.conversations.room = Room(most=250_000)

    async def main():
        async with lab.client() as one, lab.client() as two, lab.client() as three:
            for number, client in enumerate((one, two, three)):
                await client.send_all(get("Accept: text/event-stream", "Acp-Connection-Id: c-1"))
                target = await lab.accepted(number)
                await receive(target, until=b"\r\n\r\n")
                await target.send_all(STREAM + chunk(b"data: " + LONG))
                await receive(client, until=LONG)
                assert len(parts_of(lab)) == (1 if number == 2 else 0)
            await target.send_all(chunk(b"{}\n\n"))
            await receive(client, until=b"{}\n\n")

    trio.run(main)
    assert parts_of(lab) == [b"data: " + LONG + b"\n", b"{}\n"]
    assert lab.complaints == []


def test_a_socket_that_ends_no_message_is_read_no_longer_when_too_much_waits(tmp_path):
    lab = Lab(tmp_path)
    lab.conversations.room = Room(most=90_000)
    begun = b"\x81\x7f" + (1_000_000).to_bytes(8, "big") + LONG

    async def main():
        async with lab.client() as client:
            await client.send_all(get("Upgrade: websocket", "Connection: Upgrade"))
            target = await lab.accepted()
            await receive(target, until=b"\r\n\r\n")
            switch = b"HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"
            await target.send_all(switch + begun)
            assert (await receive(client, until=begun)).endswith(begun)
            await target.aclose()
            await receive(client)

    trio.run(main)
    (end,) = [record for record in lab.records() if isinstance(record, Disconnect)]
    words = "cannot read what the agent sends: too much waits for the end of messages"
    assert end.error == words


@pytest.mark.parametrize(
    "body",
    [
        b'{"jsonrpc":"2.0","id":1,"result":[%b[]]}' % (b"[]," * 300_000),
        b"[%b[]]" % (b"[]," * 300_000),
    ],
    ids=["message", "batch"],
)
def test_what_is_in_a_large_body_is_not_made_into_values(body):
    tracemalloc.start()
    try:
        assert exchange._is_message(body)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < len(body)


# ----------------------------------------------------------------------------- both tasks at once

BROKEN = b"HTTP/1.1 999999 x\r\n\r\n"
IN_CHUNKS = post(b"").replace(b"Content-Length: 0", b"Transfer-Encoding: chunked") + chunk(b"[")


def complaints_of(lab):
    """Return the lines on stderr; none may say that it is our fault."""
    assert not [line for line in lab.complaints if "bug" in line]
    return lab.complaints


def test_a_target_that_does_not_speak_http_may_say_so_before_it_has_the_body(tmp_path):
    lab = Lab(tmp_path, sockets=True)

    async def main():
        async with lab.client() as client:
            request = post(b"[" * 200_000)
            await client.send_all(request[:1000])
            target = await lab.accepted()
            await receive(target, until=b"[[")
            await target.send_all(BROKEN)
            answer = await receive(client, until=b"speak HTTP")
            assert answer.startswith(b"HTTP/1.1 502 ")
            await client.send_all(request[1000:])
            await trio.testing.wait_all_tasks_blocked()

    trio.run(main)
    (line,) = complaints_of(lab)
    assert line.startswith("http://target.example:8080/acp does not speak HTTP: ")


def test_a_client_that_does_not_read_its_response_may_go_on_with_what_is_not_http(tmp_path):
    lab = Lab(tmp_path, sockets=True)
    large = response(200, b"x" * 50_000)  # more than the socket takes, and read at once

    async def main():
        async with lab.client() as client:
            await client.send_all(post(INITIALIZE))
            target = await lab.accepted()
            await receive(target, until=INITIALIZE)
            await target.send_all(large)
            await trio.testing.wait_all_tasks_blocked()
            await client.send_all(b"\x1b[31m\r\n\r\n")
            await trio.testing.wait_all_tasks_blocked()
            assert await receive(client, len(large)) == large

    trio.run(main)
    assert complaints_of(lab) == []


@pytest.mark.parametrize(
    ("first", "more", "then"),
    [
        (IN_CHUNKS, b"-1\r\n", BROKEN),
        (post(INITIALIZE), IN_CHUNKS, b""),
        (post(INITIALIZE), b"\x1b[31m\r\n\r\n", b""),
    ],
)
def test_both_peers_may_break_off_at_once(tmp_path, first, more, then):
    """The order in which they are noticed is left to chance, so it is done some times."""
    lab = Lab(tmp_path, sockets=True)

    async def main(number):
        async with lab.client() as client:
            await client.send_all(first)
            target = await lab.accepted(number)
            await receive(target, until=first[-1:])
            if not then:
                await target.send_all(OPENED)
                await receive(client, until=INITIALIZED)
            await trio.testing.wait_all_tasks_blocked()
            # No task runs between these.
            os.write(client.socket.fileno(), more)
            os.write(target.socket.fileno(), then)
            target.socket.close()
            await trio.testing.wait_all_tasks_blocked()

    for number in range(30):
        trio.run(main, number)
    complaints_of(lab)


# ----------------------------------------------------------------------------- resets

UNTIL_CLOSE = b"HTTP/1.1 200 OK\r\nContent-Type: %b\r\n\r\n"
HALF = b'{"jsonrpc":"2.0","id":1,"res'


async def until_reset(stream):
    """Return what comes, and whether the connection was reset at last."""
    data = b""
    with trio.fail_after(DEADLINE):
        try:
            while some := await stream.receive_some():
                data += bytes(some)
        except trio.BrokenResourceError:
            return data, True
    return data, False


@pytest.mark.parametrize("version", [b"1.1", b"1.0"])
@pytest.mark.parametrize("is_released", [True, False])
def test_a_body_without_a_length_whose_target_is_reset_is_not_complete(
    version, is_released, tmp_path, monkeypatch
):
    """A client of HTTP/1.0 would take the end of its connection for the end of the body."""
    monkeypatch.setattr(http1_relay, "HOLD", 0 if is_released else DEADLINE)
    lab = Lab(tmp_path, tcp=True)

    async def main():
        async with lab.client() as client:
            await client.send_all(post(INITIALIZE).replace(b"HTTP/1.1", b"HTTP/" + version))
            target = await lab.accepted()
            await receive(target, until=INITIALIZE)
            await target.send_all(UNTIL_CLOSE % b"application/json" + HALF)
            if is_released:
                await receive(client, until=HALF)
            else:
                await trio.testing.wait_all_tasks_blocked()
            await reset(target)
            data, is_reset = await until_reset(client)
            assert not data.endswith(b"0\r\n\r\n")
            assert is_reset is (version == b"1.0")

    trio.run(main)
    *_, head = [r for r in lab.records() if isinstance(r, HttpExchange)]
    why = "the target broke the connection or does not speak HTTP: Connection reset by peer"
    if is_released:
        end = lab.records()[-1]
        assert (head.error, end.by, end.lost, end.silence) == ("", "agent", True, 0)
        assert end.error == f"{why}; 28 bytes of a message that did not end had come"
    else:
        assert (head.error, head.body.encode()) == (why, HALF)


def test_events_without_a_length_whose_target_is_reset_are_lost(tmp_path):
    lab = Lab(tmp_path, tcp=True)

    async def main():
        async with lab.client() as client:
            await client.send_all(get("Accept: text/event-stream", "Acp-Connection-Id: c-1"))
            target = await lab.accepted()
            await receive(target, until=b"\r\n\r\n")
            await target.send_all(UNTIL_CLOSE % b"text/event-stream" + b"data: {}\n\ndata: {")
            await receive(client, until=b"data: {}\n\ndata: {\r\n")
            await reset(target)
            assert (await until_reset(client))[0] == b""  # and no last chunk

    trio.run(main)
    end = lab.records()[-1]
    assert (end.by, end.lost, end.events) == ("agent", True, 1)
    assert end.error.endswith("by peer; 7 bytes of a message that did not end had come")


def test_a_body_without_a_length_ends_with_its_connection(tmp_path):
    lab = Lab(tmp_path, tcp=True)

    async def main():
        async with lab.client() as client:
            await client.send_all(post(INITIALIZE))
            target = await lab.accepted()
            await receive(target, until=INITIALIZE)
            await target.send_all(UNTIL_CLOSE % b"application/json" + INITIALIZED)
            await target.aclose()
            assert (await receive(client)).endswith(b"\r\n0\r\n\r\n")

    trio.run(main)
    assert lab.records()[-1].raw == INITIALIZED + b"\n"


def test_a_reset_after_a_complete_response_is_no_loss(tmp_path):
    lab = Lab(tmp_path, tcp=True)

    async def main():
        async with lab.client() as client:
            await client.send_all(post(INITIALIZE))
            target = await lab.accepted()
            await receive(target, until=INITIALIZE)
            await target.send_all(OPENED)
            await receive(client, until=INITIALIZED)
            await reset(target)
            assert await until_reset(client) == (b"", False)

    trio.run(main)
    _, exchange, answer = lab.records()
    assert (exchange.status, exchange.error, answer.raw) == (200, "", INITIALIZED + b"\n")
