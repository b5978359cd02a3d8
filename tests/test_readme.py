"""Everything that the README shows is true: its commands are run, its outputs compared."""

import os
import re
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest
from support.consoles import run_console_blocks
from support.families import for_each

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
SET_UP = [text.rstrip("\n") for language, text in BLOCKS if language == "sh"]


def test_there_are_exactly_two_lines_to_copy():
    assert len(SET_UP) == 2
    assert all("\n" not in line for line in SET_UP)
    assert SET_UP[0].endswith("acp-spy demo")
    assert SET_UP[1].endswith("-m pytest -n auto")


def test_ci_runs_the_second():
    """The first line in the README that ends so is the one that .ci/run takes."""
    assert "grep -m 1 -- '-m pytest -n auto$' README.md" in (ROOT / ".ci" / "run").read_text()
    (line, *_) = [line for line in README.splitlines() if line.endswith("-m pytest -n auto")]
    assert line == SET_UP[1]


@pytest.mark.long
def test_the_first_line_works_in_a_fresh_checkout(tmp_path):
    """With nothing but what git tracks, a new virtual environment and an empty home."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    if listed.returncode:
        pytest.skip("not a git checkout")
    checkout = tmp_path / "checkout"
    for name in listed.stdout.decode().split("\0")[:-1]:
        (checkout / name).parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileNotFoundError):  # deleted, or another test's that is gone by now
            shutil.copy(ROOT / name, checkout / name)
    state = tmp_path / "state"
    done = subprocess.run(
        ["bash", "-c", SET_UP[0]],
        cwd=checkout,
        env={**os.environ, "XDG_STATE_HOME": str(state), "ACP_SPY_DIR": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "→   initialize" in done.stdout
    (capture,) = (state / "acp-spy" / "captures").iterdir()
    assert f"Recorded: {capture}" in done.stdout


def test_what_the_console_shows_is_what_it_shows(tmp_path):
    (tmp_path / "recordings").symlink_to(ROOT / "recordings")
    run_console_blocks(README, tmp_path)


@for_each(sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]), str)
def test_every_link_to_a_file_leads_to_one(page):
    links = re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text())
    assert [link for link in links if not (page.parent / link).exists()] == []
