import re
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acp_spy.capture.file_names import agent_name, capture_name, numbered

always_the_same = settings(deadline=None, derandomize=True)


def test_a_capture_is_named_for_its_time_its_agent_and_its_process():
    name = capture_name("20260105T093000Z", ["npx", "-y", "@example/some-agent@1.2"], 4242)
    assert name == "20260105T093000Z-some-agent-4242.jsonl"


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("my-agent --acp", "my-agent"),
        ("/opt/tools/bin/my-agent", "my-agent"),
        ("./my-agent.sh", "my-agent"),
        ("MyAgent.exe", "MyAgent"),
        ("npx some-agent", "some-agent"),
        ("npx -y @example/some-agent@1.2 --acp", "some-agent"),
        ("npx @example/some-agent", "some-agent"),
        ("npm exec some-agent@latest", "some-agent"),
        ("uvx --quiet some-agent", "some-agent"),
        ("uv run some-agent", "some-agent"),
        ("uv tool run some-agent", "some-agent"),
        ("python3 agents/mine.py", "mine"),
        ("/usr/bin/python3.12 -u agents/mine.py", "mine"),
        ("python -m acp_spy.demo.agent", "acp_spy.demo.agent"),
        ("node --enable-source-maps dist/index.js", "index"),
        ("env DEBUG=1 LEVEL=all node agent.mjs", "agent"),
        ("sudo env -i bash run.sh", "run"),
        ("java -jar agent.jar", "agent"),
        ("node.exe agent.js", "agent"),
        # Code is no name, and a runner alone is the agent itself.
        ("python3 -c pass", "python3"),
        ("sh -c my-agent", "sh"),
        ("node -e 1 some-agent", "node"),
        ("bash", "bash"),
        ("env DEBUG=1", "env"),
    ],
)
def test_the_agent_is_found_in_its_command_line(command, name):
    assert agent_name(command.split()) == name


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("my agent", "my-agent"),
        ("agent\n\x1b[31m", "agent-31m"),
        ("агент", "agent"),
        ("...", "agent"),
        ("", "agent"),
        ("bin/", "agent"),
        ("-agent-", "agent"),
        ("a" * 300, "a" * 40),
        ("agent.v2", "agent.v2"),
        ("http://127.0.0.1:8080/acp", "127.0.0.1-8080"),
        ("wss://me:secret@agent.example/acp?token=1", "agent.example"),
        ("ws://agent.example?token=secret@secret", "agent.example"),
        ("ws://agent.example#token=secret@secret/secret", "agent.example"),
        ("http://me:sec@ret@agent.example:80/x", "agent.example-80"),
        ("http://me:secret@/secret", "agent"),
        ("http://?token=secret/secret", "agent"),
        ("HTTP://Agent.Example/acp", "Agent.Example"),
        ("\udcff", "agent"),
    ],
)
def test_whatever_the_word_the_name_is_fit_for_a_file(word, name):
    assert agent_name([word]) == name


@given(st.lists(st.text() | st.sampled_from(["env", "node", "-c", "run", "@", "/"]), min_size=1))
@always_the_same
def test_every_command_has_a_short_plain_name(command):
    assert re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,39}", agent_name(command))


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("run.jsonl", ["run.jsonl", "run-2.jsonl", "run-3.jsonl"]),
        ("a.b/run", ["a.b/run", "a.b/run-2", "a.b/run-3"]),
        ("run.tar.gz", ["run.tar.gz", "run.tar-2.gz", "run.tar-3.gz"]),
        (".jsonl", [".jsonl", ".jsonl-2", ".jsonl-3"]),
        ("run-2.jsonl", ["run-2.jsonl", "run-2-2.jsonl", "run-2-3.jsonl"]),
    ],
)
def test_the_number_stands_before_the_ending(path, names):
    assert list(islice(numbered(path), 3)) == names


def test_the_numbers_do_not_end():
    assert next(islice(numbered("run.jsonl"), 99_999, None)) == "run-100000.jsonl"
