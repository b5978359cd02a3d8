import os
import tracemalloc

import pytest

from acp_spy.capture import scan as ends
from acp_spy.capture.codec import encode
from acp_spy.capture.records import Closed, Exit, Header, Stderr
from acp_spy.capture.scan import End, count_findings, read_end
from acp_spy.wire.frame import Frame, Peer

FRAME = Frame(7, 1.5, Peer.AGENT, b'{"id": 1}\n')
FINDING = (
    b'{"type":"finding","seq":1,"code":"X1","name":"x","severity":"%b","blame":"agent","text":""}\n'
)


@pytest.fixture
def end_of(tmp_path):
    def end_of(*parts):
        path = tmp_path / "run.jsonl"
        path.write_bytes(
            b"".join(part if isinstance(part, bytes) else encode([part]) for part in parts)
        )
        return read_end(str(path))

    return end_of


def test_the_last_frame_the_last_time_and_the_status_are_told(end_of):
    assert end_of(Header(), FRAME, Closed(1.75, Peer.AGENT), Exit(2.0, -9)) == End(7, 2.0, -9)


def test_without_an_exit_there_is_no_status(end_of):
    assert end_of(Header(), FRAME, Stderr(1.75, b"x\n")) == End(7, 1.75, None)


def test_a_header_alone_has_no_frame_and_no_time(end_of):
    assert end_of(Header()) == End(0, None, None)


def test_a_torn_last_line_is_passed_over(end_of):
    assert end_of(Header(), FRAME, b'{"type":"frame","seq":8,"t":9') == End(7, 1.5, None)


def test_findings_and_unknown_records_may_stand_after_the_end(end_of):
    later = b'{"type":"mood","how":"fine"}\n'
    assert end_of(Header(), FRAME, Exit(2.0, 0), FINDING % b"error", later) == End(7, 2.0, 0)


def test_other_blanks_and_another_order_are_no_obstacle(end_of):
    last = b'{ "t": 3, "sender": "agent", "message": {"seq": 1}, "seq": 9, "type": "frame" }'
    assert end_of(Header(), FRAME, last + b"\n") == End(9, 3.0, None)


def test_damaged_lines_are_passed_over(end_of):
    assert end_of(Header(), FRAME, b"\xff\n", b"[" * 5000 + b"\n", b'{"type":3}\n') == End(7, 1.5)
    assert end_of(Header(), FRAME, b'{"type":"exit","t":1e300,"status":0}\n') == End(7, 1.5)


def test_a_frame_longer_than_the_first_look_is_found(end_of):
    huge = Frame(8, 2.5, Peer.AGENT, b'"' + b"x" * 3_000_000 + b'"\n')
    assert end_of(Header(), FRAME, huge) == End(8, 2.5, None)


def test_what_is_too_far_from_the_end_is_not_known(end_of, monkeypatch):
    monkeypatch.setattr(ends, "_MOST", 100_000)
    log = encode([Stderr(2.0 + n, b"x" * 90 + b"\n") for n in range(2000)])
    assert end_of(Header(), FRAME, log) == End(None, 2001.0, None)


def test_a_long_capture_is_not_read_whole(tmp_path):
    path = tmp_path / "run.jsonl"
    with path.open("wb") as file:
        file.write(encode([Header()]))
        file.truncate(1 << 30)  # a hole: nothing is on the disk
        file.seek(0, os.SEEK_END)
        file.write(b"\n" + encode([FRAME, Exit(2.0, 0)]))
    tracemalloc.start()
    assert read_end(str(path)) == End(7, 2.0, 0)
    assert tracemalloc.get_traced_memory()[1] < 1_000_000
    tracemalloc.stop()
    assert count_findings(str(path)) is None


def test_findings_are_counted_by_severity(tmp_path):
    path = tmp_path / "run.jsonl"
    talk_of_it = Frame(8, 2.5, Peer.AGENT, b'{"type": "finding"}\n')
    other_order = b'{"severity": "note", "type": "finding"}\n'
    path.write_bytes(
        encode([Header(), FRAME, talk_of_it])
        + FINDING % b"error"
        + FINDING % b"warning"
        + other_order
        + FINDING % b"error"
        + b'{"type":"finding","severity":"err'
    )
    assert count_findings(str(path)) == {"error": 2, "warning": 1, "note": 1}


def test_none_recorded_is_none_counted(tmp_path):
    path = tmp_path / "run.jsonl"
    path.write_bytes(encode([Header(), FRAME]))
    assert count_findings(str(path)) == {}
