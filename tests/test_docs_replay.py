"""What docs/replay.md shows is what happens."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.processes import DEADLINE

from acp_spy.cli.app import run_app

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "replay.md").read_text(encoding="utf-8")


def sessions():
    """Give each command that the page shows, with the output that it shows for it."""
    for block in re.findall(r"^```console\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL):
        for shown in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = shown.partition("\n")
            yield command, output


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with the example, where `acp-spy` and `python` are the ones under test."""
    folder = tmp_path_factory.mktemp("docs")
    shutil.copy(ROOT / "fixtures" / "example.jsonl", folder)
    for name, words in ("acp-spy", f"{sys.executable} -m acp_spy"), ("python", sys.executable):
        program = folder / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(f'#!/bin/sh\nexec {words} "$@"\n')
        program.chmod(0o755)
    return folder


@pytest.mark.parametrize(("command", "shown"), list(sessions()), ids=lambda text: text[:60])
def test_the_page_shows_what_happens(command, shown, folder):
    if "| jq" in command and shutil.which("jq") is None:
        pytest.skip("jq is not installed")
    path = f"{folder / 'bin'}:{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env={**os.environ, "PATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=DEADLINE,
        check=False,
    )
    assert done.stdout.decode() == shown


@pytest.mark.parametrize("name", ["agent", "client"])
def test_every_option_is_on_the_page(name, capsys):
    assert run_app(["replay", name, "--help"]) == 0
    for option in re.findall(r"--[a-z-]+", capsys.readouterr().out):
        if option not in ("--help", "--acp", "--output", "--map-cwd"):
            assert option in PAGE, option
