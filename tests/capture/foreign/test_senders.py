"""Who sent what, when only the messages are there."""

import pytest
from fuzz.commands import grows_no_faster
from support.work import calls_of

from acp_spy.capture.foreign.senders import Senders, sender_of
from acp_spy.capture.transcript import parse
from acp_spy.wire.frame import Peer
from acp_spy.wire.jsonrpc import read_message

HANDSHAKE = """
    -> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}
    <- {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}
    -> {"jsonrpc":"2.0","id":1,"method":"session/new","params":{}}
    <- {"jsonrpc":"2.0","id":1,"result":{"sessionId":"s-1"}}
"""


def output(transcript, *, keep=("->", "<-")):
    """Return the true sender of each line, who was told, and whether that was sure."""
    lines = [line for line in transcript.splitlines() if line.strip()[:2] in keep]
    frames = parse("\n".join(lines))
    senders = Senders()
    for frame in frames:
        senders.guess(read_message(frame.payload))
    senders.settle()
    return [(frame.sender, *senders.guess(read_message(frame.payload))) for frame in frames]


def right(transcript, **options):
    return all(sender is guess for sender, guess, _ in output(transcript, **options))


def sure(transcript, **options):
    return all(is_sure for _, _, is_sure in output(transcript, **options))


@pytest.mark.parametrize(
    ("method", "sender"),
    [
        ("initialize", Peer.CLIENT),
        ("session/update", Peer.AGENT),
        ("terminal/create", Peer.AGENT),
        ("session/cancel", Peer.CLIENT),
        ("$/cancel_request", None),
        ("_mine/thing", None),
    ],
)
def test_the_tables_know_who_may_send_a_method(method, sender):
    assert sender_of(method) is sender


def test_a_response_is_sent_by_whom_the_request_was_sent_to():
    assert right(HANDSHAKE)
    assert sure(HANDSHAKE)


def test_where_both_wait_for_the_same_id_the_shape_tells():
    permission_first = """
        -> {"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{}}
        <- {"jsonrpc":"2.0","id":2,"method":"session/request_permission","params":{}}
        -> {"jsonrpc":"2.0","id":2,"result":{"outcome":{"outcome":"cancelled"}}}
        <- {"jsonrpc":"2.0","id":2,"result":{"stopReason":"cancelled"}}
    """
    assert right(HANDSHAKE + permission_first)
    turn_first = """
        -> {"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{}}
        <- {"jsonrpc":"2.0","id":2,"method":"session/request_permission","params":{}}
        <- {"jsonrpc":"2.0","id":2,"result":{"stopReason":"cancelled"}}
        -> {"jsonrpc":"2.0","id":2,"result":{"outcome":{"outcome":"cancelled"}}}
    """
    assert right(HANDSHAKE + turn_first)


def test_where_the_shape_tells_nothing_what_was_asked_last_is_answered_first():
    assert right(
        HANDSHAKE
        + """
        -> {"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{}}
        <- {"jsonrpc":"2.0","id":2,"method":"fs/read_text_file","params":{}}
        -> {"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"no such file"}}
        <- {"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"sorry"}}
    """
    )


def test_the_ids_1_and_1_as_a_string_are_two():
    assert right(
        HANDSHAKE
        + """
        -> {"jsonrpc":"2.0","id":1,"method":"_x/ask"}
        <- {"jsonrpc":"2.0","id":"1","method":"terminal/create","params":{}}
        <- {"jsonrpc":"2.0","id":1,"result":{}}
        -> {"jsonrpc":"2.0","id":"1","result":{"terminalId":"t"}}
    """
    )


def test_a_method_that_nobody_knows_is_not_sure():
    asked = HANDSHAKE + """-> {"jsonrpc":"2.0","id":7,"method":"_x/ask"}"""
    reported = HANDSHAKE + """<- {"jsonrpc":"2.0","method":"_x/guess"}"""
    for talk in (asked, reported):
        assert right(talk)
        assert [is_sure for *_, is_sure in output(talk)] == [True] * 4 + [False]


def test_noise_is_taken_as_the_agents():
    assert right(HANDSHAKE + "<- Loading...\n")
    assert not sure(HANDSHAKE + "<- Loading...\n")


WHOLE = (
    HANDSHAKE
    + """
    -> {"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{}}
    <- {"jsonrpc":"2.0","id":0,"method":"fs/read_text_file","params":{}}
    -> {"jsonrpc":"2.0","id":0,"error":{"code":-32603,"message":"no such file"}}
    <- {"jsonrpc":"2.0","id":1,"method":"fs/write_text_file","params":{}}
    -> {"jsonrpc":"2.0","id":1,"result":{}}
    <- {"jsonrpc":"2.0","id":2,"method":"session/request_permission","params":{}}
    -> {"jsonrpc":"2.0","id":2,"result":{"outcome":{"outcome":"cancelled"}}}
    <- {"jsonrpc":"2.0","method":"_x/guess"}
    <- {"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}
"""
)


@pytest.mark.parametrize("keep", [("->", "<-"), ("->",), ("<-",)])
def test_one_stream_is_known_as_such(keep):
    """Its responses answer what is not there, even though their ids are."""
    assert right(WHOLE, keep=keep)
    if len(keep) == 1:
        assert sure(WHOLE, keep=keep)


def test_a_handshake_that_fails_is_no_single_stream():
    failed = """
        -> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}
        <- {"jsonrpc":"2.0","id":0,"error":{"code":-32603,"message":"no key"}}
    """
    assert right(failed)


def test_an_agent_that_only_makes_noise_is_still_there():
    assert right("""-> {"jsonrpc":"2.0","id":0,"method":"initialize"}\n<- no longer maintained""")


def test_memory_does_not_grow_with_requests_that_nobody_answers():
    senders = Senders()
    for number in range(30_000):
        senders.guess(read_message(b'{"id":%d,"method":"_x"}' % number))
    assert len(senders._pending) == 10_000


def test_many_requests_with_one_id_take_no_more_calls_each_than_few():
    request = read_message(b'{"jsonrpc":"2.0","id":1,"method":"initialize"}')
    response = read_message(b'{"jsonrpc":"2.0","id":1,"result":{}}')

    def cost(requests):
        senders = Senders()
        return calls_of(lambda: [*map(senders.guess, [request] * requests + [response] * requests)])

    assert grows_no_faster(lambda requests: cost(requests).total, 200) == ""
