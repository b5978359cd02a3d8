"""HTTP/2 on either side of the relay, or on both: the same is forwarded and recorded."""

import pytest
import trio
from h2.errors import ErrorCodes
from h2.events import (
    DataReceived,
    InformationalResponseReceived,
    RequestReceived,
    ResponseReceived,
    StreamEnded,
    StreamReset,
    TrailersReceived,
    WindowUpdated,
)
from h2.settings import SettingCodes
from support.http2_peer import JSON, Http2Peer
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
from trio.testing import MockClock, memory_stream_pair, wait_all_tasks_blocked

from acp_spy.capture.records import Disconnect, HttpExchange
from acp_spy.remote.http2 import Incoming
from acp_spy.remote.http_server import ServedHttp
from acp_spy.remote.incoming import serve_connection
from acp_spy.remote.listening import MOST_STREAMS

NEW = b'{"jsonrpc":"2.0","id":1,"method":"session/new","params":{}}'
EVENT = b'data: {"jsonrpc":"2.0","id":1,"result":{"sessionId":"s-1"}}\n\n'
EVENTS = ("content-type", "text/event-stream")
CONNECTION = ("acp-connection-id", "c-1")
SWITCH = b"HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"
FRAME = b"\x81\x02{}"


async def both(lab, stream):
    """Return a client and a target that speak HTTP/2, and have begun a conversation."""
    client = Http2Peer(stream, is_client=True)
    await client.flush()
    ident = await client.request("POST", JSON, body=INITIALIZE)
    target = Http2Peer(await lab.accepted(), is_client=False)
    there, _, body = await target.requested()
    assert body == INITIALIZE
    await target.respond(there, 200, JSON, CONNECTION, body=INITIALIZED)
    assert (await client.response(ident))[2] == INITIALIZED
    return client, target


async def begun_by_http_1(lab, client):
    """Begin a conversation of a client of HTTP/1.1 with a target of HTTP/2."""
    await client.send_all(post(INITIALIZE))
    target = Http2Peer(await lab.accepted(), is_client=False)
    ident, _, _ = await target.requested()
    await target.respond(ident, 200, JSON, CONNECTION, body=INITIALIZED)
    await receive(client, until=b"0\r\n\r\n")


def goaway(last):
    return b"\0\0\x08\x07\0\0\0\0\0" + last.to_bytes(4, "big") + b"\0\0\0\0"


def versions(lab, number=1):
    return [(r.http, r.http_target) for r in lab.records(number) if isinstance(r, HttpExchange)]


def test_a_client_with_prior_knowledge_is_relayed_to_a_target_of_http_1(tmp_path):
    lab = Lab(tmp_path)

    async def main():
        async with lab.client() as stream:
            client = Http2Peer(stream, is_client=True)
            ident = await client.request("POST", JSON, ("x-own", "ä"), body=INITIALIZE)
            target = await lab.accepted()
            forwarded = await receive(target, until=b"0\r\n\r\n")
            assert forwarded.startswith(b"POST /acp HTTP/1.1\r\nhost: target.example:8080\r\n")
            assert "\r\nx-own: ä\r\n".encode() in forwarded
            assert INITIALIZE in forwarded
            await target.send_all(OPENED)
            status, headers, body = await client.response(ident)
            assert (status, headers["acp-connection-id"], body) == (200, "c-1", INITIALIZED)

    trio.run(main)
    request, exchange, answer = lab.records()
    assert (request.raw, answer.raw) == (INITIALIZE + b"\n", INITIALIZED + b"\n")
    assert (exchange.http, exchange.http_target) == ("2", "1.1")


def test_a_client_of_http_1_is_relayed_to_a_target_that_agrees_to_http_2(tmp_path):
    lab = Lab(tmp_path, http2=True)

    async def main():
        async with lab.client() as client:
            await client.send_all(post(INITIALIZE, "Connection: keep-alive", "X-Own: y"))
            target = Http2Peer(await lab.accepted(), is_client=False)
            ident, headers, body = await target.requested()
            assert headers[":authority"] == "target.example:8080"
            assert (headers[":scheme"], headers["x-own"], body) == ("https", "y", INITIALIZE)
            assert not {"connection", "host"} & headers.keys()
            await target.respond(ident, 200, JSON, CONNECTION, body=INITIALIZED)
            assert INITIALIZED in await receive(client, until=b"0\r\n\r\n")
            await client.send_all(post(NEW, "Acp-Connection-Id: c-1"))  # on the same connections
            ident, _, body = await target.requested()
            assert body == NEW
            await target.respond(ident, 202)
            head = await receive(client, until=b"0\r\n\r\n")
            assert head == b"HTTP/1.1 202 \r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"

    trio.run(main)
    assert versions(lab) == [("1.1", "2"), ("1.1", "2")]
    assert len(lab.connections) == 1


@pytest.mark.parametrize("is_accepted", [True, False])
def test_a_websocket_is_opened_by_http_1_also_after_a_request_by_http_2(is_accepted, tmp_path):
    """Node's `fetch` and `WebSocket` share their connections."""
    lab = Lab(tmp_path, http2=True)

    async def main():
        async with lab.client() as client:
            await begun_by_http_1(lab, client)
            await client.send_all(get("Upgrade: websocket", "Connection: Upgrade"))
            with trio.fail_after(DEADLINE):
                other = await lab.accepted(1)
            assert b"Upgrade: websocket\r\n" in await receive(other, until=b"\r\n\r\n")
            if not is_accepted:
                await other.send_all(response(404))
                assert b" 404 " in await receive(client, until=b"\r\n\r\n")
                await client.send_all(post(NEW))  # and all that follows is of HTTP/1.1
                assert NEW in await receive(other, until=NEW)
                return
            await other.send_all(SWITCH)
            assert b" 101 " in await receive(client, until=b"\r\n\r\n")
            await client.send_all(FRAME)
            assert await receive(other, len(FRAME)) == FRAME
            await other.send_all(FRAME)
            assert await receive(client, len(FRAME)) == FRAME

    trio.run(main)
    if is_accepted:
        assert versions(lab, 2) == [("1.1", "1.1")]


def test_a_websocket_that_the_target_does_not_connect_is_refused(tmp_path):
    lab = Lab(tmp_path, http2=True)

    async def main():
        async with lab.client() as client:
            await begun_by_http_1(lab, client)
            lab._unreachable = OSError("no way")
            await client.send_all(get("Upgrade: websocket", "Connection: Upgrade"))
            assert b"cannot connect to https://target.example:8080/acp: no way" in (
                await receive(client)
            )

    trio.run(main)


def test_what_a_target_has_sent_is_read_though_it_takes_no_more(tmp_path):
    lab = Lab(tmp_path, http2=True)

    async def main():
        async with lab.client() as stream:
            client, target = await both(lab, stream)
            ident = await client.request("POST", JSON, body=NEW)
            there, _, _ = await target.requested()
            await target.stream.receive_stream.aclose()
            await client.request("POST", JSON, body=NEW)  # cannot be sent
            await wait_all_tasks_blocked()
            target.h2.send_headers(there, [(":status", "200"), JSON])
            target.h2.send_data(there, INITIALIZED, end_stream=True)
            await target.flush()
            assert (await client.response(ident))[2] == INITIALIZED

    trio.run(main)


def test_streams_are_relayed_at_once_side_by_side(tmp_path):
    lab = Lab(tmp_path, http2=True)

    async def main():
        async with lab.client() as stream:
            client, target = await both(lab, stream)
            here, there = [], []
            for _ in range(3):
                accept = ("accept", "text/event-stream")
                here.append(await client.request("GET", accept, CONNECTION))
                there.append((await target.requested())[0])
                await target.respond(there[-1], 200, EVENTS, is_all=False)
                await client.until(ResponseReceived, here[-1])
            for mine, theirs in reversed(list(zip(here, there, strict=True))):
                target.h2.send_data(theirs, EVENT)
                await target.flush()
                assert (await client.until(DataReceived, mine)).data == EVENT
                assert lab.records()[-1].raw == EVENT[6:-2] + b"\n"
            target.h2.end_stream(there[0])
            await target.flush()
            await client.until(StreamEnded, here[0])
        assert len(lab.connections) == 1

    trio.run(main)
    assert set(versions(lab)) == {("2", "2")}


def test_an_event_of_a_target_of_http_1_reaches_a_client_of_http_2_at_once(tmp_path):
    lab = Lab(tmp_path)

    async def main():
        async with lab.client() as stream:
            client = Http2Peer(stream, is_client=True)
            ident = await client.request("GET", ("accept", "text/event-stream"), CONNECTION)
            target = await lab.accepted()
            await receive(target, until=b"\r\n\r\n")
            await target.send_all(STREAM)
            await client.until(ResponseReceived, ident)
            for _ in range(2):
                await target.send_all(chunk(EVENT))
                assert (await client.until(DataReceived, ident)).data == EVENT
            await target.send_all(b"0\r\n\r\n")
            await client.until(StreamEnded, ident)

    trio.run(main)
    end = lab.records()[-1]
    assert (end.by, end.lost, end.events) == ("agent", False, 2)


@pytest.mark.parametrize("is_sent", [False, True], ids=["request", "response"])
def test_a_peer_may_send_no_more_than_the_other_takes(is_sent, tmp_path):
    """Its window is what there is in between, and does not grow."""
    lab = Lab(tmp_path, http2=True)

    async def main():
        async with lab.client() as stream:
            client, target = await both(lab, stream)
            ident = await client.request("POST", JSON, CONNECTION, is_all=False)
            there = (await target.until(RequestReceived)).stream_id
            await target.respond(there, 200, JSON, is_all=False)
            await client.until(ResponseReceived, ident)
            source, mine, sink, theirs = (
                (client, ident, target, there) if is_sent else (target, there, client, ident)
            )
            async with trio.open_nursery() as nursery:

                async def read():
                    while True:
                        await source.read()

                nursery.start_soon(read)
                sent = 0
                await wait_all_tasks_blocked()
                while room := min(source.h2.local_flow_control_window(mine), 16_384):
                    source.h2.send_data(mine, b"x" * room)
                    sent += room
                    await source.flush()
                    await wait_all_tasks_blocked()
                assert 65_535 <= sent <= 4 * 65_536
                nursery.cancel_scope.cancel()
            source.events.clear()
            got = 0
            while got < sent:
                event = await sink.until(DataReceived, theirs)
                got += len(event.data)
                sink.h2.acknowledge_received_data(event.flow_controlled_length, theirs)
            await source.until(WindowUpdated, mine)  # as it is taken, there is room for more

    trio.run(main)


def test_a_reset_reaches_the_other_side_with_its_code(tmp_path):
    lab = Lab(tmp_path, http2=True)

    async def main():
        async with lab.client() as stream:
            client, target = await both(lab, stream)
            ident = await client.request("POST", JSON, CONNECTION, body=NEW)
            there = (await target.requested())[0]
            target.h2.reset_stream(there, ErrorCodes.REFUSED_STREAM)
            await target.flush()
            reset = await client.until(StreamReset, ident)
            assert reset.error_code == ErrorCodes.REFUSED_STREAM
            ident = await client.request("GET", ("accept", "text/event-stream"), CONNECTION)
            there = (await target.requested())[0]
            await target.respond(there, 200, EVENTS, is_all=False)
            await client.until(ResponseReceived, ident)
            client.h2.reset_stream(ident, ErrorCodes.CANCEL)
            await client.flush()
            assert (await target.until(StreamReset, there)).error_code == ErrorCodes.CANCEL

    trio.run(main)
    refused, end = [r for r in lab.records() if isinstance(r, HttpExchange | Disconnect)][-3::2]
    assert refused.error.endswith("the stream was reset: REFUSED_STREAM")
    assert (end.by, end.lost) == ("client", False)


def test_a_target_of_http_1_that_breaks_off_resets_the_stream(tmp_path):
    lab = Lab(tmp_path)

    async def main():
        async with lab.client() as stream:
            client = Http2Peer(stream, is_client=True)
            ident = await client.request("GET", ("accept", "text/event-stream"), CONNECTION)
            target = await lab.accepted()
            await receive(target, until=b"\r\n\r\n")
            await target.send_all(STREAM + chunk(EVENT))
            await client.until(DataReceived, ident)
            await target.aclose()
            reset = await client.until(StreamReset, ident)
            assert reset.error_code == ErrorCodes.INTERNAL_ERROR

    trio.run(main)
    assert (lab.records()[-1].by, lab.records()[-1].lost) == ("agent", True)


def test_a_target_of_http_1_that_is_reset_within_a_body_without_a_length_resets_the_stream(
    tmp_path,
):
    lab = Lab(tmp_path, tcp=True)

    async def main():
        async with lab.client() as stream:
            client = Http2Peer(stream, is_client=True)
            ident = await client.request("GET", ("accept", "text/event-stream"), CONNECTION)
            target = await lab.accepted()
            await receive(target, until=b"\r\n\r\n")
            await target.send_all(STREAM.replace(b"Transfer-Encoding: chunked\r\n", b"") + EVENT)
            await client.until(DataReceived, ident)
            await reset(target)
            assert (await client.until(StreamReset, ident)).error_code == ErrorCodes.INTERNAL_ERROR

    trio.run(main)
    assert (lab.records()[-1].by, lab.records()[-1].lost) == ("agent", True)


def test_requests_before_a_goaway_go_on_and_the_next_has_a_new_connection(tmp_path):
    lab = Lab(tmp_path, http2=True)

    async def main():
        async with lab.client() as stream:
            client, target = await both(lab, stream)
            open_ident = await client.request("GET", ("accept", "text/event-stream"), CONNECTION)
            there = (await target.requested())[0]
            await target.respond(there, 200, EVENTS, is_all=False)
            await client.until(ResponseReceived, open_ident)
            await target.stream.send_all(goaway(there))  # as nginx does after a thousand requests
            await wait_all_tasks_blocked()
            ident = await client.request("POST", JSON, CONNECTION, body=NEW)
            second = Http2Peer(await lab.accepted(1), is_client=False)
            await second.respond((await second.requested())[0], 202)
            assert (await client.response(ident))[0] == 202
            target.h2.send_data(there, EVENT, end_stream=True)
            await target.flush()
            assert await client.body(open_ident) == EVENT
            with trio.fail_after(DEADLINE):
                while not target.has_ended:  # all its requests are over, and no more will come
                    await target.read()

    trio.run(main)


def test_a_client_that_goes_is_recorded_and_its_streams_end_at_the_target(tmp_path):
    lab = Lab(tmp_path)

    async def main():
        async with lab.client() as stream:
            client = Http2Peer(stream, is_client=True)
            ident = await client.request("GET", ("accept", "text/event-stream"), CONNECTION)
            target = await lab.accepted()
            await receive(target, until=b"\r\n\r\n")
            await target.send_all(STREAM)
            await client.until(ResponseReceived, ident)
            await stream.aclose()
            assert await receive(target) == b""

    trio.run(main)
    assert (lab.records()[-1].by, lab.records()[-1].lost) == ("client", False)


def test_trailers_and_informational_responses_pass(tmp_path):
    lab = Lab(tmp_path, http2=True)

    async def main():
        async with lab.client() as stream:
            client, target = await both(lab, stream)
            ident = await client.request("POST", JSON, CONNECTION, body=NEW, is_all=False)
            client.h2.send_headers(ident, [("x-sum", "1")], end_stream=True)
            await client.flush()
            there = (await target.until(TrailersReceived)).stream_id
            target.h2.send_headers(there, [(":status", "103"), ("link", "</x>")])
            await target.respond(there, 200, JSON, body=b"{}", is_all=False)
            target.h2.send_headers(there, [("x-sum", "2")], end_stream=True)
            await target.flush()
            early = await client.until(InformationalResponseReceived, ident)
            assert dict(early.headers)["link"] == "</x>"
            trailers = await client.until(TrailersReceived, ident)
            assert list(trailers.headers) == [("x-sum", "2")]

    trio.run(main)


def test_a_websocket_goes_by_http_1_although_the_target_speaks_http_2(tmp_path):
    lab = Lab(tmp_path, http2=True)

    async def main():
        async with lab.client() as client:
            await client.send_all(get("Upgrade: websocket", "Connection: Upgrade"))
            target = await lab.accepted()
            assert (await receive(target, until=b"\r\n\r\n")).startswith(b"GET /acp HTTP/1.1\r\n")

    trio.run(main)


def test_an_unreachable_target_is_502_on_http_2_as_well(tmp_path):
    lab = Lab(tmp_path, unreachable=ConnectionRefusedError(111, "Connection refused"))

    async def main():
        async with lab.client() as stream:
            client = Http2Peer(stream, is_client=True)
            ident = await client.request("POST", JSON, body=INITIALIZE)
            status, _, body = await client.response(ident)
            assert (status, b"Connection refused" in body) == (502, True)

    trio.run(main)
    assert lab.records()[-1].http == "2"


def test_host_and_origin_are_checked(tmp_path):
    lab = Lab(tmp_path)

    async def main():
        async with lab.client() as stream:
            client = Http2Peer(stream, is_client=True)
            ident = await client.request("GET", ("origin", "https://page.example"))
            assert (await client.response(ident))[0] == 403
        assert lab.connections == []

    trio.run(main)


@pytest.mark.parametrize(
    "data",
    [b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\xff" * 100, b"PRI * HTTP/2.0\r\nX\r\n\r\n\r\n"],
)
def test_what_is_not_http_2_after_its_beginning_ends_the_connection(data, tmp_path):
    lab = Lab(tmp_path)

    async def main():
        async with lab.client() as client:
            await client.send_all(data)
            await receive(client)

    trio.run(main)
    assert lab.complaints == []


@pytest.mark.parametrize("size", [1, 7])
def test_the_beginning_may_come_in_pieces(size, tmp_path):
    lab = Lab(tmp_path)

    async def main():
        async with lab.client() as stream:
            client = Http2Peer(stream, is_client=True)
            first = client.h2.data_to_send()
            for start in range(0, len(first), size):
                await stream.send_all(first[start : start + size])
                await wait_all_tasks_blocked()
            ident = await client.request("POST", JSON, body=INITIALIZE)
            target = await lab.accepted()
            await receive(target, until=INITIALIZE)
            await target.send_all(response(202))
            assert (await client.response(ident))[0] == 202

    trio.run(main)


def test_an_upgrade_to_http_2_is_not_offered(tmp_path):
    """The target would take it, and we would not understand what follows: `curl --http2`."""
    lab = Lab(tmp_path)

    async def main():
        async with lab.client() as client:
            wish = ("Connection: Upgrade, HTTP2-Settings", "Upgrade: H2C", "HTTP2-Settings: AAMA")
            await client.send_all(post(INITIALIZE, *wish))
            target = await lab.accepted()
            forwarded = (await receive(target, until=INITIALIZE)).lower()
            assert not [word for word in (b"upgrade", b"http2-settings") if word in forwarded]
            await target.send_all(OPENED)
            await receive(client, len(OPENED))

    trio.run(main)


def test_goaways_are_taken_out_however_the_bytes_come():
    def frame(kind, body):
        return len(body).to_bytes(3, "big") + bytes([kind, 0, 0, 0, 0, 0]) + body

    goaway = frame(7, (5).to_bytes(4, "big") + (11).to_bytes(4, "big") + b"why")
    others = [frame(4, b""), frame(6, b"12345678"), frame(0, b"x" * 40)]
    data = b"-" * 24 + others[0] + goaway + others[1] + goaway + others[2]
    for size in range(1, len(data) + 1):
        incoming = Incoming(skip=24)
        kept = b"".join(
            incoming.without_goaway(data[start : start + size])
            for start in range(0, len(data), size)
        )
        assert kept == b"-" * 24 + b"".join(others)
        assert incoming.goaways() == [(5, 11), (5, 11)]


def test_a_response_that_comes_before_the_request_is_complete_is_delivered(tmp_path):
    lab = Lab(tmp_path)

    async def main():
        async with lab.client() as stream:
            client = Http2Peer(stream, is_client=True)
            ident = await client.request("POST", JSON, CONNECTION, body=b"{", is_all=False)
            target = await lab.accepted()
            await receive(target, until=b"{")
            await target.send_all(response(413, b"too large"))
            await target.aclose()
            assert (await client.response(ident))[::2] == (413, b"too large")
            assert (await client.until(StreamReset, ident)).error_code == ErrorCodes.NO_ERROR

    trio.run(main)


@pytest.mark.parametrize("has_goaway", [False, True])
def test_requests_wait_for_a_place_at_the_target_and_get_one(has_goaway, tmp_path):
    """The next one is that of a stream that has ended, or on a new connection."""
    lab = Lab(tmp_path, http2=True)

    async def main():
        async with lab.client() as stream:
            client, target = await both(lab, stream)
            target.h2.update_settings({SettingCodes.MAX_CONCURRENT_STREAMS: 1})
            await target.flush()
            await wait_all_tasks_blocked()
            idents = [await client.request("POST", JSON, CONNECTION, body=NEW) for _ in range(3)]
            for number in range(3):
                there, _, body = await target.requested()
                assert body == NEW
                if has_goaway and number == 0:
                    await target.stream.send_all(goaway(there))
                await target.respond(there, 202)
                if has_goaway and number == 0:
                    target = Http2Peer(await lab.accepted(1), is_client=False)
            assert [(await client.response(ident))[0] for ident in idents] == [202] * 3

    trio.run(main)


def test_a_client_is_not_left_waiting_if_the_target_can_not_be_reached_again(tmp_path):
    lab = Lab(tmp_path, http2=True)

    async def main():
        async with lab.client() as client:
            await client.send_all(post(INITIALIZE))
            target = Http2Peer(await lab.accepted(), is_client=False)
            there = (await target.requested())[0]
            await target.respond(there, 200, JSON, CONNECTION, body=INITIALIZED)
            await receive(client, until=b"0\r\n\r\n")
            await target.stream.aclose()
            await wait_all_tasks_blocked()
            lab._unreachable = OSError("refused")
            await client.send_all(post(NEW))
            assert await receive(client) == b""

    trio.run(main)


@pytest.mark.parametrize("is_http2", [False, True])
def test_a_response_is_whole_though_the_target_takes_no_more_of_the_request(is_http2, tmp_path):
    """As 413 is sent. The client makes room for the response only when it has it before it."""
    lab = Lab(tmp_path, http2=is_http2)
    large = b"y" * 100_000

    async def main():
        async with lab.client() as stream:
            client = Http2Peer(stream, is_client=True)
            ident = await client.request("POST", JSON, CONNECTION, body=b"{", is_all=False)
            target = await lab.accepted()
            if is_http2:
                target = Http2Peer(target, is_client=False)
                there = (await target.until(RequestReceived)).stream_id
                await target.respond(there, 413, JSON, body=large[:10_000], is_all=True)
                target.h2.reset_stream(there, ErrorCodes.NO_ERROR)
                await target.flush()
            else:
                await receive(target, until=b"{")
                await target.send_all(response(413, large))
                await target.aclose()
            await wait_all_tasks_blocked()
            client.h2.send_data(ident, b" " * 10_000)
            await client.flush()
            await wait_all_tasks_blocked()
            client.h2.increment_flow_control_window(200_000, ident)
            client.h2.increment_flow_control_window(200_000)
            status, _, body = await client.response(ident)
            assert (status, len(body)) == (413, 10_000 if is_http2 else 100_000)

    trio.run(main)
    assert lab.complaints == []


def test_an_idle_connection_ends_and_one_with_a_stream_does_not(tmp_path):
    async def main():
        ours, theirs = memory_stream_pair()
        lab = Lab(tmp_path)

        async def respond(request):
            await trio.sleep(3)
            await request.respond(202)

        async def served(stream, start):
            await ServedHttp(stream, lab, respond, start).run()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(serve_connection, ours, served, 1)
            client = Http2Peer(theirs, is_client=True)
            ident = await client.request("GET")
            assert (await client.response(ident))[0] == 202
            while not client.has_ended:
                await client.read()

    trio.run(main, clock=MockClock(autojump_threshold=0))


@pytest.mark.long
@pytest.mark.parametrize("is_http2", [True, False])
def test_requests_that_end_after_their_response_leave_nothing_open(is_http2, tmp_path):
    lab = Lab(tmp_path, http2=is_http2)

    async def main():
        async with lab.client() as stream:
            client = Http2Peer(stream, is_client=True)
            target = None
            for number in range(2 * MOST_STREAMS + 1):  # no more may be open, or ending
                ident = await client.request("POST", JSON, body=b"{", is_all=False)
                if is_http2:
                    target = target or Http2Peer(await lab.accepted(), is_client=False)
                    there = (await target.until(RequestReceived)).stream_id
                    await target.respond(there, 401, body=b"no")
                else:
                    target = await lab.accepted(number)
                    await receive(target, until=b"\r\n\r\n")
                    await target.send_all(response(401, b"no"))
                assert (await client.response(ident))[0] == 401
                client.h2.end_stream(ident)
                await client.flush()
                if is_http2:
                    await target.until(StreamEnded, there)

    trio.run(main)


def test_the_rest_of_a_request_reaches_a_target_that_has_responded_and_takes_no_more(tmp_path):
    lab = Lab(tmp_path, http2=True)

    async def main():
        async with lab.client() as stream:
            client = Http2Peer(stream, is_client=True)
            ident = await client.request("POST", JSON, body=b"first,", is_all=False)
            target = Http2Peer(await lab.accepted(), is_client=False)
            there = (await target.until(RequestReceived)).stream_id
            await target.respond(there, 200, body=b"ok")
            await target.stream.send_all(goaway(there))
            await client.response(ident)
            client.h2.send_data(ident, b"last", end_stream=True)
            await client.flush()
            assert await target.body(there) == b"first,last"

    trio.run(main)


def test_a_request_that_a_goaway_leaves_out_is_refused_so_that_it_may_be_sent_again(tmp_path):
    lab = Lab(tmp_path, http2=True)

    async def main():
        async with lab.client() as stream:
            client = Http2Peer(stream, is_client=True)
            ident = await client.request("POST", JSON, body=b"{}")
            target = Http2Peer(await lab.accepted(), is_client=False)
            await target.requested()
            await target.stream.send_all(goaway(0))
            reset = await client.until(StreamReset, ident)
            assert reset.error_code == ErrorCodes.REFUSED_STREAM

    trio.run(main)
