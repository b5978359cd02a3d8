"""A WebSocket relayed in memory: byte for byte, recorded, compressed or not."""

import pytest
import trio
from support.processes import DEADLINE
from support.remote import Lab, get, receive
from wsproto.connection import Connection, ConnectionType
from wsproto.events import BytesMessage, CloseConnection, TextMessage
from wsproto.extensions import PerMessageDeflate

from acp_spy.capture.records import Closed, Disconnect, Exit, HttpExchange
from acp_spy.wire.frame import Frame, Peer

AGREED = "permessage-deflate; client_max_window_bits=15; server_max_window_bits=15"
UPGRADE = get(
    "Upgrade: websocket",
    "Connection: Upgrade",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    "Sec-WebSocket-Protocol: acp, qwen-bearer.s3cret",
)
MESSAGE = '{"jsonrpc":"2.0","id":0,"method":"initialize"}'
ANSWER = '{"jsonrpc":"2.0","id":0,"result":{}}'


def accepted(*headers):
    lines = [
        "HTTP/1.1 101 Switching Protocols",
        *("Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Accept: x"),
        *("Acp-Connection-Id: c-1", *headers, "", ""),
    ]
    return "\r\n".join(lines).encode()


def ends(agreed):
    def end(role):
        deflate = PerMessageDeflate()
        deflate.finalize(AGREED)
        return Connection(role, [deflate] if agreed else [])

    return end(ConnectionType.CLIENT), end(ConnectionType.SERVER)


def test_a_client_that_has_gone_before_its_socket_is_accepted_is_not_kept(tmp_path):
    lab = Lab(tmp_path)

    async def main():
        async with lab.client() as client:
            await client.send_all(UPGRADE)
            target = await lab.accepted()
            await receive(target, until=b"\r\n\r\n")
            await client.send_eof()
            assert await receive(target) == b""
            await target.send_all(accepted())
            await target.send_eof()
            assert (await receive(client)).endswith(b"\r\n\r\n")
            with trio.fail_after(DEADLINE):
                await lab.has_ended.wait()

    trio.run(main)


def test_a_target_that_sends_no_more_still_reads(tmp_path):
    """As one does that has sent its close frame, and waits for the reply."""
    lab = Lab(tmp_path)
    reply = bytes(ends(agreed=False)[0].send(CloseConnection(code=1000)))

    async def main():
        async with lab.client() as client:
            await client.send_all(UPGRADE)
            target = await lab.accepted()
            await receive(target, until=b"\r\n\r\n")
            await target.send_all(accepted() + b"\x88\x02\x03\xe8")
            await target.send_eof()
            assert (await receive(client)).endswith(b"\x03\xe8")
            await client.send_all(reply)
            await client.send_eof()
            assert await receive(target) == reply

    trio.run(main)
    end = next(record for record in lab.records() if isinstance(record, Disconnect))
    assert (end.by, end.lost) == ("agent", False)


@pytest.mark.parametrize("agreed", [False, True])
def test_messages_are_relayed_byte_for_byte_and_recorded(agreed, tmp_path):
    lab = Lab(tmp_path)
    client_end, agent_end = ends(agreed)

    async def main():
        async with lab.client() as client:
            await client.send_all(UPGRADE)
            target = await lab.accepted()
            assert b"qwen-bearer.s3cret" in await receive(target, until=b"\r\n\r\n")
            first = bytes(agent_end.send(TextMessage(data=ANSWER)))
            head = accepted(*([f"Sec-WebSocket-Extensions: {AGREED}"] if agreed else []))
            await target.send_all(head + first)  # at once, as a fast agent does
            got = await receive(client, len(head) + len(first))
            assert got.endswith(first)
            for event in (TextMessage(data=MESSAGE), BytesMessage(data=b"\0")):
                data = bytes(client_end.send(event))
                await client.send_all(data)
                assert await receive(target, len(data)) == data
            data = bytes(agent_end.send(CloseConnection(code=1011, reason="out of tokens")))
            await target.send_all(data)
            assert await receive(client, len(data)) == data
            await client.send_all(bytes(client_end.send(CloseConnection(code=1011))))
            await target.aclose()
            assert await receive(client) == b""

    trio.run(main)
    records = lab.records()
    assert [type(record) for record in records] == [
        *(HttpExchange, Frame, Frame, Frame, Disconnect, Closed, Exit)
    ]
    exchange, answer, message, binary, end, closed, _ = records
    assert (exchange.transport, exchange.status) == ("ws", 101)
    assert exchange.request_headers["sec-websocket-protocol"] == "acp, qwen-bearer.redacted"
    assert (answer.raw, message.raw) == (f"{ANSWER}\n".encode(), f"{MESSAGE}\n".encode())
    assert (message.via.transport, message.via.connection, message.via.binary) == (
        *("ws", "c-1", False),
    )
    assert binary.via.binary
    assert (end.by, end.code, end.reason, end.lost) == ("agent", 1011, "out of tokens", False)
    assert closed.sender is Peer.AGENT


@pytest.mark.parametrize("keep", [False, True])
def test_a_token_that_the_agent_chooses_as_the_protocol_is_not_recorded(keep, tmp_path):
    lab = Lab(tmp_path, keep_credentials=keep)
    chosen = accepted("Sec-WebSocket-Protocol: s3cret")

    async def main():
        async with lab.client() as client:
            await client.send_all(UPGRADE.replace(b"qwen-bearer.s3cret", b"bearer, s3cret"))
            target = await lab.accepted()
            await receive(target, until=b"\r\n\r\n")
            await target.send_all(chosen)
            assert await receive(client, len(chosen)) == chosen
            await target.aclose()
            assert await receive(client) == b""

    trio.run(main)
    exchange, *_ = lab.records()
    shown = exchange.response_headers["sec-websocket-protocol"]
    assert shown == ("s3cret" if keep else "redacted")
    assert ("s3cret" in (tmp_path / "run.jsonl").read_text()) is keep


def test_a_refused_upgrade_is_recorded(tmp_path):
    lab = Lab(tmp_path)

    async def main():
        async with lab.client() as client:
            await client.send_all(UPGRADE)
            target = await lab.accepted()
            await receive(target, until=b"\r\n\r\n")
            refusal = b"HTTP/1.1 401 No\r\nContent-Length: 5\r\n\r\nnever"
            await target.send_all(refusal)
            assert await receive(client, len(refusal)) == refusal

    trio.run(main)
    (exchange,) = lab.records()
    assert (exchange.transport, exchange.status, exchange.body) == ("ws", 401, "never")


@pytest.mark.parametrize("sender", ["client", "agent"])
def test_a_socket_that_is_cut_is_recorded_as_lost(sender, tmp_path):
    lab = Lab(tmp_path)

    async def main():
        async with lab.client() as client:
            await client.send_all(UPGRADE)
            target = await lab.accepted()
            await receive(target, until=b"\r\n\r\n")
            await target.send_all(accepted())
            await receive(client, until=b"\r\n\r\n")
            near, far = (client, target) if sender == "client" else (target, client)
            await near.aclose()
            assert await receive(far) == b""
            await far.aclose()
            await trio.testing.wait_all_tasks_blocked()

    trio.run(main)
    end = next(record for record in lab.records() if isinstance(record, Disconnect))
    assert (end.by, end.lost, end.code) == (sender, True, 0)
