"""A `finding` record is written, and passed over by whoever reads."""

from pathlib import Path

import pytest

from acp_spy.capture.codec import FINDING_START, decode, encode_finding
from acp_spy.capture.files import Follower, load
from acp_spy.lint.rule import Finding, Severity
from acp_spy.wire.frame import Peer

FIXTURE = Path(__file__).parents[2] / "fixtures" / "with-findings.jsonl"


def test_it_is_spelled_so():
    found = Finding(3, "RPC006", "unanswered-request", Severity.ERROR, Peer.AGENT, "a\n`é`", t=1.5)
    assert (
        encode_finding(found)
        == (
            '{"type":"finding","seq":3,"code":"RPC006","name":"unanswered-request","severity":"error",'
            '"blame":"agent","text":"a\\n`é`","t":1.5}\n'
        ).encode()
    )


def test_it_is_no_record_to_readers():
    assert decode(b'{"type":"finding","seq":3}') is None
    assert decode(b'{"seq":"odd","type":"finding","message":[]}') is None


def test_a_torn_one_is_torn():
    with pytest.raises(ValueError, match="truncated"):
        decode(b'{"type":"finding","seq":3')


def test_the_fixture_has_the_records_that_it_would_have_without():
    lines = FIXTURE.read_bytes().splitlines(keepends=True)
    others = [line for line in lines if not line.startswith(FINDING_START)]
    assert 0 < len(others) < len(lines)
    capture = load(FIXTURE)
    assert [capture.header, *capture.records] == [decode(line) for line in others]
    assert capture.exit is not None


def test_a_follower_tells_an_end_from_lines_that_are_passed_over(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_bytes(b'{"type":"header","format":1}\n')
    follower = Follower(path)
    assert len(follower.take()) == 1
    with path.open("ab") as file:
        file.write(b'{"type":"finding","seq":3}\n')
    assert (follower.take(), follower.at_end) == ([], False)
    assert (follower.take(), follower.at_end) == ([], True)
    follower.close()


@pytest.mark.parametrize(
    ("tail", "given"), [(b"", 0), (b'{"type":"ex', 0), (b'{"type":"exit","t":1,"status":0}', 1)]
)
def test_a_last_record_may_lack_its_line_end(tmp_path, tail, given):
    path = tmp_path / "x.jsonl"
    path.write_bytes(b'{"type":"header","format":1}\n' + tail)
    follower = Follower(path)
    follower.take()
    assert len(follower.last()) == given
    follower.close()
