"""Each command as a process of its own does what it does in the process of a test."""

import os
import subprocess
from pathlib import Path

import pytest
from support.in_process import acp_spy_bytes
from support.processes import ACP_SPY, DEADLINE

from acp_spy.cli.commands import COMMANDS

FIXTURES = Path(__file__).parents[2] / "fixtures"
EXAMPLE = str(FIXTURES / "example.jsonl")
LINES = {
    "view": [EXAMPLE],
    "check": ["-"],
    "why": ["-"],
    "rule": ["RPC001"],
    "stats": [EXAMPLE],
    "diff": [EXAMPLE, str(FIXTURES / "odd-bytes.jsonl")],
    "replay": ["agent", EXAMPLE],
    "list": ["--dir", str(FIXTURES)],
    "prune": ["--dry-run", "--keep", "1", "--dir", str(FIXTURES)],
    "import": [str(FIXTURES / "foreign" / "zed.json")],
    "redact": [EXAMPLE],
    "raw": [EXAMPLE, "--sender", "agent"],
    "setup": ["zed", "--", "cat"],
    "doctor": ["-o", "/dev/null/x.jsonl", "--", "cat"],
    "completion": ["bash"],
    "demo": ["--help"],
}


def test_every_command_has_a_line_here():
    assert list(LINES) == list(COMMANDS)


def run(command, stdout=subprocess.PIPE):
    """Run a command's line here and as a process; return what came of either."""
    words = [command, *LINES[command]]
    example = Path(EXAMPLE).read_bytes()
    done = subprocess.run(
        [*ACP_SPY, *words],
        input=example,
        stdout=stdout,
        stderr=subprocess.PIPE,
        timeout=DEADLINE,
        check=False,
    )
    theirs = (done.stdout, done.stderr, done.returncode)
    return acp_spy_bytes(*words, stdin=example), theirs


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_as_a_process(command):
    ours, theirs = run(command)
    assert any(ours[:2])
    assert theirs == ours


@pytest.mark.parametrize(
    "command", ["view", "check", "why", "rule", "stats", "diff", "list", "raw"]
)
def test_a_reader_that_has_seen_enough_is_no_error(command):
    reading, writing = os.pipe()
    os.close(reading)
    ours, theirs = run(command, stdout=writing)
    os.close(writing)
    assert theirs[1:] == ours[1:]


@pytest.mark.parametrize("command", ["", *COMMANDS, "replay client", "--version"])
def test_help_ends_quietly_when_nobody_reads_it(command):
    """As `acp-spy demo --help | head -1` may find out."""
    words = command.split() if command == "--version" else [*command.split(), "--help"]
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run(
            [*ACP_SPY, *words],
            stdout=writer,
            stderr=subprocess.PIPE,
            timeout=DEADLINE,
            check=False,
        )
    finally:
        os.close(writer)
    assert (done.stderr, done.returncode) == (b"", 0)
