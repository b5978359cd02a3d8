"""HTTP/2 peers that send too much, or take nothing: they are limited, and nobody else notices."""

import pytest
import trio
from h2.errors import ErrorCodes
from h2.events import ConnectionTerminated, DataReceived, ResponseReceived, StreamReset
from h2.settings import SettingCodes
from support import effort
from support.http2_peer import ACP, JSON, Http2Peer
from support.remote import INITIALIZE, OPENED, STREAM, Lab, chunk, receive, response
from trio.testing import MockClock, memory_stream_pair, wait_all_tasks_blocked

from acp_spy.remote import connector, http2, incoming
from acp_spy.remote.connector import Connector
from acp_spy.wire.frame import Frame

EVENT = b'{"jsonrpc":"2.0","method":"session/update"}'
GET_EVENTS = ("accept", "text/event-stream")
CONNECTION = ("acp-connection-id", "c-1")


def frame(kind, flags, stream, body):
    head = len(body).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big")
    return head + body


async def still_works(lab, number):
    """Relay an exchange of another client."""
    async with lab.client() as stream:
        client = Http2Peer(stream, is_client=True)
        ident = await client.request("POST", JSON, body=INITIALIZE)
        target = await lab.accepted(number)
        await receive(target, until=INITIALIZE)
        await target.send_all(OPENED)
        assert (await client.response(ident))[0] == 200


@pytest.mark.parametrize(
    "flood",
    [
        frame(6, 0, 0, b"12345678") * 5000,  # PING
        frame(4, 0, 0, b"") * 5000,  # SETTINGS
    ],
    ids=["ping", "settings"],
)
def test_a_client_that_reads_no_answers_to_its_flood_is_no_longer_read(flood, monkeypatch):
    monkeypatch.setattr(http2, "MOST_OUTPUT", 16_384)

    async def ignore(_stream):
        await trio.lowlevel.checkpoint()

    async def main():
        ours, theirs = memory_stream_pair()
        # A pipe in memory takes everything; this one stands for a socket whose buffer is full.
        ours.send_stream.send_all_hook = trio.sleep_forever
        connection = http2.Http2Connection(ours, ignore)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(connection.run)
            client = Http2Peer(theirs, is_client=True)
            await client.flush()
            for start in range(0, len(flood), 4096):
                await theirs.send_all(flood[start : start + 4096])
                await wait_all_tasks_blocked()
            assert len(connection._out) <= http2.MOST_OUTPUT + 4096
            nursery.cancel_scope.cancel()

    trio.run(main)


def test_streams_that_are_reset_are_not_connected_for_any_longer(tmp_path):
    lab = Lab(tmp_path)
    connecting = most = 0

    async def connect(_protocols):
        nonlocal connecting, most
        connecting += 1
        most = max(most, connecting)
        try:
            await trio.sleep_forever()
        finally:
            connecting -= 1

    async def main():
        lab.connect, usual = connect, lab.connect
        async with lab.client() as stream:
            client = Http2Peer(stream, is_client=True)
            waiting = await client.request("GET", GET_EVENTS)
            await wait_all_tasks_blocked()
            assert connecting == 1
            for _ in range(4 * http2.MOST_STREAMS):
                ident = client.h2.get_next_available_stream_id()
                client.h2.send_headers(ident, [(":method", "GET"), *ACP], end_stream=True)
                client.h2.reset_stream(ident, ErrorCodes.CANCEL)
            await client.flush()
            await wait_all_tasks_blocked()
            assert connecting == 1
            assert most <= 2 * http2.MOST_STREAMS
            client.h2.reset_stream(waiting, ErrorCodes.CANCEL)
            await client.flush()
            await wait_all_tasks_blocked()
            assert connecting == 0
            lab.connect = usual
            await still_works(lab, 0)
            lab.connect = connect
            await client.request("GET", GET_EVENTS)
            await wait_all_tasks_blocked()
            assert connecting == 1
            await stream.aclose()  # and so if the client goes
            await wait_all_tasks_blocked()
            assert connecting == 0

    trio.run(main)
    assert lab.complaints == []


def test_more_streams_than_are_allowed_end_the_connection(tmp_path):
    lab = Lab(tmp_path)

    async def main():
        async with lab.client() as stream:
            client = Http2Peer(stream, is_client=True)
            await client.read()  # the settings; then the limit is not kept to
            for _ in range(http2.MOST_STREAMS + 1):
                client.h2.remote_settings[SettingCodes.MAX_CONCURRENT_STREAMS] = 10_000
                client.h2.remote_settings.acknowledge()
                ident = client.h2.get_next_available_stream_id()
                client.h2.send_headers(ident, [(":method", "GET"), *ACP], end_stream=True)
            await client.flush()
            await client.until(ConnectionTerminated)

    trio.run(main)
    assert lab.complaints == []


@pytest.mark.parametrize("kind", ["large", "continued", "frame"])
def test_a_head_without_an_end_ends_the_connection(kind, tmp_path):
    lab = Lab(tmp_path)

    async def main():
        async with lab.client() as stream:
            client = Http2Peer(stream, is_client=True)
            await client.flush()
            if kind == "large":  # small on the wire: a large value once, then by its number
                value = [("x-a", "v" * 4000)]
                head = [(":method", "GET"), *ACP, *value * 200]
                client.h2.send_headers(1, head, end_stream=True)
                await client.flush()
            elif kind == "continued":
                await stream.send_all(frame(1, 0, 1, b"\x82") + frame(9, 0, 1, b"") * 1000)
            else:
                await stream.send_all((2**24 - 1).to_bytes(3, "big") + b"\0\0\0\0\0\1")
            await client.until(ConnectionTerminated)
        assert lab.connections == []
        await still_works(lab, 0)

    trio.run(main)
    assert lab.complaints == []


def test_a_client_with_a_window_of_zero_stops_its_stream_and_no_other(tmp_path):
    lab = Lab(tmp_path)

    async def main():
        async with lab.client() as stream:
            client = Http2Peer(stream, is_client=True)
            client.h2.update_settings({SettingCodes.INITIAL_WINDOW_SIZE: 0})
            ident = await client.request("GET", GET_EVENTS, CONNECTION)
            target = await lab.accepted()
            await receive(target, until=b"\r\n\r\n")
            await target.send_all(STREAM + chunk(b"data: %b\n\n" % EVENT))
            await client.until(ResponseReceived, ident)
            await wait_all_tasks_blocked()
            assert not [event for event in client.events if isinstance(event, DataReceived)]
            other = await client.request("POST", JSON, CONNECTION, body=b"{}")
            await receive(await lab.accepted(1), until=b"{}")
            await lab.connections[1].send_all(response(202))
            assert (await client.response(other))[0] == 202
            client.h2.increment_flow_control_window(1000, ident)
            await client.flush()
            assert EVENT in (await client.until(DataReceived, ident)).data

    trio.run(main)
    raws = [record.raw for record in lab.records() if isinstance(record, Frame)]
    assert EVENT + b"\n" in raws


def conversation_bytes():
    """Return what a client and a target of HTTP/2 send in a short conversation."""
    client = Http2Peer(None, is_client=True)
    client.h2.send_headers(1, [(":method", "POST"), *ACP, JSON])
    client.h2.send_data(1, INITIALIZE, end_stream=True)
    return client.h2.data_to_send()


FROM_CLIENT = conversation_bytes()


@pytest.mark.parametrize(
    "at", effort.some_of(range(1, len(FROM_CLIENT)), *range(1, len(FROM_CLIENT), 23))
)
def test_a_client_of_http_2_that_is_cut_off_anywhere(at, tmp_path):
    lab = Lab(tmp_path)

    async def main():
        async with lab.client() as stream:
            await stream.send_all(FROM_CLIENT[:at])
            await stream.send_eof()
            while await stream.receive_some():
                pass

    trio.run(main)
    assert lab.complaints == []


@pytest.mark.parametrize("at", effort.some_of(range(1, 200), *range(1, 200, 29)))
def test_a_target_of_http_2_that_is_cut_off_anywhere(at, tmp_path):
    lab = Lab(tmp_path, http2=True)

    async def main():
        async with lab.client() as stream:
            client = Http2Peer(stream, is_client=True)
            ident = await client.request("GET", GET_EVENTS, CONNECTION)
            target = Http2Peer(await lab.accepted(), is_client=False)
            there, _, _ = await target.requested()
            target.h2.send_headers(
                there, [(":status", "200"), ("content-type", "text/event-stream")]
            )
            target.h2.send_data(there, b"data: %b\n\n" % EVENT, end_stream=True)
            await target.stream.send_all(target.h2.data_to_send()[:at])
            await target.stream.aclose()
            await wait_all_tasks_blocked()
            await client.read()
            delivered = [e.data for e in client.events if isinstance(e, DataReceived)]
            raws = [record.raw for record in lab.records() if isinstance(record, Frame)]
            assert EVENT + b"\n" in raws or b"\n\n" not in b"".join(delivered)
            assert ident == 1

    trio.run(main)
    assert lab.complaints == []


@pytest.mark.parametrize("is_silent", [True, False])
def test_a_connection_on_which_nothing_comes_is_closed(is_silent, tmp_path):
    lab = Lab(tmp_path)

    async def main():
        async with lab.client() as client:
            if not is_silent:
                await client.aclose()
                return
            assert await client.receive_some() == b""
            assert trio.current_time() - started >= incoming.FIRST_BYTES

    async def timed():
        nonlocal started
        started = trio.current_time()
        await main()

    started = 0.0
    trio.run(timed, clock=MockClock(autojump_threshold=0))
    assert (lab.connections, lab.complaints) == ([], [])


def test_a_target_that_no_longer_speaks_http_2_is_an_error(tmp_path, monkeypatch):
    """It was restarted between two requests of one client, as something else."""
    lab = Lab(tmp_path, http2=True)

    async def main():
        async with trio.open_nursery() as nursery:
            connecting = Connector(lab, nursery)
            first = await connecting.connect()
            assert first.http == "2"
            connecting._http2.is_going = True
            monkeypatch.setattr(connector, "speaks_http2", lambda _: False)
            with pytest.raises(OSError, match="does not speak HTTP/2 any more"):
                await connecting._connection()
            nursery.cancel_scope.cancel()

    trio.run(main)


def test_streams_of_a_client_take_places_as_connections_do(tmp_path):
    """Each has a connection to a target of HTTP/1.1, and so takes files; one is the client's own."""

    async def main():
        lab = Lab(tmp_path, free=trio.Semaphore(1))
        async with lab.client() as stream:
            client = Http2Peer(stream, is_client=True)
            idents = [await client.request("GET", GET_EVENTS, CONNECTION) for _ in range(5)]
            first = await lab.accepted(0)
            second = await lab.accepted(1)
            await wait_all_tasks_blocked()
            assert len(lab.connections) == 2
            client.h2.reset_stream(idents[2])  # it is not waited for any more
            await client.flush()
            for number, target in enumerate((first, second)):
                await receive(target, until=b"\r\n\r\n")
                await target.send_all(response(204))
                assert (await client.response(idents[number]))[0] == 204
            for number in (2, 3):
                await (await lab.accepted(number)).send_all(response(204))
                assert (await client.response(idents[number + 1]))[0] == 204
            await wait_all_tasks_blocked()
            assert (len(lab.connections), lab.free.value) == (4, 1)
            for _ in range(3):
                await client.request("GET", GET_EVENTS, CONNECTION)
            await lab.accepted(5)
            await wait_all_tasks_blocked()
            assert lab.free.value == 0
            await client.stream.aclose()  # with two streams that run and one that waits
            while not lab.free.value:
                await wait_all_tasks_blocked()
        assert (len(lab.connections), lab.free.value, lab.complaints) == (6, 1, [])

    trio.run(main)


@pytest.mark.parametrize("status", ["abc", "", "2_00", "+200", "0200", "99"])
def test_a_target_whose_status_is_no_number_ends_its_exchange_and_no_other(status, tmp_path):
    lab = Lab(tmp_path, http2=True)

    async def main():
        async with lab.client() as stream:
            client = Http2Peer(stream, is_client=True)
            first = await client.request("POST", JSON, body=INITIALIZE)
            target = Http2Peer(await lab.accepted(), is_client=False)
            there, _, _ = await target.requested()
            target.h2.config.validate_outbound_headers = False
            await target.respond(there, status)
            await client.until(StreamReset, first)
            other = await client.request("POST", JSON, body=INITIALIZE)
            there, _, _ = await target.requested()
            await target.respond(there, 200, JSON, CONNECTION, body=b"{}")
            assert (await client.response(other))[0] == 200

    trio.run(main)
    assert lab.complaints == []


@pytest.mark.parametrize("is_client", [True, False])
def test_settings_that_mean_nothing_are_not_kept(is_client):
    """h2 keeps them, and looks at all of them for each frame: 400 kB took minutes."""

    async def ignore(_stream):
        await trio.lowlevel.checkpoint()

    async def main():
        ours, theirs = memory_stream_pair()
        connection = http2.Http2Connection(ours, ignore if is_client else None)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(connection.run)
            peer = Http2Peer(theirs, is_client=is_client)
            await peer.flush()
            for first in range(100, 20_000, 2000):
                codes = range(first, first + 2000)
                entries = (code.to_bytes(2, "big") + b"\0\0\0\1" for code in codes)
                await theirs.send_all(frame(4, 0, 0, b"".join(entries)))
            await theirs.send_all(frame(4, 0, 0, b"\0\4\0\0\0\7"))  # the initial window
            await wait_all_tasks_blocked()
            assert connection.h2.remote_settings.initial_window_size == 7
            assert len(connection.h2.remote_settings) < 10
            nursery.cancel_scope.cancel()

    trio.run(main)
