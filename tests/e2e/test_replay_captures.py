"""
Every capture, played as either side by real processes against the other side of itself.

`pytest tests/e2e/test_replay_captures.py --captures DIR` plays the captures in DIR as well. Ids,
names and the folder are other ones; tests/replay/test_captures.py has more ways, without processes.
"""

import json

import pytest
from support.captures import stream
from support.processes import PATIENT_REPLAY, starter
from support.replays import Renamed, bytes_peer, decoded

from acp_spy import Peer, load

USUAL = ("dialect-crow",)
UNANSWERED = b"has no response in the capture, so none is sent"  # true, and no divergence


@pytest.fixture
def start(tmp_path):
    with starter(tmp_path, proxied=False) as start:
        yield start


def test_a_mock_agent_and_a_mock_client_as_processes(capture, start, tmp_path):
    recorded = load(capture)
    here = tmp_path / "elsewhere"
    here.mkdir()
    live_client = Renamed(recorded, live=Peer.CLIENT, cwd=str(here))
    live_agent = Renamed(recorded, live=Peer.AGENT, cwd=str(here))
    live = tmp_path / "live.jsonl"

    replay, options = [*PATIENT_REPLAY, "replay"], ["--match", "params"]
    agent = bytes_peer(live_agent.frames, Peer.AGENT, tmp_path / "steps")
    mock_client = start(
        [*replay, "client", str(capture), *options, "-o", str(live), "--", *agent], cwd=here
    )
    mock_agent = start([*replay, "agent", str(capture), *options])  # both at once: it is quicker

    said, words, status = mock_agent.converse(b"".join(live_client.lines(Peer.CLIENT)))
    assert messages(said) == messages(b"".join(live_client.lines(Peer.AGENT)))
    assert without_notes(words) == without_notes(stream(capture, "stderr"))
    assert status == (max(recorded.exit.status, 0) if recorded.exit else 0)

    _, words, status = mock_client.converse()
    assert without_notes(words) == [b"acp-spy: no divergence from %b" % capture.name.encode()]
    assert messages(stream(live, "client")) == messages(b"".join(live_agent.lines(Peer.CLIENT)))
    assert status == 0


def messages(data: bytes) -> list:
    """Return the lines, those that are JSON decoded: blanks in them do not matter here."""
    lines = map(decoded, data.splitlines())
    return [json.dumps(line, sort_keys=True) if isinstance(line, dict) else line for line in lines]


def without_notes(words: bytes) -> list[bytes]:
    return [line for line in words.splitlines() if UNANSWERED not in line]
