"""An agent with many mistakes works with the official Python SDK's client, through `--fix`."""

import sys

from interop.peers import CLIENTS, PROGRAMS, converse
from support.processes import ACP_SPY

from acp_spy import check, load
from acp_spy.capture.delivered import delivered

AGENT = [sys.executable, str(PROGRAMS / "broken_agent.py")]


def test_a_broken_agent_works(tmp_path):
    capture = tmp_path / "run.jsonl"
    client = [*CLIENTS["python-sdk"], "--prompt", "Please go on"]
    noticed = converse(client, tmp_path, [*ACP_SPY, "-o", str(capture), "--fix", "--", *AGENT])
    (turn,) = noticed["turns"]
    assert turn == {
        "stop": "end_turn",
        "said": "one two and more",
        "calls": [{"title": "Read", "status": "completed"}],
        "asked": [],
        "files": [],
    }
    sent, arrived = load(capture).records, list(delivered(load(capture).records))
    assert {"FRM004", "FRM005", "FRM007", "RPC001", "RPC005", "SCH002", "SCH005", "SCH006"} <= {
        finding.code for finding in check(sent)
    }
    assert {finding.code for finding in check(arrived)} <= {"LIF003", "LIF004"}
