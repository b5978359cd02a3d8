import pytest

from acp_spy.capture.records import FORMAT, Capture, Closed, Exit, Header, Stderr
from acp_spy.wire.frame import Frame, Peer

RECORDS = (
    Stderr(0.0, b"ready\n"),
    Frame(1, 0.5, Peer.CLIENT, b"{}\n"),
    Frame(2, 1.0, Peer.AGENT, b"[]\n"),
    Closed(1.5, Peer.CLIENT),
    Exit(2.0, 0),
)


def test_the_format_is_the_first():
    assert FORMAT == 1
    assert Header() == Header(format=1, tool="", started="", command=(), cwd="")


def test_a_capture_gives_its_frames_in_their_order():
    capture = Capture(Header(), RECORDS)
    assert list(capture.frames) == [RECORDS[1], RECORDS[2]]
    assert list(Capture(Header(), ()).frames) == []


def test_a_capture_knows_how_the_agent_ended():
    assert Capture(Header(), RECORDS).exit == Exit(2.0, 0)


@pytest.mark.parametrize("kept", range(len(RECORDS)))
def test_a_run_that_was_cut_off_has_no_exit(kept):
    assert Capture(Header(), RECORDS[:kept]).exit is None


@pytest.mark.parametrize("record", [Header(), *RECORDS, Capture(Header(), RECORDS)])
def test_records_cannot_be_changed(record):
    for field in record.__struct_fields__:
        with pytest.raises(AttributeError):
            setattr(record, field, None)


def test_exits_do_not_share_what_was_not_delivered():
    first, second = Exit(1.0, 0), Exit(1.0, 0)
    first.undelivered["client"] = 3
    assert second.undelivered == {}
