"""A private key whose lines are records of their own is found all the same."""

import json

import pytest

from acp_spy.capture.records import Stderr
from acp_spy.secrets.redactor import Redactor
from acp_spy.wire.frame import Frame, Peer

KEY = (
    "here it is: -----BEGIN RSA PRIVATE KEY-----",
    "Proc-Type: 4,ENCRYPTED",
    "",
    "MIIEowIBAAKCAQEA7bq1",
    f"12:30:01 [agent] {'A1b2' * 16}",
    "short==",
    "-----END RSA PRIVATE KEY-----",
    "MIIEowIBAAKCAQEA7bq1",
)


def test_the_lines_between_begin_and_end_are_replaced():
    redactor = Redactor()
    lines = [redactor.record(Stderr(0.1, f"{line}\n".encode())).raw.decode() for line in KEY]
    assert lines == [
        "here it is: -----BEGIN RSA PRIVATE KEY-----\n",
        "redacted-private-key-1\n",
        "\n",
        "redacted-private-key-2\n",
        "12:30:01 [agent] redacted-private-key-3\n",
        "redacted-private-key-4\n",
        "-----END RSA PRIVATE KEY-----\n",
        "MIIEowIBAAKCAQEA7bq1\n",
    ]
    for line in lines:
        again = Stderr(0.1, line.encode())
        assert redactor.record(again) is again


KEY_FILE = (
    "-----BEGIN RSA PRIVATE KEY-----",
    *(f"MIIEpAIBAAKCAQEA7q7Zk2Vw9Xn4Rb8Tm3Yc6Hd1Gf5Js0LpAeUiOy{n:02}ABCDEFGH" for n in range(3)),
    "c2hvcnQ=",
    "-----END RSA PRIVATE KEY-----",
)


@pytest.mark.parametrize(
    "spelled",
    [
        "{line}",
        "{number:6}→{line}",
        "{number} | {line}",
        "> {line}",
        '"{line}\\n"',
        "+{line}",
        "-{line}",
    ],
)
def test_the_lines_of_a_key_may_be_numbered_or_quoted(spelled):
    lines = [spelled.format(number=number, line=line) for number, line in enumerate(KEY_FILE, 1)]
    raw = json.dumps({"text": "\n".join(lines)}).encode()
    done = Redactor().record(Frame(1, 0.1, Peer.AGENT, raw)).raw
    assert b"redacted-private-key-1-----END" in done
    assert not any(line.encode() in done for line in KEY_FILE[1:-1])
    redactor = Redactor()
    out = b"".join(redactor.record(Stderr(0.1, f"{line}\n".encode())).raw for line in lines)
    assert not any(line.encode() in out for line in KEY_FILE[1:-1])


def test_what_is_no_part_of_a_key_ends_it():
    redactor = Redactor()
    redactor.record(Stderr(0.1, b"-----BEGIN PRIVATE KEY-----\n"))
    for line in (b"oops: 'killed'!\n", b"MIIEowIBAAKCAQEA7bq1\n"):
        record = Stderr(0.1, line)
        assert redactor.record(record) is record


def test_streams_do_not_mix():
    redactor = Redactor()
    redactor.record(Stderr(0.1, b"-----BEGIN PRIVATE KEY-----\n"))
    frame = Frame(1, 0.1, Peer.AGENT, b"MIIEowIBAAKCAQEA7bq1\n")
    assert redactor.record(frame) is frame


@pytest.mark.parametrize("end", ["\n", "\r\n", "\t"])
def test_an_escape_before_a_key_stays_whole(end):
    texts = ["see -----BEGIN RSA PRIVATE KEY-----", f"{end}{'A1b2' * 16}"]
    redactor = Redactor()
    lines = [json.dumps({"method": "x", "params": {"text": text}}).encode() for text in texts]
    done = [redactor.record(Frame(1, 0.1, Peer.AGENT, line)).raw for line in lines]
    assert json.loads(done[1])["params"]["text"] == f"{end}redacted-private-key-1"
