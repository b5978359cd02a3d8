"""A capture that is read while it is written."""

import msgspec
import pytest

from acp_spy.capture.codec import encode
from acp_spy.capture.files import Follower
from acp_spy.capture.records import Exit, Header, Stderr
from acp_spy.errors import AcpSpyError
from acp_spy.wire.frame import Frame, Peer

RECORDS = [Header(), Stderr(0.5, b"ready\n"), Stderr(1.5, "café\n".encode()), Exit(2.0, 0)]
FRAME = Frame(1, 1.0, Peer.AGENT, b"{}\n")


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "run.jsonl"
    path.touch()
    return path


def append(path, data):
    with path.open("ab") as file:
        file.write(data)


def test_what_is_there_is_given_once_and_what_comes_later_later(path):
    follower = Follower(path)
    assert follower.take() == []
    append(path, encode(RECORDS[:2]))
    assert follower.take() == RECORDS[:2]
    assert follower.take() == []
    append(path, encode(RECORDS[2:]))
    assert follower.take() == RECORDS[2:]
    follower.close()


def test_a_line_may_come_byte_by_byte(path):
    follower = Follower(path)
    taken = []
    for byte in encode(RECORDS):
        append(path, bytes([byte]))
        taken += follower.take()
    assert taken == RECORDS
    follower.close()


def test_a_torn_last_line_is_waited_for(path):
    data = encode(RECORDS)
    append(path, data[:-5])
    follower = Follower(path)
    assert follower.take() == RECORDS[:-1]
    assert follower.take() == []
    append(path, data[-5:])
    assert follower.take() == RECORDS[-1:]
    follower.close()


def test_much_is_taken_in_bites(path):
    append(path, encode(RECORDS[:1] + RECORDS[1:2] * 1000))
    follower = Follower(path)
    bites = []
    while taken := follower.take(most=4096):
        bites.append(len(taken))
    assert sum(bites) == 1001
    assert max(bites) < 200
    follower.close()


def test_a_record_of_an_unknown_type_is_passed_over(path):
    append(path, encode(RECORDS[:1]) + b'{"type":"weather"}\n' + encode(RECORDS[1:2]))
    follower = Follower(path)
    assert follower.take() == RECORDS[:2]
    follower.close()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"hello\n", "it is not a capture, for it does not begin with a `header`"),
        (encode(RECORDS[:1]) + b"{\n", "line 2 is not a record: Input data was truncated"),
        (b'{"type":"header","format":99}\n', "it has format 99"),
    ],
)
def test_what_is_no_capture_is_refused(path, data, message):
    append(path, data)
    follower = Follower(path)
    with pytest.raises(AcpSpyError) as refused:
        follower.take()
    assert message in refused.value.message
    follower.close()


def test_a_number_that_comes_again_is_the_next_in_what_is_followed(path):
    append(path, encode([Header(), FRAME]))
    follower = Follower(path)
    assert follower.take() == [Header(), FRAME]
    append(path, encode([FRAME])[:-1])
    assert follower.take() == []
    second = msgspec.structs.replace(FRAME, seq=2)
    assert follower.last() == [second]
    append(path, b"\n")
    assert follower.take() == [second]
    follower.close()


def test_a_frame_that_lacked_its_line_end_may_still_get_it(path):
    append(path, encode([Header(), FRAME])[:-1])
    follower = Follower(path)
    assert follower.take() == [Header()]
    assert follower.last() == [FRAME]
    append(path, b"\n")
    assert follower.take() == [FRAME]
    follower.close()


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(AcpSpyError, match=r"cannot read `.*`: No such file"):
        Follower(tmp_path / "none.jsonl")


def test_a_file_that_became_shorter_is_no_longer_followed(path):
    append(path, encode(RECORDS))
    follower = Follower(path)
    follower.take()
    path.write_bytes(b"")
    with pytest.raises(AcpSpyError, match="became shorter"):
        follower.take()
    follower.close()
