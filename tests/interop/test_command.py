"""`python -m tests.interop`, as far as it goes without an agent; and what it makes of a run."""

import subprocess
import sys
from pathlib import Path

import pytest
from interop import cage
from interop.results import Run, lacks, table

from acp_spy.errors import AcpSpyError

ROOT = Path(__file__).parents[2]


def command(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "tests.interop", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


def test_it_lists_the_agents():
    done = command("--list")
    assert done.returncode == 0
    assert "kimi      1.44.0   Python      pypi kimi-cli\n" in done.stdout


def test_an_agent_that_nobody_knows_is_an_error():
    done = command("kimi", "hal")
    assert done.returncode == 2
    assert done.stderr.endswith("error: no such agent: hal\n")


def test_nothing_is_ended_outside_of_a_cage(monkeypatch):
    monkeypatch.delenv("OUTSIDE", raising=False)
    for act in cage.clear, cage.move_in:
        with pytest.raises(AcpSpyError, match="this is no cage"):
            act()
    monkeypatch.setenv("OUTSIDE", str(cage._network()))
    with pytest.raises(AcpSpyError, match="this is no cage"):
        cage.clear()


GOOD = {
    "stop": "end_turn",
    "said": "All done.",
    "calls": [{"status": "failed"}, {"status": "completed"}],
    "asked": [["Edit", ["allow_once"]]],
}


def test_what_a_conversation_lacks_is_told():
    cancelled = {"stop": "cancelled"}
    assert lacks({"turns": [GOOD, cancelled]}, "python-sdk") == []
    assert lacks({"turns": [GOOD, {"stop": "end_turn"}]}, "python-sdk") == ["a cancelled turn"]
    assert lacks({"turns": [GOOD]}, "acpx") == []
    assert lacks({"turns": [cancelled]}, "acpx-interrupted") == []
    empty = {"stop": "refusal", "said": "", "calls": [{"status": "failed"}], "asked": []}
    assert lacks({"turns": [empty]}, "acpx") == [
        "a prompt turn that ends",
        "a tool call",
        "a permission request",
    ]


def test_the_table_says_at_a_glance_what_is_not_good():
    kept = {"version": "9.0", "date": "2001-01-12"}
    good = Run(
        "hal", client="acpx", same=True, mock_agent=True, mock_client=True, problems=[], **kept
    )
    bad = Run(
        "hal",
        client="editor",
        same=True,
        mock_agent=True,
        mock_client=False,
        problems=["?"],
        **kept,
    )
    assert (good.is_good, bad.is_good) == (True, False)
    assert table([good, bad]) == (
        "| agent | version | client | date       | transparent | mock agent | mock client |\n"
        "| ----- | ------- | ------ | ---------- | ----------- | ---------- | ----------- |\n"
        "| hal   | 9.0     | acpx   | 2001-01-12 | yes         | yes        | yes         |\n"
        "| hal   | 9.0     | editor | 2001-01-12 | yes         | yes        | NO          |"
    )
