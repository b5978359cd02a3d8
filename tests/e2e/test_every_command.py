"""Each command as a process of its own does what it does in the process of a test."""

import os
import subprocess
from pathlib import Path

import pytest
from support.effort import some_of
from support.fake_agent import open_descriptors
from support.in_process import acp_spy_bytes
from support.processes import ACP_SPY, DEADLINE

from acp_spy.cli.commands import COMMANDS

FIXTURES = Path(__file__).parents[2] / "fixtures"
EXAMPLE = str(FIXTURES / "example.jsonl")
LINES = {
    "live": [EXAMPLE],
    "view": [EXAMPLE],
    "check": ["-"],
    "why": ["-"],
    "rule": ["RPC001"],
    "stats": [EXAMPLE],
    "diff": [EXAMPLE, str(FIXTURES / "odd-bytes.jsonl")],
    "replay": ["agent", EXAMPLE],
    "script": [EXAMPLE, str(Path(__file__).parents[1] / "support" / "scripts" / "drop_noise.py")],
    "hold": ["list", "--capture", EXAMPLE],
    "faults": [],
    "dialects": [],
    "http": ["--target", "ftp://example"],
    "serve": ["--listen", "nowhere", "--", "cat"],
    "list": ["--dir", str(FIXTURES)],
    "prune": ["--dry-run", "--keep", "1", "--dir", str(FIXTURES)],
    "import": [str(FIXTURES / "foreign" / "zed.json")],
    "redact": [EXAMPLE],
    "raw": [EXAMPLE, "--sender", "agent"],
    "setup": ["zed", "--", "cat"],
    "doctor": ["-o", "/dev/null/x.jsonl", "--", "cat"],
    "mcp": ["--dir", "nowhere"],
    "completion": ["bash"],
    "demo": ["--help"],
}


def test_every_command_has_a_line_here():
    assert list(LINES) == list(COMMANDS)


# Those with a way to their streams, or to an end, of their own.
USUAL = ("live", "view", "check", "replay", "http", "import", "raw", "doctor", "mcp", "demo")


@pytest.mark.parametrize("command", some_of(COMMANDS, *USUAL))
def test_a_command_as_a_process(command):
    words = [command, *LINES[command]]
    example = Path(EXAMPLE).read_bytes()
    done = subprocess.run(
        [*ACP_SPY, *words], input=example, capture_output=True, timeout=DEADLINE, check=False
    )
    ours = acp_spy_bytes(*words, stdin=example)
    assert any(ours[:2])
    assert (done.stdout, done.stderr, done.returncode) == ours


@pytest.fixture
def closed():
    """Give a pipe that nobody reads."""
    reader, writer = os.pipe()
    os.close(reader)
    with open(writer, "wb", buffering=0) as pipe:
        yield pipe


@pytest.mark.parametrize(
    "command", ["view", "check", "why", "rule", "stats", "diff", "list", "raw"]
)
def test_a_reader_that_has_seen_enough_is_no_error(command, closed):
    words = [command, *LINES[command]]
    example = Path(EXAMPLE).read_bytes()
    read, before = acp_spy_bytes(*words, stdin=example), open_descriptors()
    assert acp_spy_bytes(*words, stdin=example, stdout=closed) == (b"", *read[1:])
    assert open_descriptors() == before


@pytest.mark.parametrize("command", ["", *COMMANDS, "replay client", "--version"])
def test_help_ends_quietly_when_nobody_reads_it(command, closed):
    """As `acp-spy demo --help | head -1` may find out."""
    words = command.split() if command == "--version" else [*command.split(), "--help"]
    before = open_descriptors()
    assert acp_spy_bytes(*words, stdout=closed) == (b"", b"", 0)
    for opened_by_rich in open_descriptors() - before:  # in place of stdout, and left
        os.close(opened_by_rich)


@pytest.mark.parametrize(
    "line", ["check EXAMPLE", "raw EXAMPLE --sender agent", "demo --help", "--version"]
)
def test_nor_is_it_an_error_at_the_end_of_a_process(line, closed):
    """Where Python writes what it still has."""
    words = line.replace("EXAMPLE", EXAMPLE).split()
    done = subprocess.run(
        [*ACP_SPY, *words], stdout=closed, stderr=subprocess.PIPE, timeout=DEADLINE, check=False
    )
    status = acp_spy_bytes(*words)[2]
    assert (done.stderr, done.returncode) == (b"", status)
