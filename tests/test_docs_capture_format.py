import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from acp_spy.capture.codec import DEEPEST_MESSAGE, encode, encode_finding
from acp_spy.capture.files import load
from acp_spy.capture.records import (
    FORMAT,
    Closed,
    Disconnect,
    Exit,
    Header,
    HttpExchange,
    Stderr,
)
from acp_spy.lint.rule import Because, Finding, Severity
from acp_spy.live_check.checker import TIME_FOR_THE_REST
from acp_spy.wire.frame import Frame, Peer, Via
from acp_spy.wire.framing import LONGEST_LINE

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "capture-format.md").read_text(encoding="utf-8")
FIXTURES = ROOT / "fixtures"
EXAMPLE = FIXTURES / "example.jsonl"


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def sessions():
    """Give each command that the page shows, with the output that it shows for it."""
    for block in blocks("console"):
        for shown in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = shown.partition("\n")
            yield command, output


def run_jq(*words):
    if shutil.which("jq") is None:
        pytest.skip("jq is not installed")
    done = subprocess.run(["jq", *words], cwd=FIXTURES, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout.decode()


def test_the_example_of_the_page_is_the_fixture():
    (example,) = blocks("jsonl")
    assert example.encode() == EXAMPLE.read_bytes()


def test_the_example_loads_and_would_be_written_so():
    capture = load(EXAMPLE)
    assert encode([capture.header, *capture.records]) == EXAMPLE.read_bytes()
    assert {type(record) for record in capture.records} == {Frame, Stderr, Closed, Exit}
    assert capture.exit == Exit(4.002174, 0, {"client": 3})
    assert [frame.seq for frame in capture.frames] == list(range(1, 11))
    sent = b"".join(frame.raw for frame in capture.frames if frame.sender is Peer.AGENT)
    assert sent.splitlines(keepends=True)[0] == b"[info] hello\n"
    assert b'"s-1"}}\r\n' in sent
    assert sent.endswith(b"caf\xe9\n" + list(capture.frames)[8].raw + b"bye")


def test_a_remote_conversation_loads_and_would_be_written_so():
    path = FIXTURES / "remote-refused-response.jsonl"
    capture = load(path)
    assert encode([capture.header, *capture.records]) == path.read_bytes()
    assert {type(record) for record in capture.records} == {Frame, HttpExchange, Disconnect}


def test_the_page_shows_commands():
    assert len(list(sessions())) >= 5


@pytest.mark.parametrize(("command", "output"), list(sessions()))
def test_every_command_gives_the_output_that_is_shown(command, output):
    program, *words = shlex.split(command)
    assert program == "jq"
    assert run_jq(*words) == output


def test_jq_reads_messages_as_deep_as_they_may_be(tmp_path):
    raw = b"[" * DEEPEST_MESSAGE + b"]" * DEEPEST_MESSAGE + b"\n"
    (tmp_path / "deep.jsonl").write_bytes(encode([Frame(1, 0.0, Peer.CLIENT, raw)]))
    assert run_jq("-c", ".message", str(tmp_path / "deep.jsonl")) == raw.decode()


@pytest.mark.parametrize(
    "name",
    [
        "example",
        "odd-bytes",
        "remote-refused-response",
        "unknown-record-and-field",
        "with-findings",
    ],
)
def test_jq_reads_every_sound_fixture(name):
    lines = (FIXTURES / f"{name}.jsonl").read_bytes().count(b"\n")
    assert run_jq("-c", ".type", f"{name}.jsonl").count("\n") == lines


# ----------------------------------------------------------------------------- in step


def fields_of(kind):
    """Return the fields in the table of a type of record."""
    section = PAGE.partition(f"### `{kind}`\n")[2].partition("\n#")[0]
    table = section.partition("| --- |")[2].partition("\n\n")[0]
    return set(re.findall(r"`(\w+)`", " ".join(re.findall(r"^\|([^|]*)\|", table, re.MULTILINE))))


@pytest.mark.parametrize(
    "record",
    [
        Header(note="imported", redacted=True),
        Frame(1, 0.0, Peer.CLIENT, b"{}\n", redacted=("/id",), via=Via("http", "post")),
        Stderr(0.0, b"x\n", redacted=("",)),
        Closed(0.0, Peer.CLIENT),
        Exit(0.0, 0, {"client": 1}, "not found"),
        HttpExchange(
            *(1.0, 1, "http", "POST", "/acp", "post", "c", "s", 1, 502, "proxy", "1.1", "2", 0.5),
            *({"a": "b"}, {"a": "b"}, "body", "error"),
        ),
        Disconnect(1.0, 1, "ws", "connection", "agent", "c", "s", True, 1, "r", "e", 1, 1, 0.5),
    ],
)
def test_every_field_that_is_written_is_explained(record):
    line = json.loads(encode([record]))
    held = {Frame: {"message", "text", "base64"}, Stderr: {"text", "base64"}}.get(type(record))
    assert fields_of(line["type"]) == set(line) | (held or set())


def test_every_field_of_via_is_explained():
    table = PAGE.partition("`via` in a frame:\n")[2].partition("| --- |")[2].partition("\n\n")[0]
    whole = Frame(1, 0.0, Peer.AGENT, b"{}\n", via=Via("ws", "connection", "c", "s", 200, True))
    assert set(re.findall(r"^\| `(\w+)`", table, re.MULTILINE)) == set(
        json.loads(encode([whole]))["via"]
    )


def test_every_field_of_a_finding_is_explained():
    because = Because(1, "X002")
    about = "text", "/id", 2, "hint", 1.5, "successor", because
    whole = Finding(1, "X001", "x", Severity.NOTE, Peer.AGENT, *about)
    assert fields_of("finding") == set(json.loads(encode_finding(whole)))


def test_the_numbers_of_the_page_are_those_of_the_code():
    assert f"\nFormat {FORMAT}. " in PAGE
    assert f"nest deeper than {DEEPEST_MESSAGE} " in PAGE
    assert f"{LONGEST_LINE // 2**20} MiB" in PAGE
    assert f"checked in {TIME_FOR_THE_REST} seconds" in PAGE


def test_every_fixture_is_named_in_their_readme():
    readme = (FIXTURES / "README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"^\| `(.+?)` \|", readme, re.MULTILINE))
    assert named == {path.name for path in FIXTURES.iterdir()} - {"README.md"}
