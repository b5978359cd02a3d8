"""`acp-spy demo`: the first thing that a newcomer sees."""

import subprocess

import pytest
from support.in_process import acp_spy
from support.processes import ACP_SPY, DEADLINE

from acp_spy import check, load
from acp_spy.wire.jsonrpc import Unreadable, read_message


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    capture = tmp_path_factory.mktemp("demo") / "demo.jsonl"
    done = subprocess.run(
        [*ACP_SPY, "demo", "-o", str(capture)],
        capture_output=True,
        timeout=DEADLINE,
        check=True,
        env={"PATH": "", "COLUMNS": "80"},  # nothing installed but acp-spy
    )
    assert done.stderr == b""
    return capture, done.stdout.decode()


def test_the_capture_is_shown_and_what_to_try_next(demo):
    capture, shown = demo
    for row in (
        "session/prompt  turn 1  Do the tests pass?",
        "agent says  3 chunks",
        "response to session/request_permission",
    ):
        assert row in shown
    assert f"Recorded: {capture}" in shown
    assert f"acp-spy raw {capture} --sender agent" in shown
    assert "put `acp-spy --` in front of the agent command" in shown
    console, page, change = shown.splitlines()[-5::2]  # each below what it is for
    assert console.endswith(f"acp-spy live {capture}")
    assert page.endswith(f"acp-spy view {capture} --serve")
    assert change == "  acp-spy -- AGENT"


def test_no_row_is_wider_than_the_terminal(demo):
    _, shown = demo
    rows = shown.partition("\nThe conversation itself")[2].partition("\nRecorded")[0].splitlines()
    assert max(map(len, rows)) <= 80


def test_the_three_planted_mistakes_are_found_and_nothing_else(demo):
    capture, shown = demo
    found = [(f.code, f.name, f.blame.value) for f in check(load(capture).records)]
    assert found == [
        ("FRM004", "non-json-rpc-line", "agent"),
        ("SCH002", "missing-update-wrapper", "agent"),
        ("SCH001", "wrong-discriminator", "agent"),
    ]
    assert all(f"error {code} {name}" in shown for code, name, _ in found)


def test_the_three_classic_mistakes_are_in_the_traffic(demo):
    capture, _ = demo
    agent = [frame.payload for frame in load(capture).frames if frame.sender.value == "agent"]
    assert isinstance(read_message(agent[0]), Unreadable)  # a log line on stdout
    updates = [payload for payload in agent if b'"session/update"' in payload]
    assert sum(b'"update":' not in payload for payload in updates) == 1
    assert sum(b'"update": {"type":' in payload for payload in updates) == 1
    assert sum(b'"update": {"sessionUpdate":' in payload for payload in updates) == len(updates) - 2


def test_it_ends_well(demo):
    capture, _ = demo
    assert load(capture).exit.status == 0
    assert load(capture).exit.undelivered == {}


def test_a_second_demo_goes_into_a_second_file(demo):
    capture, _ = demo
    subprocess.run([*ACP_SPY, "demo", "-o", str(capture)], stdout=subprocess.DEVNULL, check=True)
    assert load(capture.with_name("demo-2.jsonl")).exit.status == 0


def test_the_name_of_the_capture_is_no_command_to_a_ci(tmp_path):
    out, _, status = acp_spy("demo", "-o", "::error::x.jsonl", cwd=tmp_path)
    assert status == 0
    assert [line for line in out.splitlines() if line.lstrip().startswith("::")] == []


def test_where_there_is_no_folder_any_more_it_says_so(tmp_path):
    command = 'mkdir "$0" && cd "$0" && rmdir "$0" && exec "$@" demo -o "$0.jsonl"'
    done = subprocess.run(
        ["sh", "-c", command, str(tmp_path / "gone"), *ACP_SPY],
        capture_output=True,
        timeout=DEADLINE,
        check=False,
    )
    said = "error: cannot run the demo: the current folder was removed\n"
    assert (done.returncode, done.stderr.decode().partition("hint")[0]) == (2, said)
