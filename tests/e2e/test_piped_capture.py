"""`-`: a capture from a pipe, for the commands that judge, show and compare; and what is refused."""

import json
import os
import pty
import subprocess
from pathlib import Path

import pytest
from support.in_process import acp_spy, acp_spy_bytes
from support.processes import ACP_SPY, DEADLINE

from acp_spy.capture.opening import FoundPath
from acp_spy.cli.capture_input import find_input
from acp_spy.errors import AcpSpyError
from acp_spy.secrets.file_report import secrets_in_file
from acp_spy.secrets.redactor import Redactor

FIXTURES = Path(__file__).parents[2] / "fixtures"
EXAMPLE = FIXTURES / "example.jsonl"
HINT = "hint: pipe the capture in, redirect it with `<`, or give its path instead of `-`\n"


def process(*words, **options):
    done = subprocess.run(
        [*ACP_SPY, *words], capture_output=True, timeout=DEADLINE, check=False, **options
    )
    return done.stdout.decode(), done.stderr.decode(), done.returncode


@pytest.mark.parametrize(
    "words",
    [
        ("check",),
        ("view",),
        ("diff", str(FIXTURES / "odd-bytes.jsonl")),
    ],
    ids=" ".join,
)
def test_what_comes_through_a_pipe_is_told_as_the_file_would_be(words):
    output, err, status = acp_spy(*words, EXAMPLE, env={"COLUMNS": "100"})
    piped = acp_spy(*words, "-", stdin=EXAMPLE.read_bytes(), env={"COLUMNS": "100"})
    assert piped == (output.replace(str(EXAMPLE), "/dev/stdin"), err, status)


def test_nothing_is_left_of_it(tmp_path):
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    _, err, status = process("stats", "-", input=EXAMPLE.read_bytes(), env=environment)
    assert (err, status) == ("", 0)
    assert not list(tmp_path.iterdir())


def test_figures_and_bytes_can_be_had_of_it_too():
    out, _, status = acp_spy("stats", "-", stdin=EXAMPLE.read_bytes())
    assert (out.splitlines()[:2], status) == (["/dev/stdin", "10 frames in 4.0 s, ended"], 0)
    out, _, status = acp_spy_bytes("raw", "-", "--sender", "agent", stdin=EXAMPLE.read_bytes())
    assert (out.splitlines()[0], status) == (b"[info] hello", 0)


def test_it_may_be_a_file_of_another_tool_and_stdin_may_be_a_file():
    zed = FIXTURES / "foreign" / "zed.json"
    out, err, _ = acp_spy("check", "-", "--format", "json", stdin=zed.read_bytes())
    with zed.open("rb") as file:
        assert acp_spy("check", "-", "--format", "json", stdin=file).out == out
    (output,) = json.loads(out)["captures"]
    assert (output["path"], output["frames"]) == ("/dev/stdin", 11)
    assert err.startswith("note: `/dev/stdin`: imported from ")


def test_without_anything_to_come_it_is_refused_at_once():
    empty = (
        "error: cannot read `/dev/stdin`: it is empty\n"
        "hint: record again: `acp-spy -o NEW.jsonl -- COMMAND`\n"
    )
    assert acp_spy("check", "-", stdin=b"") == ("", empty, 2)
    ours, theirs = pty.openpty()
    with open(ours, "rb"), open(theirs, "rb") as slave:
        terminal = acp_spy("view", "-", stdin=slave)
    assert terminal == (
        "",
        f"error: cannot read the capture from stdin: it is a terminal\n{HINT}",
        2,
    )
    closed = process("stats", "-", preexec_fn=lambda: os.close(0))
    assert closed == ("", f"error: cannot read the capture from stdin: it is closed\n{HINT}", 2)


def test_it_can_be_redacted_from_a_pipe_to_a_pipe(tmp_path):
    assert acp_spy("redact", EXAMPLE, "-o", tmp_path / "new").status == 0
    piped = acp_spy("redact", "-", "-o", "-", stdin=EXAMPLE.read_bytes(), cwd=tmp_path)
    assert (piped.out, piped.status) == ((tmp_path / "new").read_text(encoding="utf-8"), 0)
    assert "; written to stdout\n" in piped.err
    assert [path.name for path in tmp_path.iterdir()] == ["new"]
    checked = acp_spy("redact", "--check", "-", stdin=EXAMPLE.read_bytes())
    assert checked == ("", "1 file checked, no secrets found\n", 0)


def test_it_can_be_imported_from_a_pipe(tmp_path):
    data = (FIXTURES / "foreign" / "ndjson.ndjson").read_bytes()
    words = ("-", "--from", "ndjson")
    out, err, status = acp_spy("import", *words, stdin=data, cwd=tmp_path)
    assert (out.count("\n"), status) == (12, 0)
    assert acp_spy("import", *words, "-o", "-", stdin=data, cwd=tmp_path) == (out, err, status)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("command", ["view", "check"])
def test_the_output_of_others_goes_to_stdout_too(tmp_path, command):
    shown = acp_spy(command, EXAMPLE)
    assert acp_spy(command, EXAMPLE, "-o", "-", cwd=tmp_path) == shown
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("named", ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"])
def test_a_mock_agent_has_no_stdin_to_read_a_capture_from(named):
    refusal = (
        "error: cannot read the capture from stdin: the client's messages come there\n"
        f"hint: give the path of the capture instead of `{named}`\n"
    )
    assert acp_spy("replay", "agent", named, stdin=EXAMPLE.read_bytes()) == ("", refusal, 2)


@pytest.mark.parametrize(
    ("words", "use"),
    [
        (("replay", "agent", "--listen", "127.0.0.1:0"), "serve replays of"),
        (("redact", "-o"), None),
    ],
    ids=lambda words: " ".join(words or ()),
)
def test_a_pipe_is_refused_where_it_would_be_read_again_or_wait_for_itself(words, use, tmp_path):
    os.mkfifo(pipe := tmp_path / "pipe")
    out, err, status = process(*words, *([pipe] if use else [pipe, pipe]))
    refusal = f"cannot {use} `{pipe}`: it is a pipe, and read only once\n"
    assert err.startswith(
        f"error: {refusal if use else f'cannot write `{pipe}`: it is the capture itself'}"
    )
    assert (out, status) == ("", 2)


def test_a_pipe_in_the_place_of_a_file_that_was_found_is_not_waited_for(tmp_path):
    os.mkfifo(pipe := tmp_path / "run.jsonl")
    folder = os.open(tmp_path, os.O_RDONLY)
    for found in (FoundPath(pipe), FoundPath(pipe, folder)):
        path = find_input(found, may_be_empty=True)
        assert path == found
        with pytest.raises(AcpSpyError, match="it is not a regular file"):
            [*secrets_in_file(path, Redactor())]
    os.close(folder)


def test_a_mock_client_reads_it_from_a_pipe():
    words = ("replay", "client", "-", "--", "/no/such/agent")
    done = process(*words, input=EXAMPLE.read_bytes())
    assert done == ("", "acp-spy: command not found: `/no/such/agent`\n", 127)


def test_only_one_side_of_a_diff_can_come_through_it():
    refusal = "error: cannot read both captures from stdin\nhint: give the path of one of them\n"
    assert acp_spy("diff", "-", "-", stdin=EXAMPLE.read_bytes()) == ("", refusal, 2)


def test_what_is_piped_cannot_be_followed():
    refusal = (
        "error: cannot follow stdin: it is read to its end first\n"
        "hint: name the file, or remove `-f`\n"
    )
    assert acp_spy("view", "-f", "-", stdin=EXAMPLE.read_bytes()) == ("", refusal, 2)
