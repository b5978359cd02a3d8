"""What docs/replay.md shows is what happens."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.in_process import acp_spy
from support.processes import DEADLINE

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "replay.md").read_text(encoding="utf-8")


def sessions():
    """Give each command that the page shows, with the output that it shows for it."""
    for block in re.findall(r"^```console\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL):
        for shown in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = shown.partition("\n")
            yield command, output


@pytest.mark.long
def test_the_page_shows_what_happens(tmp_path):
    """In one folder with the example, where `acp-spy` and `python` are the ones under test."""
    if shutil.which("jq") is None:
        pytest.skip("jq is not installed")
    shutil.copy(ROOT / "fixtures" / "example.jsonl", tmp_path)
    (tmp_path / "bin").mkdir()
    for name, words in ("acp-spy", f"{sys.executable} -m acp_spy"), ("python", sys.executable):
        program = tmp_path / "bin" / name
        program.write_text(f'#!/bin/sh\nexec {words} "$@"\n')
        program.chmod(0o755)
    for command, shown in sessions():
        done = subprocess.run(
            ["sh", "-c", command],
            cwd=tmp_path,
            env={**os.environ, "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=DEADLINE,
            check=False,
        )
        assert done.stdout.decode() == shown, command


@pytest.mark.parametrize("name", ["agent", "client"])
def test_every_option_is_on_the_page(name):
    for option in re.findall(r"--[a-z-]+", acp_spy("replay", name, "--help").out):
        if option not in ("--help", "--acp", "--output", "--map-cwd"):
            assert option in PAGE, option
