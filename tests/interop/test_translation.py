"""Peers that speak a dialect work with the official Python SDK, through real processes."""

import json
import subprocess
import sys

import pytest
from interop.peers import AGENTS, CLIENTS, converse
from support import dialect_peers
from support.processes import ACP_SPY, DEADLINE

from acp_spy import load
from acp_spy.capture.records import Delivery

PEER = [sys.executable, dialect_peers.__file__]


def test_the_official_client_works_with_an_agent_that_speaks_crow(tmp_path):
    capture = tmp_path / "run.jsonl"
    client = [*CLIENTS["python-sdk"], "--prompt", "work"]
    spied = [
        *ACP_SPY,
        "--no-check",
        "-o",
        str(capture),
        "--agent-dialect",
        "crow",
        "--",
        *PEER,
        "crow",
        "agent",
    ]
    (turn,) = converse(client, tmp_path, spied)["turns"]
    assert turn == {
        "stop": "end_turn",
        "said": "nothing read",
        "calls": [{"title": "Look", "kind": "execute", "status": "completed"}],
        "asked": [["Look", ["allow_once", "reject_once"]]],
        "files": [],
    }
    records = load(capture).records
    assert load(capture).header.note == "agent speaks crow, translated"
    by = {record.by.split(";")[0] for record in records if isinstance(record, Delivery)}
    assert by == {"dialect crow"}


def test_the_official_agent_works_with_a_client_that_speaks_jetbrains(tmp_path):
    capture = tmp_path / "run.jsonl"
    spied = [*ACP_SPY, "--no-check", "-o", str(capture), "--client-dialect", "jetbrains", "--"]
    command = [*PEER, "jetbrains", "client", *spied, *AGENTS["python-sdk"]]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, timeout=DEADLINE, check=True
    )
    path = "/path/to/project/notes.txt"
    given, denied, *_ = json.loads(done.stdout)
    asked = [
        ["text", "work "],
        ["call", f"Read {path}", "read", "pending"],
        ["asked", f"Read {path}"],
    ]
    read = [["call", "in_progress"], ["read", path], ["call", "completed"], ["text", "Wool."]]
    assert given == [*asked, *read, ["end", "end_turn"]]
    assert denied == [*asked, ["call", "failed"], ["end", "refusal"]]


@pytest.mark.long
@pytest.mark.parametrize("name", dialect_peers.PEERS)
def test_every_dialect_works_between_real_processes_and_the_sdk(name, tmp_path):
    spied = [*ACP_SPY, "--no-check", "-o", str(tmp_path / "agent.jsonl"), "--agent-dialect", name]
    client = [*CLIENTS["python-sdk"], "--prompt", "work"]
    (turn,) = converse(client, tmp_path, [*spied, "--", *PEER, name, "agent"])["turns"]
    assert turn["stop"] == "end_turn"
    assert turn["said"].startswith(("not read", "nothing read"))

    spied = [*ACP_SPY, "--no-check", "-o", str(tmp_path / "client.jsonl"), "--client-dialect", name]
    command = [*PEER, name, "client", *spied, "--", *AGENTS["python-sdk"]]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, timeout=DEADLINE, check=True
    )
    given, *_ = json.loads(done.stdout)
    assert ["text", "work "] in given
    kind, reason = given[-1]
    assert kind == "end"
    if ["call", "in_progress"] in given and not any(note[0] == "read" for note in given):
        assert reason == f"error: Method not found: {name} has no `fs/read_text_file`"
    else:
        assert reason in ("end_turn", "done", None)
