"""What docs/testing.md shows is what happens: its files are written, its commands run in turn."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from support.inner_pytest import run_pytest

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "testing.md").read_text(encoding="utf-8")
BLOCKS = re.findall(
    r"(?:^\*\*`(\S+)`\*\*\n\n)?^```(\w+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL
)
LAST = "test_in_process.py"
# With these pytest would print the same in another way.
FOR_OTHERS = ("CI", "BUILD_NUMBER", "COLUMNS", "FORCE_COLOR", "PY_COLORS", "PYTEST_ADDOPTS")


def without_times(text):
    return re.sub(r" in [0-9.]+s\b", " in # s", text)


def write_programs(folder):
    for name, words in (("python", ""), ("acp-spy", "-m acp_spy")):
        (folder / name).write_text(f'#!/bin/sh\nexec {sys.executable} {words} "$@"\n')
        (folder / name).chmod(0o755)


@pytest.mark.long
def test_the_page_shows_what_happens(pytester, monkeypatch):
    """From the first failure to the last, in one folder, as somebody would who follows it."""
    import acp  # noqa: F401 - takes a second and more, and once is enough for all runs of pytest

    import acp_spy

    # An inner run forgets the modules that it has loaded, and the rules must not outlive theirs.
    acp_spy.check([])

    programs = pytester.mkdir("bin")
    write_programs(programs)
    for name in FOR_OTHERS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    folder = pytester.mkdir("project")
    monkeypatch.chdir(folder)
    for name, _, text in BLOCKS:
        if name and name != LAST:
            (folder / name).write_text(text)

    def run(command):
        program, *words = shlex.split(command)
        if program != "pytest":
            return subprocess.check_output([program, *words], text=True)
        done = run_pytest(pytester, "-p", "no:hypothesispytest", *words)
        assert not done.stderr.str()
        return without_times(done.stdout.str()) + "\n"

    for name, language, text in BLOCKS:
        if name == LAST:
            (folder / name).write_text(text)
        if language == "console":
            for shown in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
                command, _, output = shown.partition("\n")
                assert run(command) == without_times(output), command
    assert "1 passed" in run(f"pytest -q {LAST}")


def test_every_public_name_that_is_shown_is_one():
    import acp_spy

    shown = set(re.findall(r"\bacp_spy\.(\w+)", PAGE)) - {"pytest_plugin"}
    assert shown <= set(acp_spy.__all__)
    assert {"load", "check", "Script", "Player", "Options", "explain", "assert_clean"} <= set(
        re.findall(r"\b[A-Za-z_]+\b", PAGE)
    )


def test_every_option_and_setting_is_on_the_page():
    from acp_spy.pytest_plugin import MODES
    from acp_spy.pytest_plugin.options import MockOptions

    for word in (*MODES, *MockOptions.__annotations__, "acp_recordings", "acp_agent_command"):
        assert f"`{word}`" in PAGE, word


def test_the_options_of_the_player_are_those_of_the_page():
    from msgspec.structs import fields

    from acp_spy import Options

    assert f"`Options({', '.join(field.name for field in fields(Options))})`" in PAGE
