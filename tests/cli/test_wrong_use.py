"""A wrong command line is one error and a hint: never a traceback."""

import pytest

from acp_spy.cli.app import run_app
from acp_spy.cli.usage_errors import plain

TIMEOUT = "`--timeout` must be more than 0 and at most 86400 seconds"


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["view", "--frame", "x"], "`--frame` must be a whole number"),
        (["view", "--frame"], "`--frame` needs a value"),
        (["prune", "--keep", "-1"], "`--keep` must be 0 or more"),
        (["doctor", "--timeout", "0", "--", "x"], TIMEOUT),
        (["doctor", "--timeout", "inf", "--", "x"], TIMEOUT),
        (["replay", "agent", "x", "--timeout", "long"], "`--timeout` must be a number"),
        (["view", "--loud"], "no such option: `--loud`"),
        (["raw", "x", "y", "--sender", "agent"], "unexpected argument: `y`"),
        (["completion"], "missing `SHELL`: bash, zsh or fish"),
        (
            ["doctor", "--promt", "hi", "--", "agent"],
            "no such option: `--promt`; did you mean `--prompt`?",
        ),
        (
            ["stats", "--format", "xml"],
            "invalid value for `--format`: `xml` is not one of `text`, `json`",
        ),
    ],
)
def test_it_is_reported_with_the_command_s_help_as_hint(capfd, words, error):
    command = "replay agent" if words[0] == "replay" else words[0]
    assert run_app(words) == 2
    assert capfd.readouterr() == ("", f"error: {error}\nhint: run `acp-spy {command} --help`\n")


@pytest.mark.parametrize(
    ("line", "error", "hint"),
    [
        ("view --html", "no such option: `--html`", "use `--format html`"),
        ("stats --json", "no such option: `--json`", "use `--format json`"),
        ("rule --json", "no such option: `--json`", "use `--format json`"),
        ("check a.jsonl --sarif", "no such option: `--sarif`", "use `--format sarif`"),
        ("list some", "unexpected argument: `some`", "to name the folder, use `--dir some`"),
        (
            "view a.jsonl 14",
            "cannot filter by `14`: no such filter",
            "to show frame 14, use `--frame 14`",
        ),
        (
            "view a.jsonl b.jsonl",
            "`view` shows one capture",
            "to compare two, run `acp-spy diff a.jsonl b.jsonl`",
        ),
        (
            "view from:agent a.jsonl",
            "put the capture before the filters",
            "run `acp-spy view a.jsonl from:agent`",
        ),
        (
            "diff a.jsonl",
            "`diff` compares two captures",
            (
                "run `acp-spy diff A.jsonl B.jsonl`; `acp-spy diff A.jsonl --delivered` compares"
                " what was sent with what was delivered"
            ),
        ),
        (
            "check --secrets a.jsonl",
            "no such option: `--secrets`",
            "to search files for secrets, run `acp-spy redact --check FILE...`",
        ),
        (
            "replay server a.jsonl",
            "no such side: `server`",
            "run `acp-spy replay agent a.jsonl`",
        ),
    ],
)
def test_a_natural_guess_gets_the_option_that_was_meant(capfd, line, error, hint):
    assert run_app(line.split()) == 2
    assert capfd.readouterr() == ("", f"error: {error}\nhint: {hint}\n")


@pytest.mark.parametrize(
    "words",
    [
        ["check", ""],
        ["view", ""],
        ["view", "-f", ""],
        ["why", ""],
        ["stats", ""],
        ["raw", "", "--sender", "agent"],
        ["diff", "", ""],
        ["redact", "", "-o", "new"],
        ["redact", "--check", ""],
        ["replay", "agent", ""],
        ["replay", "client", "", "--", "agent"],
    ],
    ids=" ".join,
)
def test_an_empty_name_is_not_the_newest_capture(capfd, tmp_path, monkeypatch, words):
    (tmp_path / "run.jsonl").write_text('{"type":"header","format":1}\n', encoding="utf-8")
    monkeypatch.setenv("ACP_SPY_DIR", str(tmp_path))
    assert run_app(words) == 2
    said = (
        "error: the name of the capture is empty\n"
        "hint: check that the variable in your script is set\n"
    )
    assert capfd.readouterr() == ("", said)


def test_an_empty_prompt_is_refused_not_left_out(capfd):
    assert run_app(["doctor", "--prompt", "", "--", "agent"]) == 2
    said = "error: the text of `--prompt` is empty\nhint: give a text, or remove `--prompt`\n"
    assert capfd.readouterr() == ("", said)


def test_an_empty_file_name_is_not_imported(capfd):
    assert run_app(["import", ""]) == 2
    assert capfd.readouterr().err.startswith("error: the name of the file is empty\n")


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
    said = f"error: put the agent command after `--`\nhint: run `{hint}`\n"
    assert capfd.readouterr() == ("", said)


@pytest.mark.parametrize(
    "said",
    [
        "No such option: --promt (Possible options: --format, --prompt)",
        "No such option '--promt'. (Did you mean one of: '--format', '--prompt'?)",
        "No such option '--promt'. Did you mean '--prompt'?",
    ],
)
def test_an_unknown_option_is_told_alike_whichever_click_typer_runs_with(said):
    assert plain(said) == "no such option: `--promt`; did you mean `--prompt`?"
    assert plain(said.partition(" (")[0].partition(" Did")[0]) == "no such option: `--promt`"
