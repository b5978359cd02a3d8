"""What a peer sends to hurt passes the proxy as it is, is recorded as it is, and is judged."""

from fuzz.hostile import chunk, long_ids, tool_call
from support.captures import stream
from support.processes import ECHO, starter

from acp_spy import Frame, check, load
from acp_spy.capture.codec import decode


def lines():
    return [
        tool_call("[" * 100_000 + "]" * 100_000),
        tool_call('{"a":' * 100_000 + "1" + "}" * 100_000),
        tool_call("{" + ",".join(f'"k{number}":1' for number in range(200_000)) + "}"),
        "x" + '{"id"' * 100_000,
        "[" * 100_000,
        chunk("e\u0301\u202e\\u001b]52;c;aGk=\\u0007" * 1000),
        *(f'{{"jsonrpc":"2.0","id":{number},"method":"session/new"}}' for number in range(2_000)),
    ]


def test_hostile_lines_come_back_byte_for_byte_and_are_all_in_the_capture(tmp_path):
    ids = [decode(line) for line in long_ids(10_000).splitlines()[1:]]
    sent = b"".join(line.encode() + b"\n" for line in lines())
    sent += b"".join(frame.raw for frame in ids if isinstance(frame, Frame))
    with starter(tmp_path, proxied=True) as start:
        peer = start(ECHO, "--no-check")
        out, err, status = peer.converse(sent)
    assert (out == sent, err, status) == (True, b"", 0)
    assert stream(peer.capture, "client") == stream(peer.capture, "agent") == sent
    assert check(load(peer.capture).records)
