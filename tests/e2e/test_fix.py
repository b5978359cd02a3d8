"""Repairs between a real client and a real agent."""

import subprocess
import sys

from support.processes import ACP_SPY, DEADLINE

from acp_spy import check, load
from acp_spy.capture.delivered import delivered
from acp_spy.capture.records import Delivery, Stderr

AGENT = [sys.executable, "-m", "acp_spy.demo.agent"]
CLIENT = [sys.executable, "-m", "acp_spy.demo.client"]
NOISE = b"[info] demo agent 0.1 is ready\n"


def test_the_three_mistakes_of_the_demo_agent_are_repaired(tmp_path):
    proxy = [*ACP_SPY, "--no-check", "-o", "run.jsonl", "--fix", "--", *AGENT]
    done = subprocess.run(
        [*CLIENT, *proxy], cwd=tmp_path, capture_output=True, timeout=DEADLINE, check=False
    )
    assert done.returncode == 0, done.stderr
    assert NOISE in done.stderr
    capture = load(tmp_path / "run.jsonl")
    assert capture.header.note == "acp-spy may have changed the traffic: --fix"
    made = [(each.action, each.by) for each in capture.records if isinstance(each, Delivery)]
    assert made == [
        ("dropped", "fix FRM004"),
        ("replaced", "fix SCH002"),
        ("replaced", "fix SCH001"),
    ]
    # The capture has what was sent, and what the agent did not write to stderr is not said of it.
    assert sorted(found.code for found in check(capture.records)) == ["FRM004", "SCH001", "SCH002"]
    assert NOISE not in [each.raw for each in capture.records if isinstance(each, Stderr)]
    assert check(delivered(capture.records)) == []


def test_lines_that_may_begin_a_message_go_on_when_the_agent_ends(tmp_path):
    lines = r"""printf '{\n"jsonrpc": "2.0",\n"method": "_x"}\n{"jsonrpc": nothing,\n'"""
    command = [*ACP_SPY, "--no-check", "-o", "run.jsonl", "--fix", "--", "sh", "-c", lines]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=DEADLINE, check=False)
    assert done.stdout == b'{"jsonrpc": "2.0","method": "_x"}\n{"jsonrpc": nothing,\n'
