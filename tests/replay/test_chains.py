"""Chains and MCP over ACP, played with other names for everything that the live peer names."""

import json
from pathlib import Path

import pytest
from support.replays import play

from acp_spy import Peer, load
from acp_spy.replay.lanes import read_lines
from acp_spy.replay.script import Script

FIXTURES = Path(__file__).parents[2] / "fixtures"


def sides(name):
    capture = load(FIXTURES / f"{name}.jsonl")
    frames = {peer: [f.raw for f in capture.frames if f.sender is peer] for peer in Peer}
    return capture, frames


@pytest.mark.parametrize("name", ["chain", "chain-conductor", "chain-recorded"])
def test_a_session_that_the_live_successor_names_is_bound(name):
    """The mock proxy answers its predecessor with the name that the live successor has given."""
    capture, frames = sides(name)
    line = next(line for _, line in read_lines(capture) if line.session)
    recorded = line.session.encode()
    live = [raw.replace(recorded, b"sess-live-1") for raw in frames[Peer.CLIENT]]
    done = play(Script.of(capture, Peer.AGENT), live)
    assert done.player.divergences == []
    assert done.wire == [raw.replace(recorded, b"sess-live-1") for raw in frames[Peer.AGENT]]


def test_a_wrapped_line_is_named_by_what_is_inside():
    capture, _ = sides("chain")
    lines = {line.seq: line for _, line in read_lines(capture)}
    assert lines[10].words() == "`proxy/successor › session/prompt`"
    assert lines[25].words() == "the response to `proxy/successor › session/prompt`"
    assert (lines[10].session, lines[25].asked) == ("s-1", 10)


def test_another_request_to_the_successor_is_not_the_recorded_one():
    """As a client: the live proxy forwards another method than the one that was recorded."""
    capture, frames = sides("chain")
    live = list(frames[Peer.AGENT])
    asked = json.loads(live[4])
    assert asked["params"]["method"] == "session/prompt"
    asked["params"]["method"] = "session/load"
    live[4] = json.dumps(asked).encode() + b"\n"
    done = play(Script.of(capture, Peer.CLIENT), live)
    assert done.player.divergences


@pytest.mark.parametrize("name", ["mcp-server-ids", "mcp-messages", "mcp-recorded"])
def test_the_ids_of_mcp_are_bound(name):
    """The mock client answers and notifies by the names that the live agent has made up."""
    capture, frames = sides(name)
    other = {"m-2": "mm-22", "m-1": "mm-11", "mcp-request:": "live-request:"}

    def renamed(raw):
        text = raw.decode()
        for one, another in other.items():
            text = text.replace(f'"requestId":"{one}', f'"requestId":"{another}')
        return text.encode()

    done = play(Script.of(capture, Peer.CLIENT), [renamed(raw) for raw in frames[Peer.AGENT]])
    assert done.player.divergences == []
    notified = [raw for raw in done.wire if b"notifications/progress" in raw]
    expected = [renamed(raw) for raw in frames[Peer.CLIENT] if b"notifications/progress" in raw]
    ids = [json.loads(raw)["params"].get("requestId") for raw in notified]
    assert ids == [json.loads(raw)["params"].get("requestId") for raw in expected]


@pytest.mark.parametrize("name", ["mcp-server-ids", "mcp-messages"])
def test_the_ids_of_a_live_client_s_servers_are_bound(name):
    capture, frames = sides(name)
    live = [raw.replace(b"srv-1", b"server-77") for raw in frames[Peer.CLIENT]]
    done = play(Script.of(capture, Peer.AGENT), live)
    assert done.player.divergences == []
    assert done.wire == [raw.replace(b"srv-1", b"server-77") for raw in frames[Peer.AGENT]]
