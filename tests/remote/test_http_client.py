"""Our own requests: which connection they go by, and whether one is ever sent twice."""

import pytest
import trio
from support.remote import Lab, receive, response

from acp_spy.remote.connector import Connector
from acp_spy.remote.http_client import HttpClient, HttpFailed


async def with_client(lab, use):
    async with trio.open_nursery() as nursery:
        client = HttpClient(lab, [], Connector(lab, nursery))
        await use(client, nursery)
        await client.close()
        nursery.cancel_scope.cancel()


async def served(lab, number, answer):
    """Take a request on a connection, and answer it: by closing the connection, if by `None`."""
    target = await lab.accepted(number)
    await receive(target, until=b"{}")
    if answer is None:
        await target.aclose()
    else:
        await target.send_all(answer)


def test_a_connection_that_was_closed_meanwhile_is_replaced(tmp_path):
    lab = Lab(tmp_path)

    async def use(client, nursery):
        nursery.start_soon(served, lab, 0, response(200, b"first"))
        assert await (await client.request("POST", [], b"{}")).read() == b"first"
        await lab.connections[0].aclose()
        nursery.start_soon(served, lab, 1, response(200, b"second"))
        assert await (await client.request("POST", [], b"{}")).read() == b"second"
        assert len(lab.connections) == 2

    trio.run(with_client, lab, use)


@pytest.mark.parametrize("answer", [b"SSH-2.0\r\n\r\n\r\n", b"HTTP/1.1 200 OK\r\nno colon\r\n\r\n"])
def test_a_request_that_got_something_is_not_sent_twice(answer, tmp_path):
    lab = Lab(tmp_path)

    async def use(client, nursery):
        nursery.start_soon(served, lab, 0, response(200, b"first"))
        await (await client.request("POST", [], b"{}")).read()
        nursery.start_soon(served, lab, 0, answer)
        with pytest.raises(HttpFailed):
            await client.request("POST", [], b"{}")
        assert len(lab.connections) == 1

    trio.run(with_client, lab, use)


def test_a_new_connection_that_is_closed_at_once_is_an_error_in_plain_words(tmp_path):
    lab = Lab(tmp_path)

    async def use(client, nursery):
        nursery.start_soon(served, lab, 0, None)
        with pytest.raises(HttpFailed, match="it closed the connection without a response"):
            await client.request("POST", [], b"{}")
        assert len(lab.connections) == 1

    trio.run(with_client, lab, use)
