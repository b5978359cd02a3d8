"""Our own requests: which connection they go by, and whether one is ever sent twice."""

import math
from functools import partial

import pytest
import trio
from support.processes import DEADLINE
from support.remote import Lab, receive, response

from acp_spy.remote import http_client
from acp_spy.remote.connector import Connector
from acp_spy.remote.http_client import HttpClient, HttpFailed


class SocketLab(Lab):
    """Its connections are sockets: a memory has no end that can be seen before it is read."""

    async def connect(self, _protocols):
        await trio.lowlevel.checkpoint()
        ours, theirs = map(trio.SocketStream, trio.socket.socketpair())
        self.connections.append(theirs)
        return ours


@pytest.fixture(autouse=True)
def _no_hurry(monkeypatch):
    monkeypatch.setattr(http_client, "STILL_FRESH", math.inf)


async def with_client(lab, use):
    async with trio.open_nursery() as nursery:
        client = HttpClient(lab, [], Connector(lab, nursery))
        await use(client, nursery)
        await client.close()
        for connection in lab.connections:
            await connection.aclose()
        nursery.cancel_scope.cancel()


async def served(lab, number, answer, until=b"{}"):
    """Take a request on a connection, and answer it: by closing the connection, if by `None`."""
    target = await lab.accepted(number)
    await receive(target, until=until)
    if answer is None:
        await target.aclose()
    else:
        await target.send_all(answer)


def test_a_connection_that_was_closed_meanwhile_is_replaced(tmp_path):
    lab = SocketLab(tmp_path)

    async def use(client, nursery):
        nursery.start_soon(served, lab, 0, response(200, b"first"))
        assert await (await client.request("POST", [], b"{}")).read() == b"first"
        await lab.connections[0].aclose()
        nursery.start_soon(served, lab, 1, response(200, b"second"))
        assert await (await client.request("POST", [], b"{}")).read() == b"second"
        assert len(lab.connections) == 2

    trio.run(with_client, lab, use)


def test_a_connection_that_was_idle_for_long_is_not_used_again(tmp_path, monkeypatch):
    """The agent may be about to close it, and a POST that is lost that way cannot be repeated."""
    monkeypatch.setattr(http_client, "STILL_FRESH", -1.0)
    lab = SocketLab(tmp_path)

    async def use(client, nursery):
        for number in range(2):
            nursery.start_soon(served, lab, number, response(200, b"x"))
            assert await (await client.request("POST", [], b"{}")).read() == b"x"
        assert await receive(lab.connections[0]) == b""

    trio.run(with_client, lab, use)


def test_a_post_on_a_connection_that_is_closed_without_a_byte_is_not_sent_twice(tmp_path):
    lab = SocketLab(tmp_path)

    async def use(client, nursery):
        nursery.start_soon(served, lab, 0, response(200, b"first"))
        await (await client.request("POST", [], b"{}")).read()
        nursery.start_soon(served, lab, 0, None)
        with pytest.raises(HttpFailed, match="it closed the connection without a response"):
            await client.request("POST", [], b"{}")
        assert len(lab.connections) == 1

    trio.run(with_client, lab, use)


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_a_request_that_may_be_repeated_is_sent_on_a_new_connection(method, tmp_path):
    lab = SocketLab(tmp_path)

    async def use(client, nursery):
        nursery.start_soon(served, lab, 0, response(200, b"first"))
        await (await client.request("POST", [], b"{}")).read()
        nursery.start_soon(served, lab, 0, None, b"\r\n\r\n")
        nursery.start_soon(served, lab, 1, response(200, b"second"), b"\r\n\r\n")
        assert await (await client.request(method, [])).read() == b"second"

    trio.run(with_client, lab, use)


@pytest.mark.parametrize("answer", [b"SSH-2.0\r\n\r\n\r\n", b"HTTP/1.1 200 OK\r\nno colon\r\n\r\n"])
def test_a_request_that_got_something_is_not_sent_twice(answer, tmp_path):
    lab = SocketLab(tmp_path)

    async def use(client, nursery):
        nursery.start_soon(served, lab, 0, response(200, b"first"))
        await (await client.request("POST", [], b"{}")).read()
        nursery.start_soon(served, lab, 0, answer)
        with pytest.raises(HttpFailed):
            await client.request("POST", [], b"{}")
        assert len(lab.connections) == 1

    trio.run(with_client, lab, use)


def test_a_new_connection_that_is_closed_at_once_is_an_error_in_plain_words(tmp_path):
    lab = SocketLab(tmp_path)

    async def use(client, nursery):
        nursery.start_soon(served, lab, 0, None)
        with pytest.raises(HttpFailed, match="it closed the connection without a response"):
            await client.request("POST", [], b"{}")
        assert len(lab.connections) == 1

    trio.run(with_client, lab, use)


REFUSED = response(413, b"it is too large")
LARGE = b'{"x":"' + b"x" * 20_000_000 + b'"}'  # more than any buffer holds


async def refuse(lab, *, closes, number=0):
    """Respond to the head of a request, as a server that refuses a body by its length."""
    target = await lab.accepted(number)
    await receive(target, until=b"\r\n\r\n")
    await target.send_all(REFUSED)
    if closes:
        await target.aclose()  # what was not read makes it a reset


@pytest.mark.parametrize("closes", [True, False])
def test_a_response_that_comes_before_all_was_sent_is_read(tmp_path, closes):
    lab = SocketLab(tmp_path)

    async def use(client, nursery):
        nursery.start_soon(partial(refuse, lab, closes=closes))
        with trio.fail_after(DEADLINE):
            refused = await client.request("POST", [], LARGE)
            assert (refused.status, await refused.read()) == (413, b"it is too large")
            # That connection has a part of a request, so the next goes by another.
            nursery.start_soon(served, lab, 1, response(200, b"second"))
            assert await (await client.request("POST", [], b"{}")).read() == b"second"

    trio.run(with_client, lab, use)


def test_a_response_that_ends_before_the_request_is_read_as_it_comes(tmp_path):
    """A server may begin to respond while it still reads, as one that streams does."""
    lab = SocketLab(tmp_path)
    has_all = trio.Event()

    async def respond():
        target = await lab.accepted(0)
        got = await receive(target, until=b"\r\n\r\n")
        await target.send_all(response(200, b"first"))
        while not got.endswith(LARGE[-20:]):
            got = (got + await target.receive_some(1 << 20))[-100:]
        has_all.set()

    async def use(client, nursery):
        nursery.start_soon(respond)
        with trio.fail_after(DEADLINE):
            is_sent = trio.Event()
            found = await client.request("POST", [], LARGE, is_sent)
            assert await found.read() == b"first"
            await has_all.wait()

    trio.run(with_client, lab, use)


@pytest.mark.parametrize("takes", [True, False])
def test_what_is_accepted_at_once_is_still_sent_to_its_end(tmp_path, takes):
    """An agent may respond `202` to the head, and read the body in its own time, or not at all."""
    lab = SocketLab(tmp_path)
    has_read, got = trio.Event(), []

    async def accept():
        target = await lab.accepted(0)
        first = await receive(target, until=b"\r\n\r\n")
        await target.send_all(response(202))
        await has_read.wait()
        if takes:
            got.append(len(first) + len(await receive(target, until=LARGE[-20:])))
            assert await target.receive_some() == b""  # the next goes by another connection
        await target.aclose()

    async def use(client, nursery):
        with trio.fail_after(DEADLINE):
            async with trio.open_nursery() as agents:
                agents.start_soon(accept)
                is_sent = trio.Event()
                assert (await (await client.request("POST", [], LARGE, is_sent)).read()) == b""
                assert not is_sent.is_set()  # the next message has to wait
                has_read.set()
            await is_sent.wait()
            nursery.start_soon(served, lab, 1, response(200, b"second"))
            assert await (await client.request("POST", [], b"{}")).read() == b"second"

    trio.run(with_client, lab, use)
    assert [size > len(LARGE) for size in got] == [True] * takes


def test_an_agent_that_neither_takes_a_request_nor_responds_is_an_error(tmp_path):
    lab = SocketLab(tmp_path)

    async def use(client, nursery):
        nursery.start_soon(served, lab, 0, None, b"\r\n\r\n")
        with trio.fail_after(DEADLINE), pytest.raises(HttpFailed, match="cannot reach"):
            await client.request("POST", [], LARGE)

    trio.run(with_client, lab, use)
