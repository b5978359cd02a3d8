import pytest

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
            assert given == {option.name: "value" if option.takes else "yes"}


NO_COMMAND = (
    "no command: which agent shall be started?",
    "acp-spy [OPTIONS] -- COMMAND [ARG]..., for example: acp-spy -- claude-code-acp",
)
AFTER_DASHES = "the agent's command must stand after `--`"
LISTED = "   (`acp-spy --help` lists the options)"


@pytest.mark.parametrize(
    ("words", "message", "hint"),
    [
        ("", *NO_COMMAND),
        ("--", *NO_COMMAND),
        ("-v", *NO_COMMAND),
        ("-v --", *NO_COMMAND),
        ("-o run.jsonl --", *NO_COMMAND),
        ("agent --acp", AFTER_DASHES, "acp-spy -- agent --acp"),
        ("-v agent", AFTER_DASHES, "acp-spy -v -- agent"),
        ("-o f agent -x", AFTER_DASHES, "acp-spy -o f -- agent -x"),
        ("agent -- --acp", AFTER_DASHES, "acp-spy -- agent --acp"),
        ("-v raw f", "the options of the proxy are none of `raw`", "acp-spy raw f"),
        (
            "rwa f",
            "no such command: `rwa`",
            "did you mean `acp-spy raw`? To start it as an agent: acp-spy -- rwa f",
        ),
        (
            "demos",
            "no such command: `demos`",
            "did you mean `acp-spy demo`? To start it as an agent: acp-spy -- demos",
        ),
        ("-x -- agent", "no such option: `-x`", "acp-spy -- agent" + LISTED),
        ("-v -x -- agent --acp", "no such option: `-x`", "acp-spy -v -- agent --acp" + LISTED),
        ("--x=1 -- agent", "no such option: `--x=1`", "acp-spy -- agent" + LISTED),
        ("-vv -- a", "no such option: `-vv`; did you mean `-v`?", "acp-spy -- a" + LISTED),
        ("-x", "no such option: `-x`", "acp-spy -- COMMAND [ARG]..." + LISTED),
        ("-", "no such option: `-`", "acp-spy -- COMMAND [ARG]..." + LISTED),
        ("-o -- agent", "`-o` needs a value", "acp-spy -o FILE -- agent" + LISTED),
        ("-o", "`-o` needs a value", "acp-spy -o FILE -- COMMAND [ARG]..." + LISTED),
        ("--output -- a", "`--output` needs a value", "acp-spy --output FILE -- a" + LISTED),
        ("-v --dir -- a", "`--dir` needs a value", "acp-spy -v --dir DIR -- a" + LISTED),
    ],
)
def test_a_wrong_command_line_is_answered_with_the_right_one(words, message, hint):
    with pytest.raises(AcpSpyError) as caught:
        parse(words.split())
    assert (caught.value.message, caught.value.hint) == (message, hint)


def test_the_right_command_line_can_be_pasted_into_a_shell():
    with pytest.raises(AcpSpyError) as caught:
        parse(["my agent", "it's", "$HOME"])
    assert caught.value.hint == """acp-spy -- 'my agent' 'it'"'"'s' '$HOME'"""
    with pytest.raises(AcpSpyError) as caught:
        parse(["-o", "a b", "-x", "--", "my agent"])
    assert caught.value.hint == f"acp-spy -o 'a b' -- 'my agent'{LISTED}"


@pytest.mark.parametrize(
    "words", [["agent", "--acp"], ["-v", "agent"], ["-x", "--", "agent"], ["-x", "-v", "--", "a"]]
)
def test_the_right_command_line_is_right(words):
    with pytest.raises(AcpSpyError) as caught:
        parse(words)
    right = caught.value.hint.removesuffix(LISTED).split()
    assert right[0] == "acp-spy"
    parse(right[1:])
