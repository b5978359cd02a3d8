"""A file that we cannot read may be a capture, and one that is being recorded: it is kept."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.users import stopped_by_modes

EXAMPLE = Path(__file__).parents[2] / "fixtures" / "example.jsonl"

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="modes stop nobody there")

COMMANDS = {
    "view": ["view", EXAMPLE, "-o"],
    "view --force": ["view", EXAMPLE, "--force", "-o"],
    "check --fix": ["check", EXAMPLE, "--fix", "-o"],
    "redact --force": ["redact", EXAMPLE, "--force", "-o"],
}


def run(words):
    command = [*stopped_by_modes(), sys.executable, "-m", "acp_spy", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_file_that_cannot_be_read_is_not_replaced(command, tmp_path):
    precious = tmp_path / "precious.jsonl"
    shutil.copy(EXAMPLE, precious)
    precious.chmod(0)
    done = run([*COMMANDS[command], precious])
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"error: cannot write `{precious}`: it may be a capture, for it cannot be read:"
        " Permission denied\n"
        f"hint: give a new name, or remove it first: `rm {precious}`\n"
    )
    precious.chmod(0o600)
    assert precious.read_bytes() == EXAMPLE.read_bytes()
    assert list(tmp_path.iterdir()) == [precious]


@pytest.mark.parametrize("command", COMMANDS)
def test_an_empty_file_that_cannot_be_read_is_replaced(command, tmp_path):
    empty = tmp_path / "empty.jsonl"
    empty.touch(0)
    assert run([*COMMANDS[command], empty]).returncode in (0, 1)
    assert empty.stat().st_size
