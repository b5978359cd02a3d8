"""A wrong command line is one error, in typer's words, and a hint: never a traceback."""

import pytest

from acp_spy.cli.app import run_app


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (
            ["check", "--format", "xml"],
            (
                "Invalid value for '--format': 'xml' is not one of 'full', 'concise',"
                " 'json', 'github', 'sarif', 'junit'"
            ),
        ),
        (["view", "--frame", "x"], "Invalid value for '--frame': "),
        (["prune", "--keep", "-1"], "Invalid value for '--keep': "),
        (["replay", "agent", "x", "--timeout", "long"], "Invalid value for '--timeout': "),
        (["view", "--loud"], "No such option"),
        (["raw", "x", "y", "--sender", "agent"], "Got unexpected extra argument"),
    ],
)
def test_it_is_reported_with_the_command_s_help_as_hint(capfd, words, error):
    command = "replay agent" if words[0] == "replay" else words[0]
    assert run_app(words) == 2
    out, err = capfd.readouterr()
    assert out == ""
    said, hint = err.splitlines()
    assert said.startswith(f"error: {error}")  # how it goes on depends on typer's version
    assert hint == f"hint: acp-spy {command} --help"


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["setup", "zed", "agent", "--acp"], "acp-spy setup zed -- agent --acp"),
        (["doctor", "--timeout", "3", "agent"], "acp-spy doctor --timeout 3 -- agent"),
        (["replay", "client", "x.jsonl", "a", "b c"], "acp-spy replay client x.jsonl -- a 'b c'"),
    ],
)
def test_an_agent_s_command_without_the_dashes_is_refused(capfd, words, hint):
    assert run_app(words) == 2
    said = f"error: the agent's command must stand after `--`\nhint: {hint}\n"
    assert capfd.readouterr() == ("", said)
