"""Requests and responses that two parsers may read in two ways, or that are not for us."""

import ssl

import pytest
import trio
from support.remote import INITIALIZE, OPENED, Lab, post, receive, response

from acp_spy.capture.records import HttpExchange
from acp_spy.remote.service import reason


async def forwarded(lab, client, request, until):
    await client.send_all(request)
    return await receive(await lab.accepted(), until=until)


def test_a_length_beside_chunks_is_not_forwarded(tmp_path):
    """Who believes the length takes the rest of the body for another request."""
    lab = Lab(tmp_path)
    head = "POST /acp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n"
    request = f"{head}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n".encode()

    async def main():
        async with lab.client() as client:
            seen = await forwarded(lab, client, request, b"0\r\n\r\n")
            assert b"content-length" not in seen.lower()
            assert seen.endswith(b"\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")

    trio.run(main)


@pytest.mark.parametrize("is_first", [True, False])
def test_the_address_in_a_request_and_what_is_for_a_proxy_are_not_forwarded(is_first, tmp_path):
    lab = Lab(tmp_path)
    proxies = ("Proxy-Authorization: Basic secret", "Proxy-Connection: keep-alive")
    request = post(INITIALIZE, *proxies, path="http://localhost:7000/acp?x=1")

    async def main():
        async with lab.client() as client:
            if not is_first:
                await forwarded(lab, client, post(INITIALIZE), INITIALIZE)
                await lab.connections[0].send_all(OPENED)
                await receive(client, len(OPENED))
            seen = await forwarded(lab, client, request, INITIALIZE)
            assert seen.startswith(b"POST /acp?x=1 HTTP/1.1\r\nHost: target.example:8080\r\n")
            assert b"proxy" not in seen.lower()

    trio.run(main)


@pytest.mark.parametrize("target", ["http://localhost", "HTTP://localhost/", "/"])
def test_the_address_alone_is_the_root(target, tmp_path):
    lab = Lab(tmp_path)

    async def main():
        async with lab.client() as client:
            seen = await forwarded(lab, client, post(INITIALIZE, path=target), INITIALIZE)
            assert seen.startswith(b"POST / HTTP/1.1\r\n")

    trio.run(main)


def test_a_tunnel_is_refused(tmp_path):
    lab = Lab(tmp_path)

    async def main():
        async with lab.client() as client:
            await client.send_all(b"CONNECT agent.example:443 HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert (await receive(client)).startswith(b"HTTP/1.1 405 ")
        assert lab.connections == []

    trio.run(main)


def test_a_request_without_a_host_is_refused_in_plain_words(tmp_path):
    lab = Lab(tmp_path)

    async def main():
        async with lab.client() as client:
            await client.send_all(b"GET /acp HTTP/1.0\r\n\r\n")
            assert b"acp-spy: refused: it has no Host header" in await receive(client)

    trio.run(main)


@pytest.mark.parametrize(
    "request_", [b"GET / HTTP/1.0\r\nHost: localhost\r\n\r\n", post(b"{}", "Connection: close")]
)
def test_a_response_to_a_client_that_waits_for_the_end_ends(request_, tmp_path):
    """The target would keep its connection open."""
    lab = Lab(tmp_path)

    async def main():
        async with lab.client() as client:
            await forwarded(lab, client, request_, b"\r\n\r\n")
            await lab.connections[0].send_all(response(200, b"text"))
            assert (await receive(client)).endswith(b"\r\n\r\ntext")

    trio.run(main)


def test_a_client_that_waits_before_it_sends_its_body_learns_that_there_is_no_target(tmp_path):
    lab = Lab(tmp_path, unreachable=ConnectionRefusedError(111, "Connection refused"))
    request = post(INITIALIZE, "Expect: 100-continue").removesuffix(INITIALIZE)

    async def main():
        async with lab.client() as client:
            await client.send_all(request)
            assert (await receive(client)).startswith(b"HTTP/1.1 502 ")

    trio.run(main)
    assert [r.status for r in lab.records() if isinstance(r, HttpExchange)] == [502]


@pytest.mark.parametrize(
    ("garbage", "why"),
    [
        (b"SSH-2.0-OpenSSH_9.9\r\n", "its response begins with 'SSH-2'"),
        (b"\x15\x03\x01\x00\x02\x02\x46", "its response begins with '\\x15\\x03\\x01\\x00\\x02'"),
        (b"HTTP/1.1 200 OK\r\nno colon\r\n\r\n", "illegal header line: bytearray(b'no colon')"),
    ],
)
def test_a_target_that_does_not_speak_http_is_502_at_once(garbage, why, tmp_path):
    lab = Lab(tmp_path)

    async def main():
        async with lab.client() as client:
            await forwarded(lab, client, post(INITIALIZE), INITIALIZE)
            await lab.connections[0].send_all(garbage)
            got = await receive(client)
            assert got.startswith(b"HTTP/1.1 502 ")
            text = f"acp-spy: http://target.example:8080/acp does not speak HTTP: {why}\n"
            assert got.endswith(text.encode())

    trio.run(main)
    _, exchange = lab.records()
    assert (exchange.status, exchange.error.endswith(f"does not speak HTTP: {why}")) == (0, True)
    assert lab.complaints == [f"http://target.example:8080/acp does not speak HTTP: {why}"]


def test_a_target_without_tls_is_named_as_such():
    error = ssl.SSLError(1, "[SSL: WRONG_VERSION_NUMBER] wrong version number (_ssl.c:1006)")
    error.reason = "WRONG_VERSION_NUMBER"
    assert reason(error) == "it does not speak TLS; try the URL with `http` or `ws`"


@pytest.mark.parametrize(
    ("start", "why"), [(b"", "without"), (b"HTTP/1.1 200", "within"), (OPENED[:-3], "within")]
)
def test_a_target_that_closes_its_connection_closes_the_clients(start, why, tmp_path):
    """A client may try again, as it would without us."""
    lab = Lab(tmp_path)

    async def main():
        async with lab.client() as client:
            await forwarded(lab, client, post(INITIALIZE), INITIALIZE)
            await lab.connections[0].send_all(start)
            await lab.connections[0].aclose()
            assert (await receive(client)) in (b"", start)

    trio.run(main)
    _, exchange = lab.records()
    assert exchange.error.endswith(f": it closed the connection {why} its response")
