import tracemalloc
import zlib

import pytest
from wsproto.connection import Connection, ConnectionType
from wsproto.events import BytesMessage, CloseConnection, Ping, TextMessage
from wsproto.extensions import PerMessageDeflate
from wsproto.utilities import RemoteProtocolError

from acp_spy.remote.deflate import Deflate
from acp_spy.remote.socket_copy import SocketCopy
from acp_spy.wire.frame import Peer

AGREED = "permessage-deflate; client_max_window_bits=15; server_max_window_bits=15"
TEXT = '{"jsonrpc":"2.0","method":"é"}'


def sender(peer, agreed):
    deflate = PerMessageDeflate()
    if agreed:
        deflate.finalize(agreed)
    role = ConnectionType.CLIENT if peer is Peer.CLIENT else ConnectionType.SERVER
    return Connection(role, [deflate] if agreed else [])


@pytest.mark.parametrize("peer", list(Peer))
@pytest.mark.parametrize("agreed", ["", AGREED, "permessage-deflate; server_no_context_takeover"])
@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_messages_are_read_whatever_the_compression_and_however_they_are_cut(peer, agreed, size):
    socket = sender(peer, agreed)
    data = b"".join(
        bytes(socket.send(event))
        for event in (
            TextMessage(data=TEXT),
            TextMessage(data=TEXT[:9], message_finished=False),
            Ping(payload=b"still there?"),
            TextMessage(data=TEXT[9:]),
            BytesMessage(data=b"\0\1"),
            CloseConnection(code=1011, reason="over"),
        )
    )
    copy = SocketCopy(peer, agreed)
    pieces = (data[at : at + size] for at in range(0, len(data), size))
    found = [message for piece in pieces for message in copy.feed(piece)]
    assert found == [(TEXT.encode(), False), (TEXT.encode(), False), (b"\0\1", True)]
    assert (copy.has_closed, copy.code, copy.reason, copy.failure) == (True, 1011, "over", "")


def test_a_compressed_bomb_stops_the_reading():
    squeeze = zlib.compressobj(9, zlib.DEFLATED, -15)
    payload = squeeze.compress(b"x" * 5_000_000) + squeeze.flush(zlib.Z_SYNC_FLUSH)[:-4]
    frame = bytes([0xC1, 126]) + len(payload).to_bytes(2, "big") + payload
    copy = SocketCopy(Peer.AGENT, AGREED, longest=1_000_000)
    assert copy.feed(frame) == []
    assert copy.failure == "a message is longer than 1000000 bytes"
    assert copy.feed(frame) == []


@pytest.mark.parametrize(
    ("peer", "data"),
    [
        (Peer.CLIENT, b"\x81\x02hi"),  # a client must mask
        (Peer.AGENT, b"\xff\x00"),
        (Peer.AGENT, b"\x81\x82\0\0\0\0hi"),  # and a server must not
        (Peer.AGENT, b"\x01\x01h\x81\x01i"),
        (Peer.AGENT, b"\x80\x01h"),
        (Peer.AGENT, b"\xc1\x02hi"),  # compressed, which was not agreed on
    ],
)
def test_what_is_no_websocket_stops_the_reading(peer, data):
    copy = SocketCopy(peer, "")
    assert copy.feed(data) == []
    assert copy.failure


def test_compressed_garbage_stops_the_reading():
    copy = SocketCopy(Peer.AGENT, AGREED)
    assert copy.feed(b"\xc1\x05hello") == []
    assert copy.failure == "a message cannot be decompressed"


def ended_stream(text, after=b"\0"):
    """Return a message whose stream of deflate ends with it (RFC 7692, 7.2.3.5)."""
    squeeze = zlib.compressobj(9, zlib.DEFLATED, -15)
    return squeeze.compress(text) + squeeze.flush(zlib.Z_FINISH) + after


@pytest.mark.parametrize("after", [b"\0", b""])
def test_a_message_may_end_its_stream_and_the_next_is_read(after):
    squeeze = zlib.compressobj(9, zlib.DEFLATED, -15)
    last = squeeze.compress(b"three") + squeeze.flush(zlib.Z_SYNC_FLUSH)[:-4]
    payloads = [ended_stream(b"one", after), ended_stream(b"two", after), last]
    copy = SocketCopy(Peer.AGENT, AGREED)
    found = [copy.feed(bytes([0xC1, len(payload)]) + payload) for payload in payloads]
    assert found == [[(b"one", False)], [(b"two", False)], [(b"three", False)]]
    assert (copy.failure, copy.held) == ("", 0)


@pytest.mark.parametrize("after", [b"\0", b""])
def test_the_socket_of_serve_and_bridge_reads_on_after_the_end_of_a_stream(after):
    deflate = Deflate()
    deflate.finalize(AGREED)
    socket = Connection(ConnectionType.CLIENT, [deflate])
    for text in (b"one", b"two"):
        payload = ended_stream(text, after)
        socket.receive_data(bytes([0xC1, len(payload)]) + payload)
    parts = [event.data for event in socket.events() if isinstance(event, TextMessage)]
    assert "".join(parts) == "onetwo"


def test_what_ends_stream_after_stream_is_not_read():
    """Each is a decompressor of its own, and copies what is left: it would take minutes."""
    payload = b"\x03\x00" * 30_000
    frame = bytes([0xC1, 126]) + len(payload).to_bytes(2, "big") + payload
    copy = SocketCopy(Peer.AGENT, AGREED)
    assert copy.feed(frame) == []
    assert copy.failure == "a message cannot be decompressed"


def test_many_small_fragments_take_no_more_memory_than_their_bytes():
    many = 20_000  # tracemalloc sees each of them
    copy = SocketCopy(Peer.AGENT, "")
    tracemalloc.start()
    try:
        copy.feed(b"\x01\x00" + b"\x00\x00" * many)
        assert copy.held == 0
        assert tracemalloc.get_traced_memory()[0] < many
        copy.feed(b"\x00\x02ab" * many)
        assert tracemalloc.get_traced_memory()[0] < 5 * many
    finally:
        tracemalloc.stop()
    assert copy.feed(b"\x80\x01c") == [(b"ab" * many + b"c", False)]


@pytest.mark.parametrize("bits", ["=x", "=99", "=", ""])
def test_parameters_of_compression_that_are_no_numbers_are_refused(bits):
    parameters = f"permessage-deflate; server_max_window_bits{bits}"
    assert not Deflate().accept(parameters) or not bits  # of a client, it means any number
    with pytest.raises(RemoteProtocolError, match="cannot be read"):
        Deflate().finalize(parameters)
