"""Repairs between a real client and a real agent."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.in_process import acp_spy
from support.processes import ACP_SPY, DEADLINE, python

from acp_spy import check, load
from acp_spy.capture.delivered import delivered
from acp_spy.capture.records import Delivery, Stderr
from acp_spy.cli.capture_input import spooled
from acp_spy.errors import AcpSpyError

AGENT = [sys.executable, "-m", "acp_spy.demo.agent"]
CLIENT = [sys.executable, "-m", "acp_spy.demo.client"]
EXAMPLE = str(Path(__file__).parents[2] / "fixtures" / "example.jsonl")
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


@pytest.fixture
def fixed(tmp_path):
    """Return what `check --fix` writes to a file, what it reports, and its exit status."""
    done = acp_spy("check", "--fix", "-o", "fixed.jsonl", EXAMPLE, cwd=tmp_path)
    assert "fixed.jsonl" in done.out
    return (tmp_path / "fixed.jsonl").read_bytes(), done.out, done.status


def test_a_repaired_capture_arrives_at_a_pipe_and_is_checked_all_the_same(tmp_path, fixed):
    capture, report, status = fixed
    command = [*ACP_SPY, "check", "--fix", "-o", "/dev/stdout", EXAMPLE]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=DEADLINE, check=False)
    assert (done.stdout, done.returncode) == (capture, status)
    assert report.replace("fixed.jsonl", "/dev/stdout") in done.stderr.decode()


def test_so_it_does_at_one_that_has_a_name(tmp_path, fixed):
    capture, report, status = fixed
    os.mkfifo(tmp_path / "pipe")
    reader = subprocess.Popen(["cat", "pipe"], cwd=tmp_path, stdout=subprocess.PIPE)
    try:
        done = acp_spy("check", "--fix", "-o", "pipe", EXAMPLE, cwd=tmp_path)
        assert reader.communicate(timeout=DEADLINE)[0] == capture
    finally:
        reader.kill()
        reader.wait()
    assert (done.out, done.status) == (report.replace("fixed.jsonl", "pipe"), status)


def test_so_it_does_in_a_file_that_stdout_is(tmp_path, fixed):
    capture = fixed[0]
    command = [*ACP_SPY, "check", "--fix", "-o", "/dev/stdout", EXAMPLE]
    with open(tmp_path / "out.jsonl", "wb") as file:
        subprocess.run(
            command, stdout=file, stderr=subprocess.DEVNULL, timeout=DEADLINE, check=False
        )
    assert (tmp_path / "out.jsonl").read_bytes() == capture


@pytest.mark.parametrize("form", ["full", "github", "json"])
def test_what_is_written_nowhere_is_checked_too(tmp_path, form):
    words = ["check", "--format", form, "--fix", EXAMPLE, "-o"]
    kept = acp_spy(*words, "fixed.jsonl", cwd=tmp_path)
    done = acp_spy(*words, "/dev/null", cwd=tmp_path)
    for mine, theirs in ((done.out, kept.out), (done.err, kept.err)):
        assert mine == theirs.replace("fixed.jsonl", "/dev/null")
    assert done.status == kept.status
    assert "no frames" not in done.err


def test_a_file_that_exists_is_not_replaced_unless_it_is_empty(tmp_path):
    """There is no recording in it, but nor is there a new file, which `--fix` asks for."""
    there = tmp_path / "fixed.jsonl"
    there.write_text("a diary\n")
    done = acp_spy("check", "--fix", EXAMPLE, "-o", "fixed.jsonl", cwd=tmp_path)
    assert (done.out, done.status) == ("", 2)
    assert done.err == (
        "error: cannot write `fixed.jsonl`: it exists\n"
        "hint: give a new name, or remove it first: `rm fixed.jsonl`\n"
    )
    assert there.read_text() == "a diary\n"
    there.write_text("")  # as `mktemp` makes it
    assert acp_spy("check", "--fix", EXAMPLE, "-o", "fixed.jsonl", cwd=tmp_path).status == 0
    assert load(there).frames


def test_without_a_place_for_temporary_files_that_is_one_error(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "nowhere"))
    with pytest.raises(AcpSpyError, match="cannot write a temporary file: No such"), spooled([]):
        pass


@pytest.mark.parametrize("is_terminal", [True, False])
def test_what_is_moved_to_stderr_is_not_obeyed_by_a_terminal(is_terminal, tmp_path):
    """A peer may be elsewhere, and have sent it as a message."""
    noise = b"noise \x1b]0;title\x07\n"
    agent = python(f"import os; os.write(1, {noise!r})")
    ours, theirs = os.openpty() if is_terminal else os.pipe()
    with open(ours, "rb", buffering=0) as told:
        with open(theirs, "wb") as log:
            words = [*ACP_SPY, "--fix", "-o", "run.jsonl", "--", *agent]
            done = subprocess.run(
                words,
                cwd=tmp_path,
                stdin=subprocess.DEVNULL,
                stderr=log,
                timeout=DEADLINE,
                check=True,
            )
        seen = told.read(1000)
    assert done.returncode == 0
    assert (b"\x1b" in seen) is not is_terminal
    assert b"noise" in seen
