import pytest
from support.in_process import acp_spy

from acp_spy.cli.commands import PROXY_OPTIONS
from acp_spy.cli.entry import parse
from acp_spy.errors import AcpSpyError


@pytest.mark.parametrize(
    ("words", "options"),
    [
        ([], {}),
        (["-o", "run.jsonl"], {"output": "run.jsonl"}),
        (["-orun.jsonl"], {"output": "run.jsonl"}),
        (["--output", "run.jsonl"], {"output": "run.jsonl"}),
        (["--output=run.jsonl"], {"output": "run.jsonl"}),
        (["--output=a=b"], {"output": "a=b"}),
        (["--output", "with blank"], {"output": "with blank"}),
        (["--dir", "captures"], {"dir": "captures"}),
        (["--dir=captures"], {"dir": "captures"}),
        (["-v"], {"verbose": "yes"}),
        (["--verbose"], {"verbose": "yes"}),
        (["-v", "-v"], {"verbose": "yes"}),
        (["-v", "--dir", "d"], {"verbose": "yes", "dir": "d"}),
        (["-o", "first", "-o", "last"], {"output": "last"}),
    ],
)
def test_our_options_stand_before_the_dashes(words, options):
    assert parse([*words, "--", "agent"]) == (options, ["agent"])


@pytest.mark.parametrize(
    "command",
    [
        ["agent"],
        ["agent", "--acp", "-o", "theirs"],
        ["agent", "--", "more"],
        ["--", "agent"],
        ["-v"],
        ["--help"],
        ["raw", "run.jsonl"],
        ["", " "],
        ["agent", "\udcff\x1b"],
    ],
)
def test_all_after_the_first_dashes_is_the_agents(command):
    assert parse(["--", *command]) == ({}, command)
    assert parse(["-v", "--", *command]) == ({"verbose": "yes"}, command)


def test_the_words_given_are_left_as_they_are():
    words = ["-v", "--", "agent", "--acp"]
    parse(words)
    assert words == ["-v", "--", "agent", "--acp"]


def test_every_option_can_be_given_in_each_of_its_spellings():
    for option in PROXY_OPTIONS:
        for spelling in option.spellings:
            value = ["value"] if option.takes else []
            given, _ = parse([spelling, *value, "--", "agent"])
            value = "value" if option.takes else "yes"
            assert given == {option.name: [value] if option.repeats else value}


NO_COMMAND = (
    "missing agent command",
    (
        "run `acp-spy [OPTIONS] -- COMMAND [ARG]...`, for example `acp-spy -- claude-agent-acp`;"
        " `acp-spy --help` lists the commands"
    ),
)
AFTER_DASHES = "put the agent command after `--`"
UNKNOWN = "run `acp-spy --help` to list the options; those of the agent belong after `--`"
LISTED = "; `acp-spy --help` lists the options"


@pytest.mark.parametrize(
    ("words", "message", "hint"),
    [
        ("", *NO_COMMAND),
        ("--", *NO_COMMAND),
        ("-v", *NO_COMMAND),
        ("-v --", *NO_COMMAND),
        ("-o run.jsonl --", *NO_COMMAND),
        ("agent --acp", AFTER_DASHES, "run `acp-spy -- agent --acp`"),
        ("-v agent", AFTER_DASHES, "run `acp-spy -v -- agent`"),
        ("-o f agent -x", AFTER_DASHES, "run `acp-spy -o f -- agent -x`"),
        ("agent -- --acp", AFTER_DASHES, "run `acp-spy -- agent --acp`"),
        ("-v raw f", "`raw` does not accept proxy options", "run `acp-spy raw f`"),
        (
            "rwa f",
            "no such command: `rwa`",
            "run `acp-spy raw f`; to start `rwa` as an agent, run `acp-spy -- rwa f`",
        ),
        (
            "demos",
            "no such command: `demos`",
            "run `acp-spy demo`; to start `demos` as an agent, run `acp-spy -- demos`",
        ),
        ("-x -- agent", "no such option: `-x`", UNKNOWN),
        ("--zz=1 -- agent", "no such option: `--zz=1`", UNKNOWN),
        ("-", "no such option: `-`", UNKNOWN),
        ("-vv -- a", "no such option: `-vv`; did you mean `-v`?", "run `acp-spy -v -- a`" + LISTED),
        (
            "-v --redacted -o x -- agent --acp",
            "no such option: `--redacted`; did you mean `--redact`?",
            "run `acp-spy -v --redact -o x -- agent --acp`" + LISTED,
        ),
        (
            "--ouput=x -- agent",
            "no such option: `--ouput=x`; did you mean `--output`?",
            "run `acp-spy --output=x -- agent`" + LISTED,
        ),
        ("-o --redact -- a", "`-o` needs a value", "run `acp-spy -o FILE --redact -- a`" + LISTED),
        ("-o -- agent", "`-o` needs a value", "run `acp-spy -o FILE -- agent`" + LISTED),
        ("-o", "`-o` needs a value", "run `acp-spy -o FILE -- COMMAND [ARG]...`" + LISTED),
        ("--output -- a", "`--output` needs a value", "run `acp-spy --output FILE -- a`" + LISTED),
        ("-v --dir -- a", "`--dir` needs a value", "run `acp-spy -v --dir DIR -- a`" + LISTED),
    ],
)
def test_a_wrong_command_line_is_answered_with_the_right_one(words, message, hint):
    with pytest.raises(AcpSpyError) as caught:
        parse(words.split())
    assert (caught.value.message, caught.value.hint) == (message, hint)


def test_the_right_command_line_can_be_pasted_into_a_shell():
    with pytest.raises(AcpSpyError) as caught:
        parse(["my agent", "it's", "$HOME"])
    assert caught.value.hint == """run `acp-spy -- 'my agent' 'it'"'"'s' '$HOME'`"""
    with pytest.raises(AcpSpyError) as caught:
        parse(["-o", "a b", "--redacted", "--", "my agent"])
    assert caught.value.hint == f"run `acp-spy -o 'a b' --redact -- 'my agent'`{LISTED}"


@pytest.mark.parametrize(
    "words",
    [["agent", "--acp"], ["-v", "agent"], ["-vv", "--", "agent"], ["-vv", "--redact", "--", "a"]],
)
def test_the_right_command_line_is_right(words):
    with pytest.raises(AcpSpyError) as caught:
        parse(words)
    right = caught.value.hint.removesuffix(LISTED).removeprefix("run ").strip("`").split()
    assert right[0] == "acp-spy"
    parse(right[1:])


GUESSES = {
    "record -- x --acp": ("no such command: `record`", "to record, run `acp-spy -- x --acp`"),
    "record -o f -- x": ("no such command: `record`", "to record, run `acp-spy -o f -- x`"),
    "run x": ("no such command: `run`", "to record, run `acp-spy -- x`"),
    "start": ("no such command: `start`", "to record, run `acp-spy -- COMMAND`"),
    "a.jsonl": ("missing command for the file `a.jsonl`", "run `acp-spy view a.jsonl`"),
    "notes.txt": ("missing command for the file `notes.txt`", "run `acp-spy view notes.txt`"),
    "show a.jsonl": ("no such command: `show`", "run `acp-spy view a.jsonl`"),
    "lint a.jsonl": ("no such command: `lint`", "run `acp-spy check a.jsonl`"),
    "html a.jsonl": ("no such command: `html`", "run `acp-spy view -o page.html a.jsonl`"),
    "tail": ("no such command: `tail`", "run `acp-spy view -f`"),
    "ls": ("no such command: `ls`", "run `acp-spy list`"),
    "help veiw": ("no such command: `veiw`", "run `acp-spy view --help`"),
    "help nonesuch": ("no such command: `nonesuch`", "run `acp-spy --help`"),
    "-- check a.jsonl": (
        "`check` is a command of acp-spy, not an agent",
        "run `acp-spy check a.jsonl`",
    ),
    "-v -- check": ("`check` is a command of acp-spy, not an agent", "run `acp-spy check`"),
    "doctor x": ("put the agent command after `--`", "run `acp-spy doctor -- x`"),
}


@pytest.mark.parametrize("line", GUESSES)
def test_a_natural_guess_gets_the_right_command_line(tmp_path, line):
    (tmp_path / "notes.txt").touch()
    message, hint = GUESSES[line]
    said = f"error: {message}\nhint: {hint}\n"
    assert acp_spy(*line.split(), cwd=tmp_path, env={"PATH": ""}) == ("", said, 2)


def test_an_agent_that_is_called_like_a_command_needs_its_path(tmp_path):
    program = tmp_path / "view"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    err = acp_spy("--", "view", env={"PATH": str(tmp_path)}).err
    assert err.endswith(f"; to start that program as an agent, run `acp-spy -- {program}`\n")


def test_help_takes_a_command():
    assert acp_spy("help", "view") == acp_spy("view", "--help")
    assert acp_spy("help") == acp_spy("--help")
