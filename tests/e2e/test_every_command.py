"""Each command as a process of its own does what it does in the process of a test."""

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


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_as_a_process(command):
    words = [command, *LINES[command]]
    example = Path(EXAMPLE).read_bytes()
    done = subprocess.run(
        [*ACP_SPY, *words], input=example, capture_output=True, timeout=DEADLINE, check=False
    )
    assert done.stdout or done.stderr
    assert (done.stdout, done.stderr, done.returncode) == acp_spy_bytes(*words, stdin=example)
