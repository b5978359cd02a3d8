"""What docs/fix.md shows is so."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.in_process import acp_spy
from support.processes import ACP_SPY, DEADLINE

from acp_spy.lint.fixes.known import FIXES

PAGE = (Path(__file__).parents[1] / "docs" / "fix.md").read_text(encoding="utf-8")
VARIES = re.compile(r"\d+(?:\.\d+)? ms|frame \d+")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Record the demo agent, without repairs."""
    made = tmp_path_factory.mktemp("fix")
    client, agent = ([sys.executable, "-m", f"acp_spy.demo.{name}"] for name in ("client", "agent"))
    proxy = [*ACP_SPY, "--no-check", "-o", "run.jsonl", "--", *agent]
    subprocess.run([*client, *proxy], cwd=made, capture_output=True, timeout=DEADLINE, check=True)
    return made


def test_the_commands_give_what_is_shown(folder):
    blocks = re.findall(
        r"^```console\n\$ acp-spy (.*?)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL
    )
    assert len(blocks) == 2
    for command, output in blocks:
        done = acp_spy(*command.split(), cwd=folder, env={"COLUMNS": "80"})
        assert VARIES.sub("N", done.out + done.err) == VARIES.sub("N", output)


def test_every_repair_is_in_the_table():
    rows = re.findall(r"^\| \[(\w+)\]\(rules/\1\.md\) \| (.*) \|$", PAGE, re.MULTILINE)
    assert rows == [(code, fix.does) for code, fix in sorted(FIXES.items())]


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ("--fix run.jsonl", "cannot fix `run.jsonl` in place: a capture is never changed"),
        ("--fix -o - run.jsonl", "cannot fix `run.jsonl` in place: a capture is never changed"),
        ("--fix -o run.jsonl run.jsonl", "cannot write `run.jsonl`: it is the capture itself"),
        ("--fix -o x.jsonl run.jsonl run.jsonl", "cannot fix several captures at once"),
        ("--fix -o x.jsonl .", "cannot fix `.`: it is a folder"),
        ("--fix --diff run.jsonl", "`--fix` cannot be used with `--diff`"),
        ("--diff --delivered run.jsonl", "`--diff` cannot be used with `--delivered`"),
        ("--diff --format json run.jsonl", "`--diff` cannot be used with `--format`"),
    ],
)
def test_a_wrong_use_is_one_error_and_a_hint(folder, words, error):
    done = acp_spy("check", *words.split(), cwd=folder)
    assert (done.out, done.status) == ("", 2)
    first, hint = done.err.splitlines()
    assert first == f"error: {error}"
    assert hint.startswith("hint: ")


def test_what_is_repaired_already_has_nothing_to_repair(folder):
    done = acp_spy(
        "check", "--select", "FRM", "--fix", "-o", "lines.jsonl", "run.jsonl", cwd=folder
    )
    assert (done.status, "1 frame fixed: FRM004 1; written to lines.jsonl\n" in done.err) == (
        0,
        True,
    )
    done = acp_spy("check", "--diff", "--select", "FRM", "lines.jsonl", cwd=folder)
    assert done == ("", "nothing to fix\n", 0)
    assert acp_spy("check", "--diff", "lines.jsonl", cwd=folder).status == 1
