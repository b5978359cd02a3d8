"""Replay with real peers that have changed since the recording: what is told, and what is let pass."""

import json

import pytest
from interop.peers import AGENTS, CLIENTS, converse, drive, mock_agent, spied

CLIENT, AGENT = CLIENTS["python-sdk"], AGENTS["python-sdk"]
WORK = "Please mend notes.txt"
ONE_TURN = [*CLIENT, "--prompt", WORK]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """Record one turn; return the folder, where run.jsonl is, and what the client noticed."""
    folder = tmp_path_factory.mktemp("recorded")
    (folder / "notes.txt").write_text("buy milk")
    return folder, converse(ONE_TURN, folder, spied(folder / "run.jsonl", AGENT))


@pytest.mark.long
def test_the_mock_agent_goes_along_with_another_folder(recorded, tmp_path):
    folder, noticed = recorded
    (tmp_path / "notes.txt").write_text("buy milk")
    elsewhere = json.loads(json.dumps(noticed).replace(str(folder), str(tmp_path)))
    mock = mock_agent(folder / "run.jsonl", "--match", "params")
    assert converse(ONE_TURN, tmp_path, mock) == elsewhere


@pytest.mark.long
def test_a_client_that_asks_for_more_than_was_recorded_is_told(recorded):
    folder, noticed = recorded
    more = converse([*ONE_TURN, "--prompt", "and more"], folder, mock_agent(folder / "run.jsonl"))
    assert more["turns"][0] == noticed["turns"][0]
    code, _, data = more["turns"][1]["stop"]
    assert code == -32603
    assert data == {"expected": None, "frame": None, "capture": "run.jsonl"}
    assert more["status"] == 1


@pytest.mark.long
def test_an_agent_that_says_more_than_it_did_is_the_same(recorded):
    folder, _ = recorded
    done = drive(folder / "run.jsonl", folder, [*AGENT, "3"])
    assert done.returncode == 0, done.stderr
    assert done.stderr.endswith("acp-spy: no divergence from run.jsonl\n")


@pytest.mark.long  # with an agent that is not real: tests/e2e/test_replay_client.py
def test_an_agent_that_ends_its_turn_in_another_way_is_told_apart(recorded):
    folder, _ = recorded
    done = drive(folder / "run.jsonl", folder, [*AGENT, "1", "refusal"])
    assert done.returncode == 1
    assert (
        '- /result/stopReason: "end_turn"\n            + /result/stopReason: "refusal"\n'
        in done.stderr
    )
