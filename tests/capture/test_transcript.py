import pytest

from acp_spy.capture.records import Closed, Exit, Stderr
from acp_spy.capture.transcript import parse
from acp_spy.wire.frame import Frame, Peer


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
