"""One connection relayed, in memory: what is forwarded, what is recorded, and in which order."""

import socket
import struct
from contextlib import suppress

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
    response,
)
from trio.testing import MockClock, wait_all_tasks_blocked

from acp_spy.capture.records import Disconnect, HttpExchange
from acp_spy.remote import http1_relay, plain_socket
from acp_spy.remote.addresses import Guard
from acp_spy.wire.frame import Frame, Peer

NEW = b'{"jsonrpc":"2.0","id":1,"method":"session/new","params":{}}'
EVENT = b'data: {"jsonrpc":"2.0","id":1,"result":{"sessionId":"s-1"}}\n\n'


async def open_conversation(client, lab):
    await client.send_all(post(INITIALIZE))
    target = await lab.accepted()
    await receive(target, until=INITIALIZE)
    await target.send_all(OPENED)
    assert (await receive(client, until=INITIALIZED)).endswith(INITIALIZED)
    return target


def test_a_post_is_forwarded_and_recorded_with_its_response(tmp_path):
    lab = Lab(tmp_path)

    async def main():
        async with lab.client() as client:
            await client.send_all(post(INITIALIZE, "X-Own: Ä", "Cookie: a=b"))
            target = await lab.accepted()
            forwarded = await receive(target, until=INITIALIZE)
            assert b"\r\nHost: target.example:8080\r\n" in forwarded
            assert "\r\nX-Own: Ä\r\n".encode() in forwarded
            assert b"\r\nCookie: a=b\r\n" in forwarded
            await target.send_all(OPENED)
            assert await receive(client, len(OPENED)) == OPENED

    trio.run(main)
    request, exchange, answer = lab.records()
    assert request.raw == INITIALIZE + b"\n"
    assert (request.sender, request.via.transport, request.via.stream) == (
        Peer.CLIENT,
        "http",
        "post",
    )
    assert (request.via.connection, request.via.status) == ("", 0)
    assert (exchange.request, exchange.status, exchange.http) == (1, 200, "1.1")
    assert exchange.request_headers["cookie"] == "a=redacted"
    assert exchange.response_headers["acp-connection-id"] == "c-1"
    assert answer.raw == INITIALIZED + b"\n"
    assert (answer.via.connection, answer.via.status) == ("c-1", 200)


def test_a_frame_is_recorded_before_its_last_byte_is_forwarded(tmp_path):
    lab = Lab(tmp_path)

    async def main():
        async with lab.client() as client:
            whole = post(INITIALIZE)
            await client.send_all(whole[:-1])
            target = await lab.accepted()
            await wait_all_tasks_blocked()
            assert not (tmp_path / "run.jsonl").exists()
            got = await receive(target, until=INITIALIZE[:-1])
            assert got.endswith(INITIALIZE[:-1])  # the rest is not held back for it
            await client.send_all(whole[-1:])
            assert await receive(target, 1) == INITIALIZE[-1:]
            assert [record.raw for record in lab.records()] == [INITIALIZE + b"\n"]

    trio.run(main)


def test_an_event_is_recorded_and_forwarded_at_once(tmp_path):
    lab = Lab(tmp_path)

    async def main():
        async with lab.client() as client:
            target = await open_conversation(client, lab)
            await client.send_all(get("Accept: text/event-stream", "Acp-Connection-Id: c-1"))
            await receive(target, until=b"\r\n\r\n")
            await target.send_all(STREAM)
            await receive(client, until=b"\r\n\r\n")
            for _ in range(2):
                await target.send_all(chunk(EVENT))
                assert await receive(client, len(chunk(EVENT))) == chunk(EVENT)
                assert lab.records()[-1].raw == EVENT[6:-2] + b"\n"
            await target.send_all(chunk(b": keepalive\n\n") + b"0\r\n\r\n")
            await receive(client, until=b"0\r\n\r\n")

    trio.run(main)
    frame, end = lab.records()[-2:]
    assert frame.via.stream == "connection"
    assert (end.by, end.lost, end.events, end.comments) == ("agent", False, 2, 1)


def test_requests_are_relayed_one_after_the_other_on_one_connection(tmp_path):
    lab = Lab(tmp_path)

    async def main():
        async with lab.client() as client:
            target = await open_conversation(client, lab)
            for _ in range(3):
                await client.send_all(post(NEW, "Acp-Connection-Id: c-1"))
                await receive(target, until=NEW)
                await target.send_all(response(202))
                await receive(client, until=b"\r\n\r\n")
        assert len(lab.connections) == 1

    trio.run(main)
    assert [r.status for r in lab.records() if isinstance(r, HttpExchange)] == [200, 202, 202, 202]


def test_the_connection_of_a_stream_that_has_ended_is_used_again(tmp_path):
    lab = Lab(tmp_path)

    async def main():
        async with lab.client() as client:
            target = await open_conversation(client, lab)
            for _ in range(2):
                await client.send_all(get("Accept: text/event-stream", "Acp-Connection-Id: c-1"))
                await receive(target, until=b"\r\n\r\n")
                await target.send_all(STREAM + chunk(EVENT) + b"0\r\n\r\n")
                await receive(client, until=b"0\r\n\r\n")
            await client.send_all(post(NEW, "Acp-Connection-Id: c-1"))
            await receive(target, until=NEW)
            await target.send_all(response(202))
            assert b" 202 " in await receive(client, until=b"\r\n\r\n")
        assert len(lab.connections) == 1

    trio.run(main)
    assert [r.status for r in lab.records() if isinstance(r, HttpExchange)] == [200, 200, 200, 202]


def test_a_response_to_head_has_no_body_whatever_its_headers_say(tmp_path):
    lab = Lab(tmp_path)

    async def main():
        async with lab.client() as client:
            target = await open_conversation(client, lab)
            await client.send_all(get("Accept: text/event-stream").replace(b"GET", b"HEAD"))
            await receive(target, until=b"\r\n\r\n")
            await target.send_all(STREAM)
            assert await receive(client, until=b"\r\n\r\n") == STREAM
            await client.send_all(post(NEW, "Acp-Connection-Id: c-1"))
            await receive(target, until=NEW)
            await target.send_all(response(202))
            assert b" 202 " in await receive(client, until=b"\r\n\r\n")

    trio.run(main)


@pytest.mark.parametrize("sent", [post(NEW)[:-9], post(NEW)[:-9] + b'\r\n"}}'])
def test_the_target_sees_the_end_of_a_client_that_breaks_off_its_request(sent, tmp_path):
    lab = Lab(tmp_path)

    async def main():
        async with lab.client() as client:
            target = await open_conversation(client, lab)
            await client.send_all(sent)
            await client.aclose()
            assert (await receive(target)).endswith(sent[-9:])

    trio.run(main)


def test_the_target_sees_the_end_of_what_is_not_http(tmp_path):
    lab = Lab(tmp_path)

    async def main():
        async with lab.client() as client:
            target = await open_conversation(client, lab)
            await client.send_all(b"no HTTP at all\r\n\r\n")
            assert b" 400 " in await receive(client)
            assert await receive(target) == b""

    trio.run(main)


def test_pipelined_requests_are_answered_in_their_order(tmp_path):
    lab = Lab(tmp_path)

    async def main():
        async with lab.client() as client:
            target = await open_conversation(client, lab)
            await client.send_all(post(NEW, "Acp-Connection-Id: c-1") * 2)
            for status in (202, 404):
                await receive(target, until=NEW)
                await target.send_all(response(status))
                assert b" %d " % status in await receive(client, until=b"\r\n\r\n")

    trio.run(main)
    assert [r.status for r in lab.records() if isinstance(r, HttpExchange)] == [200, 202, 404]


def test_a_request_that_comes_before_the_last_response_waits_for_it(tmp_path):
    lab = Lab(tmp_path)

    async def main():
        async with lab.client() as client:
            target = await open_conversation(client, lab)
            await client.send_all(post(NEW, "Acp-Connection-Id: c-1"))
            await receive(target, until=NEW)
            await client.send_all(post(NEW, "Acp-Connection-Id: c-1", "X-Second: yes"))
            await wait_all_tasks_blocked()
            for status in (202, 404):
                await target.send_all(response(status))
                assert b" %d " % status in await receive(client, until=b"\r\n\r\n")
                if status == 202:
                    assert b"X-Second" in await receive(target, until=NEW)

    trio.run(main)
    assert [r.status for r in lab.records() if isinstance(r, HttpExchange)] == [200, 202, 404]


def test_a_refusal_is_recorded_with_its_text(tmp_path):
    lab = Lab(tmp_path)

    async def main():
        async with lab.client() as client:
            target = await open_conversation(client, lab)
            await client.send_all(post(NEW, "Acp-Connection-Id: c-1"))
            await receive(target, until=NEW)
            await target.send_all(response(400, b"Missing Acp-Session-Id"))
            await receive(client, until=b"Session-Id")

    trio.run(main)
    exchange = lab.records()[-1]
    assert (exchange.status, exchange.request, exchange.body) == (400, 3, "Missing Acp-Session-Id")


def test_a_json_rpc_error_in_a_refusal_is_a_frame(tmp_path):
    lab = Lab(tmp_path)
    error = b'{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"batch"}}'

    async def main():
        async with lab.client() as client:
            await client.send_all(post(INITIALIZE))
            target = await lab.accepted()
            await receive(target, until=INITIALIZE)
            await target.send_all(response(400, error))
            await receive(client, until=error)

    trio.run(main)
    _, exchange, frame = lab.records()
    assert (exchange.status, exchange.body, frame.via.status) == (400, "", 400)


def test_an_unreachable_target_is_502_with_a_reason(tmp_path):
    lab = Lab(tmp_path, unreachable=ConnectionRefusedError(111, "Connection refused"))

    async def main():
        async with lab.client() as client:
            await client.send_all(post(INITIALIZE))
            got = await receive(client)
            assert got.startswith(b"HTTP/1.1 502 ")
            text = b"acp-spy: cannot connect to http://target.example:8080/acp: Connection refused"
            assert text in got

    trio.run(main)
    frame, exchange = lab.records()
    assert (frame.raw, exchange.request) == (INITIALIZE + b"\n", 1)
    assert (exchange.status, exchange.by, exchange.error) == (502, "proxy", "Connection refused")


def test_who_is_cancelled_while_connecting_says_nothing_about_the_target(tmp_path):
    """Connecting tries several addresses, by a nursery, which is cancelled with a group."""

    class Slow(Lab):
        async def connect(self, _protocols):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(trio.sleep_forever)
                nursery.start_soon(trio.sleep_forever)

    lab = Slow(tmp_path)

    async def main():
        async with lab.client() as client:
            await client.send_all(post(INITIALIZE))
            await trio.testing.wait_all_tasks_blocked()
        assert await receive(client) == b""

    trio.run(main)
    assert lab.complaints == []
    assert [*tmp_path.iterdir()] == []  # no response of ours either


def test_an_unreachable_target_is_502_for_a_head_too(tmp_path):
    lab = Lab(tmp_path, unreachable=ConnectionRefusedError(111, "Connection refused"))

    async def main():
        async with lab.client() as client:
            await client.send_all(get().replace(b"GET", b"HEAD"))
            got = await receive(client)
            assert got.startswith(b"HTTP/1.1 502 ")
            assert got.endswith(b"\r\n\r\n")

    trio.run(main)
    [exchange] = lab.records()
    assert (exchange.method, exchange.status, exchange.by) == ("HEAD", 502, "proxy")


def test_a_client_that_tries_again_has_one_capture(tmp_path):
    lab = Lab(tmp_path, unreachable=ConnectionRefusedError(111, "Connection refused"))

    async def main():
        for _ in range(3):
            async with lab.client() as client:
                await client.send_all(post(INITIALIZE))
                await receive(client)

    trio.run(main)
    assert [path.name for path in tmp_path.iterdir()] == ["run.jsonl"]
    assert len(lab.records()) == 6


def test_two_clients_have_two_captures(tmp_path):
    lab = Lab(tmp_path)

    async def main():
        for number, name in enumerate((b"c-1", b"c-2")):
            async with lab.client() as client:
                await client.send_all(post(INITIALIZE))
                target = await lab.accepted(number)
                await receive(target, until=INITIALIZE)
                await target.send_all(OPENED.replace(b"c-1", name))
                await receive(client, until=INITIALIZED)
        async with lab.client() as client:  # a third connection, of the first conversation
            await client.send_all(post(NEW, "Acp-Connection-Id: c-1"))
            target = await lab.accepted(2)
            await receive(target, until=NEW)

    trio.run(main)
    assert [r.raw for r in lab.records(1) if isinstance(r, Frame)][-1] == NEW + b"\n"
    assert len(lab.records(2)) == 3


def test_an_id_that_a_restarted_target_gives_again_is_that_of_the_new_conversation(tmp_path):
    lab = Lab(tmp_path)
    lab.conversations.most_idle = 1  # the old one is forgotten, the id is not

    async def main():
        for number in range(2):
            async with lab.client() as client:
                await client.send_all(post(INITIALIZE))
                target = await lab.accepted(number)
                await receive(target, until=INITIALIZE)
                await target.send_all(OPENED)
                await receive(client, until=INITIALIZED)
        async with lab.client() as client:
            await client.send_all(post(NEW, "Acp-Connection-Id: c-1"))
            await receive(await lab.accepted(2), until=NEW)

    trio.run(main)
    of_first, of_second = (
        [record.raw for record in lab.records(number) if isinstance(record, Frame)]
        for number in (1, 2)
    )
    assert of_first == [INITIALIZE + b"\n", INITIALIZED + b"\n"]
    assert of_second == [*of_first, NEW + b"\n"]


def test_a_delete_ends_the_conversation(tmp_path):
    lab = Lab(tmp_path)

    async def main():
        async with lab.client() as client:
            target = await open_conversation(client, lab)
            delete = get("Acp-Connection-Id: c-1").replace(b"GET", b"DELETE")
            await client.send_all(delete)
            await receive(target, until=b"\r\n\r\n")
            await target.send_all(response(202))
            await receive(client, until=b"\r\n\r\n")

    trio.run(main)
    *_, exchange, closed, end = lab.records()
    assert (exchange.method, closed.sender, end.status) == ("DELETE", Peer.CLIENT, 0)


def test_the_client_that_goes_is_recorded_and_the_target_sees_it(tmp_path):
    lab = Lab(tmp_path)

    async def main():
        async with lab.client() as client:
            target = await open_conversation(client, lab)
            await client.send_all(get("Accept: text/event-stream", "Acp-Connection-Id: c-1"))
            await receive(target, until=b"\r\n\r\n")
            await target.send_all(STREAM)
            await receive(client, until=b"\r\n\r\n")
            await client.send_eof()
            assert await receive(target) == b""
            await target.aclose()
            assert await receive(client) == b""

    trio.run(main)
    end = lab.records()[-1]
    assert isinstance(end, Disconnect)
    assert (end.by, end.lost, end.error) == ("client", False, "")


def test_a_client_that_has_closed_its_half_still_gets_its_response_and_its_events(tmp_path):
    lab = Lab(tmp_path)

    async def main():
        async with lab.client() as client:
            await client.send_all(post(INITIALIZE))
            await client.send_eof()
            target = await lab.accepted()
            assert (await receive(target)).endswith(INITIALIZE)  # and the end of it
            await target.send_all(OPENED)
            assert (await receive(client, until=INITIALIZED)).endswith(INITIALIZED)
        async with lab.client() as client:
            await client.send_all(get("Accept: text/event-stream", "Acp-Connection-Id: c-1"))
            await client.send_eof()
            target = await lab.accepted(1)
            await receive(target)
            await target.send_all(STREAM + chunk(EVENT))
            await receive(client, until=chunk(EVENT))
            rest = chunk(EVENT) + b"0\r\n\r\n"
            await target.send_all(rest)
            assert await receive(client, len(rest)) == rest

    trio.run(main)
    assert [r.events for r in lab.records() if isinstance(r, Disconnect)] == [2]


SWITCH = b"HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"


@pytest.mark.parametrize(
    ("sent", "answer"),
    [
        (post(INITIALIZE), b""),
        (post(INITIALIZE), OPENED),
        (post(INITIALIZE) + post(b" " * 2 * http1_relay.MOST_AHEAD), b""),
        (get("Accept: text/event-stream"), STREAM),
        (get("Upgrade: websocket", "Connection: Upgrade"), SWITCH),
    ],
    ids=["no response", "a response", "no response to the first", "no events", "a WebSocket"],
)
def test_a_client_that_has_gone_is_not_waited_for_although_the_target_does_nothing(
    sent, answer, tmp_path, monkeypatch
):
    """Its system says so when it is asked, here at once. Until then it may only have closed its half."""
    monkeypatch.setattr(plain_socket, "_HANG_UP", 0.01)
    lab = Lab(tmp_path, tcp=True)

    async def main():
        async with lab.client() as client:
            await client.send_all(sent)
            target = await lab.accepted()
            await receive(target, until=b"\r\n\r\n")
            await target.send_all(answer)
            await receive(client, len(answer))
            await client.send_eof()
            await trio.sleep(0.1)
            assert not lab.has_ended.is_set()
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            await client.aclose()
            with trio.fail_after(DEADLINE):
                await lab.has_ended.wait()

    trio.run(main)


def test_a_client_that_has_closed_its_half_may_pause_for_long(tmp_path):
    lab = Lab(tmp_path, sockets=True)
    large = response(200, b"x" * 60_000)

    async def main():
        async with lab.client() as client, trio.open_nursery() as nursery:
            await client.send_all(post(INITIALIZE))
            await client.send_eof()
            target = await lab.accepted()
            await receive(target)
            nursery.start_soon(target.send_all, large)
            await trio.sleep(10 * http1_relay.SILENCE)
            assert await receive(client, len(large)) == large

    trio.run(main, clock=MockClock(autojump_threshold=0))


def test_a_target_that_goes_is_recorded_and_the_client_sees_it(tmp_path):
    lab = Lab(tmp_path)

    async def main():
        async with lab.client() as client:
            target = await open_conversation(client, lab)
            await client.send_all(get("Accept: text/event-stream", "Acp-Connection-Id: c-1"))
            await receive(target, until=b"\r\n\r\n")
            await target.send_all(STREAM + chunk(EVENT))
            await receive(client, until=EVENT)
            await target.aclose()
            await receive(client)

    trio.run(main)
    end = lab.records()[-1]
    assert isinstance(end, Disconnect)
    assert (end.by, end.lost) == ("agent", True)


def test_a_request_to_another_host_or_from_a_page_elsewhere_is_refused(tmp_path):
    lab = Lab(tmp_path)

    async def main():
        for head in (
            get().replace(b"localhost", b"rebound.example:80"),
            get("Origin: https://page.example"),
        ):
            async with lab.client() as client:
                await client.send_all(head)
                assert (await receive(client)).startswith(b"HTTP/1.1 403 ")
        assert lab.connections == []

    trio.run(main)
    assert lab.complaints == [
        "request refused: the Host header names `rebound.example:80`, which is not this machine",
        "request refused: the Origin `https://page.example` is not allowed",
    ]


def test_a_page_of_our_address_is_one_of_the_target_and_the_capture_has_what_it_sent(tmp_path):
    lab = Lab(tmp_path)
    lab.guard = Guard("127.0.0.1", origins=("http://localhost:3000",))

    async def main():
        async with lab.client() as client:
            await client.send_all(post(INITIALIZE, "Origin: http://localhost"))
            target = await lab.accepted()
            forwarded = await receive(target, until=INITIALIZE)
            assert b"\r\nOrigin: http://target.example:8080\r\n" in forwarded
            await target.send_all(OPENED)
            await receive(client, until=INITIALIZED)
            await client.send_all(post(NEW, "Origin: http://localhost:3000"))
            forwarded = await receive(target, until=NEW)
            assert b"\r\nOrigin: http://localhost:3000\r\n" in forwarded

    trio.run(main)
    (exchange,) = [each for each in lab.records() if isinstance(each, HttpExchange)][:1]
    assert exchange.request_headers["origin"] == "http://localhost"


def test_garbage_and_oversized_heads_get_an_error(tmp_path):
    lab = Lab(tmp_path)

    async def main():
        for data, status in (
            (b"\x16\x03\x01 hello\r\n\r\n", b"400"),
            (get("X: " + "y" * 300_000), b"431"),
        ):
            async with lab.client() as client, trio.open_nursery() as nursery:

                async def send(data=data, client=client):
                    with suppress(trio.BrokenResourceError):
                        await client.send_all(data)

                nursery.start_soon(send)
                assert (await receive(client, until=b"\r\n\r\n")).startswith(b"HTTP/1.1 " + status)
                nursery.cancel_scope.cancel()

    trio.run(main)
    assert list(tmp_path.iterdir()) == []


def test_a_credential_that_comes_again_in_a_message_is_redacted(tmp_path):
    lab = Lab(tmp_path, redact=True)
    words = ["a4Kd81mZq0XtW7Lp", "b5Jd81mZq0XtW7LpQ2v9", "c6Kd81mZq0XtW7Lp", "d7Hd81mZq0XtW7LpQ2v9"]
    bearer, cookie, parameter, given = words
    answer = f'{{"jsonrpc":"2.0","id":0,"result":{{"said":"{" and ".join(words)}"}}}}'

    async def main():
        async with lab.client() as client:
            headers = f"Authorization: Bearer {bearer}", f"Cookie: sid={cookie}"
            await client.send_all(post(INITIALIZE, *headers, path=f"/acp?token={parameter}"))
            target = await lab.accepted()
            await receive(target, until=INITIALIZE)
            json, new = "Content-Type: application/json", f"Set-Cookie: new={given}; Path=/"
            await target.send_all(response(200, answer.encode(), json, new))
            assert answer.encode() in await receive(client, until=answer.encode())

    trio.run(main)
    lab.conversations.close()
    recorded = (tmp_path / "run.jsonl").read_text()
    assert not [word for word in words if word in recorded]
    assert '"cookie":"' in recorded


def test_credentials_are_kept_only_if_asked_for(tmp_path):
    for keep in (False, True):
        folder = tmp_path / str(keep)
        folder.mkdir()
        lab = Lab(folder, keep_credentials=keep)

        async def main(lab=lab):
            async with lab.client() as client:
                request = post(
                    INITIALIZE, "Authorization: Bearer s3cret", path="/acp?token=s3cret&x=1"
                )
                await client.send_all(request)
                target = await lab.accepted()
                assert b"s3cret&x=1" in await receive(target, until=INITIALIZE)
                await target.send_all(OPENED)
                await receive(client, until=INITIALIZED)

        trio.run(main)
        lab.conversations.close()
        assert (b"s3cret" in (folder / "run.jsonl").read_bytes()) is keep


def test_a_client_that_still_sends_its_body_gets_the_whole_response_of_a_target(tmp_path):
    lab = Lab(tmp_path)

    async def main():
        async with lab.client() as client:
            await client.send_all(post(b"x" * 200)[:-150])
            target = await lab.accepted()
            await receive(target, until=b"x" * 50)
            await target.send_all(response(413, b"", "Connection: close"))
            await target.send_eof()
            for _ in range(14):  # longer than any silence
                await trio.sleep(0.5)
                await client.send_all(b"x" * 10)
            assert (await receive(client)).startswith(b"HTTP/1.1 413 ")

    trio.run(main, clock=MockClock(autojump_threshold=0.01))
