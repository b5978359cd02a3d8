"""
Every capture, played as either side against the other side of itself.

`pytest tests/replay/test_captures.py --captures DIR` plays the captures in DIR as well.
"""

import pytest
from support.replays import Renamed, decoded, play

from acp_spy import Peer, load
from acp_spy.replay.options import Options
from acp_spy.replay.script import Script

SIDES = pytest.mark.parametrize("role", list(Peer), ids=lambda peer: peer.value)
PATIENT = 1e9  # seconds; the clock of these plays jumps


def lines(capture, sender):
    return [frame.raw for frame in capture.frames if frame.sender is sender]


def expected_status(capture, role):
    """Return the recorded agent's own, if it had exited by itself."""
    if role is Peer.CLIENT or capture.exit is None:
        return 0
    return max(capture.exit.status, 0)


def notes(done):
    """Return what was told, but for requests to which no answer was recorded."""
    return [
        each
        for each in done.player.reported
        if not getattr(each, "words", "").startswith("has no response")
    ]


@SIDES
@pytest.mark.parametrize("pace", [0.0, 1.0, 1000.0])
def test_with_the_same_names_the_recorded_bytes_come_back(capture, role, pace):
    recorded = load(capture)
    options = Options(expect="exact", match=("exact",), pace=pace, timeout=PATIENT)
    done = play(Script.of(recorded, role), lines(recorded, role.other), options)
    assert notes(done) == []
    assert done.player.status == expected_status(recorded, role)
    if pace == 0:
        assert done.wire == lines(recorded, role)
    else:  # sessions keep their own pace
        assert sorted(done.wire) == sorted(lines(recorded, role))


@SIDES
@pytest.mark.parametrize("pace", [0.0, 1.0])
def test_with_other_ids_names_and_folders_it_is_the_same_conversation(capture, role, pace):
    recorded = load(capture)
    other = Renamed(recorded, live=role.other)
    options = Options(match=("params",), pace=pace, timeout=PATIENT)
    done = play(Script.of(recorded, role), other.lines(role.other), options, cwd=other.cwd[1])
    assert notes(done) == []
    assert done.player.status == expected_status(recorded, role)
    said, meant = map(decoded, done.wire), map(decoded, other.lines(role))
    if pace == 0:
        assert list(said) == list(meant)
    else:
        assert sorted(map(str, said)) == sorted(map(str, meant))


@SIDES
def test_what_the_agent_wrote_to_stderr_comes_from_the_mock_agent_only(capture, role):
    from support.captures import stream

    recorded = load(capture)
    done = play(Script.of(recorded, role), lines(recorded, role.other), Options(timeout=PATIENT))
    written = b"".join(said.data for said in done.said if said.stream == "stderr")
    assert written == (stream(capture, "stderr") if role is Peer.AGENT else b"")
