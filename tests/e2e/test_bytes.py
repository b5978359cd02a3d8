"""Promises 1 and 2: every byte, at once, both ways; and the capture gives them back."""

import pytest
from support.captures import stream
from support.processes import ECHO, python

from acp_spy import Frame, Peer, load

ODD = {
    "crlf": b'{"a":1}\r\n{"b":2}\r\n',
    "nul": b'{"a":"\x00"}\n\x00\n',
    "bom": b'\xef\xbb\xbf{"a":1}\n',
    "invalid utf-8": b'{"a":"\xff\xfe"}\n\xc3\n\xed\xa0\x80\n',
    "blank lines": b'\n\n  \n{"a":1}\n\n',
    "duplicate keys": b'{"a":1,"a":2,"id":1}\n',
    "huge integers": b'{"id":123456789012345678901234567890,"x":1.0,"y":1e400,"z":-0}\n',
    "several in one write": b'{"a":1}\n{"b":2}\n{"c":3}\n',
    "no newline at the end": b'{"a":1}\n{"b":2}',
    "blanks around": b' {"a":1}\n{"a":1} \n\t{"a" : 1}\n',
    "bare carriage returns": b'{"a":\r1}\n\r\r\n10%\r20%\r',
    "escape sequences": b'\x1b]0;title\x07{"a":1}\n',
    "line separators": '{"a":"\u2028\u2029\u0085"}\n'.encode(),
    "lone surrogate": b'{"a":"\\ud800"}\n',
    "nothing": b"",
    "only a newline": b"\n",
}


@pytest.mark.parametrize("data", ODD.values(), ids=ODD.keys())
def test_odd_bytes_come_back_exactly(start, data):
    peer = start(ECHO)
    out, err, status = peer.converse(data)
    assert (out, err, status) == (data, b"", 0)
    if peer.capture:
        assert stream(peer.capture, "client") == data
        assert stream(peer.capture, "agent") == data
        assert stream(peer.capture, "stderr") == b""


def test_one_frame_in_a_thousand_writes_is_one_frame(start):
    """Each write is answered before the next: none can hide in another's chunk."""
    peer = start(ECHO)
    line = b'{"text":"' + "é€𝄞".encode() * 109 + b'"}\n'
    for byte in line:
        peer.send(bytes([byte]))
        assert peer.read(1) == bytes([byte])
    peer.close_stdin()
    assert peer.read_all() == b""
    assert peer.wait() == 0
    assert len(line) > 990
    if peer.capture:
        frames = list(load(peer.capture).frames)
        assert [(frame.sender, frame.raw) for frame in frames] == [
            (Peer.CLIENT, line),
            (Peer.AGENT, line),
        ]


def test_a_byte_goes_on_before_its_line_is_complete(start):
    peer = start(ECHO)
    peer.send(b"{")
    assert peer.read(1) == b"{"


def test_what_completes_a_frame_is_in_the_capture_before_it_is_delivered(spy):
    peer = spy(ECHO)
    for number in range(200):
        line = b'{"n":%d}\n' % number
        peer.send(line)
        assert peer.read_line() == line
        # Both ways: the answer has arrived, so the question and the answer are on disk.
        frames = [r for r in load(peer.capture).records if isinstance(r, Frame)]
        assert [frame.raw for frame in frames] == [
            line for n in range(number + 1) for line in 2 * [b'{"n":%d}\n' % n]
        ]
        assert frames[-2].sender is Peer.CLIENT
        assert frames[-1].sender is Peer.AGENT


@pytest.mark.parametrize("mib", [4, pytest.param(64, marks=pytest.mark.long)])
def test_a_very_long_line_arrives_whole(start, mib):
    size = mib * 1024 * 1024
    answers_with_the_size = python(
        """
        import os
        size = int(os.sys.argv[1])
        got = 0
        while chunk := os.read(0, 1 << 20):
            got += len(chunk)
        line = b'"' + b'y' * (size - 3) + b'"\\n'
        view = memoryview(line)
        while view:
            view = view[os.write(1, view):]
        os.write(2, b"%d" % got)
        """,
        str(size),
    )
    peer = start(answers_with_the_size)
    line = b'"' + b"x" * (size - 3) + b'"\n'
    out, err, status = peer.converse(line)
    assert out == b'"' + b"y" * (size - 3) + b'"\n'
    assert (err, status) == (b"%d" % size, 0)
    if peer.capture:
        client, agent = load(peer.capture).frames
        assert client.raw == line
        assert agent.raw == out


def test_a_character_split_between_two_writes_is_whole_in_the_capture(spy):
    peer = spy(ECHO)
    for part in (b'{"a":"\xf0\x9f', b'\x98\x80"}\n'):
        peer.send(part)
        assert peer.read(len(part)) == part
    peer.converse()
    assert [frame.payload for frame in load(peer.capture).frames] == 2 * ['{"a":"😀"}'.encode()]


def test_fifty_thousand_frames_in_a_burst_are_all_there_in_order(spy):
    burst = python(
        """
        import os
        os.read(0, 100)
        for n in range(50000):
            os.write(1, b'{"n":%d}\\n' % n)
        """
    )
    peer = spy(burst)
    out, _, status = peer.converse(b"go\n")
    assert status == 0
    assert out == b"".join(b'{"n":%d}\n' % n for n in range(50000))
    assert stream(peer.capture, "agent") == out
