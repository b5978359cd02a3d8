"""The help of every command, as it stands on a terminal of 80 columns."""

import os
import re
import subprocess

import pytest
from support import effort
from support.processes import ACP_SPY, DEADLINE

from acp_spy.cli.app import run_app
from acp_spy.cli.commands import COMMANDS

PATHS = [*COMMANDS, "replay agent", "replay client"]
SHOWN: dict[str, str] = {}  # it takes a tenth of a second, and is looked at by several tests


@pytest.fixture
def help_of(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERMINAL_WIDTH", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr("typer.rich_utils.MAX_WIDTH", 80)

    def show(path):
        if path not in SHOWN:
            assert run_app([*path.split(), "--help"]) == 0
            SHOWN[path] = capsys.readouterr().out
        return SHOWN[path]

    return show


def in_one_line(text):
    return " ".join(text.replace("│", " ").split())


@pytest.mark.parametrize("path", PATHS)
def test_it_fits(help_of, path):
    shown = help_of(path)
    assert f"Usage: acp-spy {path} " in shown
    assert max(map(len, shown.splitlines())) <= 80


WISHES = [
    *({"COLUMNS": "1000000"}, {"LINES": "²"}),
    *({"COLUMNS": "0"}, {"TERMINAL_WIDTH": "wide"}, {"COLUMNS": "²"}),
    *({"LINES": "9" * 5000}, {"LINES": ""}),
]


@pytest.mark.parametrize("wish", effort.some_of(WISHES, WISHES[0]))
def test_it_is_as_wide_as_a_terminal_can_be(wish):
    done = subprocess.run(
        [*ACP_SPY, "demo", "--help"],
        env={**os.environ, "COLUMNS": "80", **wish},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=DEADLINE,
        check=False,
    )
    assert (done.stderr, done.returncode) == (b"", 0)
    assert max(map(len, done.stdout.decode().splitlines())) == 80


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_is_listed_with_the_line_that_its_help_begins_with(help_of, name):
    line = COMMANDS[name].replace("`", "")
    assert f" {name} {line} " in in_one_line(help_of(""))
    assert line in in_one_line(help_of(name))


@pytest.mark.parametrize(
    "usage",
    [
        "view [OPTIONS] [CAPTURE] [FILTER]...",
        "check [OPTIONS] [CAPTURE]...",
        "raw [OPTIONS] CAPTURE",
        "redact [OPTIONS] FILE...",
        "rule [OPTIONS] [WORD]...",
        "setup [OPTIONS] [EDITOR] -- COMMAND [ARG]...",
        "doctor [OPTIONS] -- COMMAND [ARG]...",
        "replay client [OPTIONS] CAPTURE -- COMMAND [ARG]...",
    ],
)
def test_the_usage_is_as_one_would_type_it(help_of, usage):
    shown = in_one_line(help_of(usage.partition(" [")[0]))
    assert without_signs(f"Usage: acp-spy {usage} ") in without_signs(shown)


def test_the_help_of_redact_says_what_repeats_and_its_exit_statuses(help_of):
    shown = in_one_line(help_of("redact"))
    assert "--key, --value, --path and --allow can be repeated." in shown
    assert "The exit status is 0, also if there was nothing to redact, and 2 if" in shown


def without_signs(text):
    """Return `text` without the signs that each version of typer puts elsewhere."""
    return re.sub(r"[][{}.]", "", text)


@pytest.mark.parametrize("path", ["", *PATHS])
def test_no_type_of_python_is_shown(help_of, path):
    shown = help_of(path)
    assert "<" not in shown
    assert "{" not in shown
    assert "x>=" not in shown
