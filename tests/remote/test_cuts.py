"""An exchange that is cut at every byte: nothing raises, and what was delivered is recorded."""

import pytest
import trio
from support import effort
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

from acp_spy.capture.records import HttpExchange
from acp_spy.wire.frame import Frame

EVENT = b'{"jsonrpc":"2.0","method":"session/update"}'
EVENTS = get("Accept: text/event-stream", "Acp-Connection-Id: c-1")
FROM_CLIENT = post(INITIALIZE)
FROM_TARGET = OPENED + STREAM + chunk(b"data: " + EVENT + b"\n\n")


def places(size):
    return effort.some_of(range(1, size), *range(1, size, 7))


@pytest.mark.parametrize("at", places(len(FROM_CLIENT)))
def test_a_client_that_is_cut_off_in_its_request(at, tmp_path):
    lab = Lab(tmp_path)

    async def main():
        async with lab.client() as client:
            await client.send_all(FROM_CLIENT[:at])
            await client.aclose()
            await trio.testing.wait_all_tasks_blocked()

    trio.run(main)
    assert lab.complaints == []


@pytest.mark.parametrize("at", places(len(FROM_TARGET)))
def test_a_target_that_is_cut_off_in_its_responses(at, tmp_path):
    lab = Lab(tmp_path)
    delivered = b""

    async def main():
        nonlocal delivered
        async with lab.client() as client:
            await client.send_all(post(INITIALIZE) + EVENTS)
            target = await lab.accepted()
            await receive(target, until=INITIALIZE)
            await target.send_all(OPENED[:at])
            if at > len(OPENED):
                await receive(target, until=EVENTS[-30:])
                await target.send_all(FROM_TARGET[len(OPENED) : at])
            await target.aclose()
            delivered = await receive(client)

    trio.run(main)
    assert lab.complaints == []
    raws = [record.raw for record in lab.records() if isinstance(record, Frame)]
    for message, sep in ((INITIALIZED, b""), (EVENT, b"\n\n")):
        assert message + sep not in delivered or message + b"\n" in raws
    assert raws[0] == INITIALIZE + b"\n"


NEW = b'{"jsonrpc":"2.0","id":1,"method":"session/new","params":{}}'
LATER = response(400, b"Missing Acp-Session-Id", "Content-Type: text/plain")


@pytest.mark.parametrize("at", places(len(LATER)))
@pytest.mark.parametrize("is_cut", [True, False])
def test_a_later_response_that_comes_in_two_pieces_or_only_the_first(at, is_cut, tmp_path):
    lab = Lab(tmp_path)

    async def main():
        async with lab.client() as client:
            await client.send_all(post(INITIALIZE))
            target = await lab.accepted()
            await receive(target, until=INITIALIZE)
            await target.send_all(OPENED)
            await receive(client, until=INITIALIZED)
            await client.send_all(post(NEW, "Acp-Connection-Id: c-1"))
            forwarded = await receive(target, until=NEW)
            assert b"\r\nHost: target.example:8080\r\n" in forwarded
            await target.send_all(LATER[:at])
            await trio.testing.wait_all_tasks_blocked()
            if is_cut:
                await target.aclose()
                assert LATER.startswith(await receive(client))
            else:
                await target.send_all(LATER[at:])
                assert await receive(client, len(LATER)) == LATER
                await client.send_all(post(NEW, "Acp-Connection-Id: c-1"))
                await receive(target, until=NEW)

    trio.run(main)
    assert lab.complaints == []
    *_, exchange = [r for r in lab.records() if isinstance(r, HttpExchange) and r.request == 3]
    assert exchange.status in ((0, 400) if is_cut else (400,))
    assert is_cut or exchange.body == "Missing Acp-Session-Id"
