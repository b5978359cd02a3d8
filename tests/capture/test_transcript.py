import pytest

from acp_spy.capture.records import Closed, Exit, Stderr
from acp_spy.capture.transcript import parse
from acp_spy.wire.frame import Frame, Peer, Via


def test_every_mark_stands_for_a_record():
    records = parse(
        r"""
        # a comment, and a blank line

        -> {"id": 0}
        <- {"id": 0, "result": "a  b"}
        <~ \x1b[1m{}\r\n
        !! a warning
        @ 2.5
        -> EOF
        == -9
        """
    )
    assert records == [
        Frame(1, 0.001, Peer.CLIENT, b'{"id": 0}\n'),
        Frame(2, 0.002, Peer.AGENT, b'{"id": 0, "result": "a  b"}\n'),
        Frame(3, 0.003, Peer.AGENT, b"\x1b[1m{}\r\n"),
        Stderr(0.004, b"a warning\n"),
        Closed(2.501, Peer.CLIENT),
        Exit(2.502, -9),
    ]


def test_a_line_without_a_mark_is_named():
    with pytest.raises(ValueError, match="line 2 of the transcript begins with `=>`"):
        parse("-> {}\n=> {}")


def test_text_that_is_not_ascii_is_utf_8():
    (frame,) = parse('-> {"text": "é€"}')
    assert frame.raw == '{"text": "é€"}\n'.encode()


def test_a_remote_conversation_has_places_exchanges_and_ends():
    frame, post, get, event, end = parse(
        """
        ->[post c1] {"id": 1}
        <> 400 {"body": "no"}
        <> GET c1 s1 200
        <-[session c1 s1] {}
        <> END 2 agent {"lost": true}
        """
    )
    assert frame.via == Via("http", "post", "c1")
    assert (post.id, post.method, post.connection, post.request) == (1, "POST", "c1", 1)
    assert (post.status, post.body, post.is_refused) == (400, "no", True)
    assert (get.id, get.stream, get.session, get.status) == (2, "session", "s1", 200)
    assert event.via == Via("http", "session", "c1", "s1", 200)
    assert (end.exchange, end.stream, end.session, end.by) == (2, "session", "s1", "agent")
    assert end.lost


def test_a_websocket_has_one_stream_and_may_have_binary_messages():
    opened, frame, end = parse('<> WS 101\n->[ws c1 binary] {}\n<> END 1 client {"code": 1000}')
    assert (opened.transport, opened.method, opened.status) == ("ws", "GET", 101)
    assert frame.via == Via("ws", "connection", "c1", binary=True)
    assert (end.transport, end.by, end.code) == ("ws", "client", 1000)
