"""What we serve ourselves, in memory: clients that go, and those that are refused."""

from contextlib import suppress

import pytest
import trio
from support.remote import Lab, get, post, receive
from trio.testing import MockClock, memory_stream_pair

from acp_spy.remote import http_server
from acp_spy.remote.http_server import ServedHttp
from acp_spy.remote.room import Room


async def endless(request):
    await request.stream(200, [("content-type", "text/event-stream")])
    async with trio.open_nursery() as nursery:
        nursery.start_soon(request.wait_until_gone)
        while True:
            await request.send(b"data: {}\n\n")


async def greet(request):
    await request.respond(200, f"{request.method} {len(request.body)}")


def served(lab, handle, talk):
    async def main():
        ours, theirs = memory_stream_pair()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(ServedHttp(ours, lab, handle).run)
            await talk(theirs)
            nursery.cancel_scope.cancel()

    trio.run(main, clock=MockClock(autojump_threshold=0.01))


def test_a_client_that_goes_in_the_middle_of_a_stream_ends_nothing_else(tmp_path):
    lab = Lab(tmp_path)

    async def talk(client):
        await client.send_all(get("Accept: text/event-stream"))
        await receive(client, until=b"data")
        await client.aclose()
        await trio.testing.wait_all_tasks_blocked()

    served(lab, endless, talk)
    assert lab.complaints == []


def test_requests_are_served_one_after_the_other(tmp_path):
    async def talk(client):
        await client.send_all(post(b"{}") + get())
        got = await receive(client, until=b"GET 0")
        assert got.index(b"POST 2") < got.index(b"GET 0")

    served(Lab(tmp_path), greet, talk)


def test_a_head_gets_the_head_of_what_a_get_would_get(tmp_path):
    async def talk(client):
        ask = get().replace(b"GET", b"HEAD")
        await client.send_all(ask + get())
        got = await receive(client, until=b"GET 0")
        assert got.count(b"content-length: ") == 2
        assert b"HEAD 0" not in got
        await client.send_all(get("Origin: https://page.example").replace(b"GET", b"HEAD"))
        refused = await receive(client)
        assert refused.startswith(b"HTTP/1.1 403 ")
        assert refused.endswith(b"\r\n\r\n")

    served(Lab(tmp_path), greet, talk)


@pytest.mark.parametrize(
    "headers",
    [
        ["Origin: https://page.example"],
        ["Origin: https://page.example", "Origin: http://localhost"],
        ["Sec-Fetch-Site: cross-site"],
    ],
)
def test_a_page_from_elsewhere_is_refused(headers, tmp_path):
    async def talk(client):
        await client.send_all(get(*headers))
        assert (await receive(client)).startswith(b"HTTP/1.1 403 ")

    served(Lab(tmp_path), greet, talk)


@pytest.mark.parametrize(
    "request_bytes",
    [
        post(b"{}", "Transfer-Encoding: chunked"),
        get().replace(b"\r\n", b"\n"),
        get().replace(b"\r\nHost", b"\nHost"),
        get("X: 1\rY: 2"),
        get("X: 1\nY: 2"),
    ],
)
def test_a_request_that_two_servers_could_read_in_two_ways_is_refused(request_bytes, tmp_path):
    async def talk(client):
        for part in (request_bytes[:20], request_bytes[20:]):
            await client.send_all(part)
        got = await receive(client)
        assert got.startswith(b"HTTP/1.1 400 ")
        assert got.count(b"HTTP/1.1") == 1

    served(Lab(tmp_path), greet, talk)


def test_a_head_may_come_byte_by_byte(tmp_path):
    async def talk(client):
        for byte in post(b"a\nb") + get():
            await client.send_all(bytes((byte,)))
        got = await receive(client, until=b"GET 0")
        assert b"POST 3" in got

    served(Lab(tmp_path), greet, talk)


def test_a_bug_of_ours_ends_one_connection_and_is_reported_once(tmp_path):
    lab = Lab(tmp_path)

    async def broken():
        raise KeyError("x")

    async def main():
        await lab.guard_against_bugs(broken)
        await lab.guard_against_bugs(broken)

    trio.run(main)
    (complaint,) = lab.complaints
    assert complaint.startswith("a bug in acp-spy, please report it: KeyError('x') at broken:")


def test_large_bodies_that_come_at_once_have_one_limit_for_all(tmp_path):
    lab = Lab(tmp_path)
    lab.conversations.room = Room(most=150_000)
    whole = post(b"x" * 100_000)

    async def main():
        slow, theirs = memory_stream_pair()
        second, others = memory_stream_pair()
        async with trio.open_nursery() as nursery:
            for stream in (slow, second):
                nursery.start_soon(ServedHttp(stream, lab, greet).run)
            await theirs.send_all(whole[:-1])
            await trio.testing.wait_all_tasks_blocked()
            await others.send_all(whole[:-1])
            assert (await receive(others, until=b"at once")).startswith(b"HTTP/1.1 503 ")
            await theirs.send_all(whole[-1:])
            assert b"POST 100000" in await receive(theirs, until=b"POST 100000")
            nursery.cancel_scope.cancel()

    trio.run(main)
    assert lab.complaints == []


def test_large_bodies_that_wait_for_an_agent_count_as_those_that_come(tmp_path):
    lab = Lab(tmp_path)
    lab.conversations.room = Room(most=150_000)
    whole = post(b"x" * 100_000)

    async def main():
        may_respond = trio.Event()

        async def wait(request):
            await may_respond.wait()
            await greet(request)

        async with trio.open_nursery() as nursery:
            clients = []
            for _ in range(2):
                ours, theirs = memory_stream_pair()
                nursery.start_soon(ServedHttp(ours, lab, wait).run)
                await theirs.send_all(whole)
                await trio.testing.wait_all_tasks_blocked()
                clients.append(theirs)
            assert (await receive(clients[1], until=b"at once")).startswith(b"HTTP/1.1 503 ")
            may_respond.set()
            await receive(clients[0], until=b"POST 100000")
            ours, theirs = memory_stream_pair()
            nursery.start_soon(ServedHttp(ours, lab, wait).run)
            await clients[0].aclose()
            await trio.testing.wait_all_tasks_blocked()
            await theirs.send_all(whole)
            await receive(theirs, until=b"POST 100000")
            nursery.cancel_scope.cancel()

    trio.run(main)
    assert lab.complaints == []


def test_a_client_that_still_sends_its_body_gets_why_it_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(http_server, "LARGEST_BODY", 10)

    async def talk(client):
        await client.send_all(post(b"x" * 200)[:-150])
        for _ in range(14):  # as over a slow network: longer than any silence
            await trio.sleep(0.5)
            await client.send_all(b"x" * 10)
        assert (await receive(client)).startswith(b"HTTP/1.1 413 ")

    served(Lab(tmp_path), greet, talk)


def test_a_client_that_never_ends_its_body_is_not_waited_for(tmp_path, monkeypatch):
    monkeypatch.setattr(http_server, "LARGEST_BODY", 10)

    async def talk(client):
        await client.send_all(post(b"x" * 2000)[:-1900])
        begun = trio.current_time()
        with suppress(trio.BrokenResourceError):
            while trio.current_time() < begun + 60:
                await trio.sleep(0.5)
                await client.send_all(b"x")
        assert 25 < trio.current_time() - begun < 35

    served(Lab(tmp_path), greet, talk)
