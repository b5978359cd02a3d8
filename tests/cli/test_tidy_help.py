"""The help of every command, as it stands on a terminal of 80 columns."""

import pytest
import typer

from acp_spy.cli.app import run_app, whole_app
from acp_spy.cli.commands import COMMANDS
from acp_spy.cli.completion import _commands

PATHS = [command.path for command in _commands() if command.path]


@pytest.fixture
def help_of(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr("typer.rich_utils.MAX_WIDTH", 80)

    def show(path):
        assert run_app([*path.split(), "--help"]) == 0
        return capsys.readouterr().out

    return show


def test_all_commands_are_looked_at():
    assert {path.split()[0] for path in PATHS} == set(COMMANDS)
    assert typer.main.get_command(whole_app()).commands.keys() == set(COMMANDS)


@pytest.mark.parametrize("path", PATHS)
def test_it_fits_and_speaks_no_python(help_of, path):
    shown = help_of(path)
    assert f"Usage: acp-spy {path} " in shown
    assert max(map(len, shown.splitlines())) <= 80
    for noise in ("<", "{", "}", "[[", "default: (", "…"):
        assert noise not in shown


@pytest.mark.parametrize("path", ["setup", "doctor", "replay client"])
def test_the_dashes_that_have_to_be_typed_are_in_the_usage(help_of, path):
    usage = help_of(path).partition("Usage:")[2].partition("\n \n")[0].split("\n\n")[0]
    assert "-- COMMAND [ARG]..." in " ".join(usage.split())


@pytest.mark.parametrize(
    "usage",
    [
        "view [OPTIONS] [CAPTURE] [FILTER]...",
        "check [OPTIONS] [CAPTURE]...",
        "raw [OPTIONS] CAPTURE",
        "redact [OPTIONS] FILE...",
        "rule [OPTIONS] [CODE|NAME|FAMILY]",
    ],
)
def test_the_usage_is_as_one_would_type_it(help_of, usage):
    assert f"Usage: acp-spy {usage} " in help_of(usage.split()[0])
