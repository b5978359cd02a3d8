"""Every format holds the same conversation, and it comes out the same."""

import io
import json

import pytest
from support.foreign import FOLDER, talk

from acp_spy.capture.codec import decode, encode
from acp_spy.capture.files import load
from acp_spy.capture.foreign import ndjson
from acp_spy.capture.foreign.detect import detect
from acp_spy.capture.foreign.known import FORMATS
from acp_spy.capture.foreign.read import read_foreign
from acp_spy.capture.foreign.source import Source
from acp_spy.capture.records import Stderr
from acp_spy.wire.frame import Peer
from acp_spy.wire.jsonrpc import read_message

PLAIN = FOLDER / "ndjson.ndjson"
SENDERS = ["client", "agent"] * 3 + ["agent", "client", "agent", "client", "agent"]
FILES = {
    "ndjson.ndjson": "ndjson",
    "conductor.jsons": "conductor",
    "conductor-proxy.jsons": "conductor",
    "sacp-tee.log": "sacp-tee",
    "sacp-tee-json.jsonl": "sacp-tee-json",
    "acp-devtools.json": "acp-devtools",
    "zed.json": "zed",
    "acp-inspector.jsonl": "acp-inspector",
    "acp-inspector-two-connections.jsonl": "acp-inspector",
    "gptme.log": "gptme",
    "python-sdk.jsonl": "python-sdk",
    "python-sdk-repr.log": "python-sdk",
    "odd-bom.ndjson": "ndjson",
    "odd-crlf.log": "sacp-tee",
}
VERBATIM = {"ndjson", "sacp-tee", "acp-devtools", "acp-inspector"}
LOST_CODES = {"sacp-tee-json"}


def conversation():
    """Return the conversation as it is meant: the messages as they stand in plain NDJSON."""
    said = list(zip(SENDERS, map(json.loads, PLAIN.read_text().splitlines()), strict=True))
    return said, PLAIN.read_bytes().splitlines(keepends=True)


def test_every_format_has_a_file():
    assert set(FILES.values()) == {each.name for each in FORMATS}


@pytest.mark.parametrize(("name", "form"), FILES.items())
def test_the_format_is_found_out(name, form):
    with (FOLDER / name).open("rb") as file:
        assert detect(Source(name, file)).name == form


@pytest.mark.parametrize(("name", "form"), FILES.items())
def test_the_conversation_is_the_same(name, form):
    said, lines = conversation()
    capture = load(FOLDER / name)
    assert [frame.sender.value for frame in capture.frames] == SENDERS
    assert [frame.seq for frame in capture.frames] == list(range(1, 12))
    found = talk(capture.frames)
    expected = talk(load(PLAIN).frames)
    if form in LOST_CODES:
        assert found[-1][1].pop("error") == {
            "code": -32603,
            "message": "Invalid params: no such mode",
        }
        del expected[-1][1]["error"]
    assert found == expected
    if form in VERBATIM:
        assert [frame.raw for frame in capture.frames] == lines
        assert [(frame.sender.value, json.loads(frame.raw)) for frame in capture.frames] == said


@pytest.mark.parametrize("name", FILES)
def test_it_can_be_kept_as_a_capture(name, tmp_path):
    capture = load(FOLDER / name)
    (tmp_path / "run.jsonl").write_bytes(encode([capture.header, *capture.records]))
    assert load(tmp_path / "run.jsonl") == capture
    assert decode(encode([capture.header])) == capture.header


TIMES = [0.0, 0.001, 0.002, 0.003, 2.258, 3.073, 3.074, 4.148, 4.208, 4.948, 4.949]


@pytest.mark.parametrize(
    ("name", "first", "started"),
    [
        ("conductor.jsons", 0.052, ""),
        ("acp-devtools.json", 0.052, "2026-01-05T09:30:00.250000Z"),
        ("acp-inspector.jsonl", 0.0, "2026-01-05T09:30:00.302000Z"),
        ("acp-inspector-two-connections.jsonl", 0.0, "2026-01-05T09:30:00.302000Z"),
        ("sacp-tee-json.jsonl", 0.0, "2026-01-05T09:30:00.302117Z"),
        ("python-sdk.jsonl", 0.0, ""),
        ("python-sdk-repr.log", 0.0, ""),
        ("gptme.log", 0.042, ""),
    ],
)
def test_times_are_kept(name, first, started):
    capture = load(FOLDER / name)
    assert capture.header.started == started
    times = [frame.t for frame in capture.frames]
    assert times[0] == first
    assert [round(t - first, 3) for t in times] == TIMES


@pytest.mark.parametrize("name", ["ndjson.ndjson", "sacp-tee.log", "zed.json"])
def test_without_times_all_are_0(name):
    assert {record.t for record in load(FOLDER / name).records} == {0.0}


def test_stderr_is_kept():
    assert [r for r in load(FOLDER / "zed.json").records if isinstance(r, Stderr)] == [
        Stderr(0.0, b"example-agent is ready\n")
    ]
    assert [r for r in load(FOLDER / "gptme.log").records if isinstance(r, Stderr)] == [
        Stderr(
            0.0,
            b"2026-01-05 09:30:00,260 - __main__ - INFO - Starting gptme ACP agent (v0.35.1)...\n",
        ),
        Stderr(2.99, b"2026-01-05 09:30:03,250 - gptme.acp.agent - INFO - Processing prompt\n"),
    ]


def test_the_command_is_kept():
    assert load(FOLDER / "acp-devtools.json").header.command == ("example-agent", "--acp")


# ----------------------------------------------------------------------------- notes


def test_the_note_says_what_was_lost():
    for name, form in FILES.items():
        (declared,) = (each for each in FORMATS if each.name == form)
        note = load(FOLDER / name).header.note
        assert note.startswith(f"imported from {declared.title}")
        assert f"; lost: {declared.lost}" in note


@pytest.mark.parametrize(
    ("name", "remark"),
    [
        ("ndjson.ndjson", ""),
        ("ndjson-agent-only.ndjson", "it holds one stream only, the agent's"),
        ("ndjson-client-only.ndjson", "it holds one stream only, the client's"),
        ("odd-latin-1.ndjson", "lines that are not messages, taken as the agent's: 1"),
        (
            "conductor-proxy.jsons",
            "messages between proxies left out: 8; messages of MCP left out: 2",
        ),
        ("sacp-tee-json.jsonl", "errors whose code the log lost, read as -32603: 1"),
        (
            "acp-inspector-two-connections.jsonl",
            "frames dropped before the export: 4; frames of other connections than 2 left out: 2",
        ),
        ("gptme-cut.log", "messages that the log cut, closed where it stopped: 1"),
    ],
)
def test_the_note_says_what_happened_on_the_way(name, remark):
    note = load(FOLDER / name).header.note
    assert note.rpartition("exit")[2] == (f"; {remark}" if remark else "")


# ----------------------------------------------------------------------------- odd ones


@pytest.mark.parametrize("sender", ["agent", "client"])
def test_a_stream_alone_is_its_senders(sender):
    capture = load(FOLDER / f"ndjson-{sender}-only.ndjson")
    assert {frame.sender.value for frame in capture.frames} == {sender}
    whole = (FOLDER / f"ndjson-{sender}-only.ndjson").read_bytes()
    assert b"".join(frame.raw for frame in capture.frames) == whole


def test_what_acpx_prints_is_read():
    path = FOLDER / "real-acpx.ndjson"
    capture = load(path)
    senders = "".join(frame.sender.value[0] for frame in capture.frames)
    assert senders == "cacacaaca"  # as the proxy recorded it at the same time
    assert b"".join(frame.raw for frame in capture.frames) == path.read_bytes()


def test_what_gptme_writes_is_read():
    capture = load(FOLDER / "real-gptme.log")
    output = [(s, m.get("method", "response"), m.get("id")) for s, m in map(spoken, capture.frames)]
    assert output == [
        ("client", "initialize", 0),
        ("agent", "response", 0),
        ("client", "session/new", 1),
        ("agent", "response", 1),
        ("agent", "session/update", None),
        ("agent", "session/update", None),
        ("client", "session/prompt", "p-1"),
        ("agent", "session/update", None),
        ("agent", "response", "p-1"),
    ]
    assert capture.header.note.endswith("closed where it stopped: 5")
    assert capture.frames[-1].t == 23.546
    assert len(capture.records) - len(capture.frames) == 12


def spoken(frame):
    return frame.sender.value, json.loads(frame.raw)


def test_a_torn_last_line_is_passed_over():
    whole = load(FOLDER / "conductor.jsons")
    assert load(FOLDER / "odd-truncated.jsons").records == whole.records[:-1]


def test_what_is_no_utf8_is_kept():
    lines = (FOLDER / "odd-latin-1.ndjson").read_bytes().splitlines(keepends=True)
    assert [frame.raw for frame in load(FOLDER / "odd-latin-1.ndjson").frames] == lines
    assert b"All\xf4" in lines[5]


def test_a_file_of_both_peers_is_read_twice_and_its_messages_are_understood_once(monkeypatch):
    read = []
    monkeypatch.setattr(
        ndjson, "read_message", lambda line: read.append(line) or read_message(line)
    )
    lines = [b'{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}\n', *[b"{}\n"] * 100]
    records = list(read_foreign("x", io.BytesIO(b"".join(lines)), form="ndjson"))
    assert [record.raw for record in records[1:]] == lines
    assert [record.sender for record in records[1:]] == [Peer.CLIENT, *[Peer.AGENT] * 100]
    assert "lines that are not messages, taken as the agent's: 100" in records[0].note
    assert len(read) == len(lines)


def test_what_was_added_to_a_file_while_it_was_read_is_read_as_well():
    file = io.BytesIO(b'{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}\n{}\n')
    records = read_foreign("x", file, form="ndjson")
    next(records)
    file.seek(0, io.SEEK_END)
    file.write(b'{"jsonrpc":"2.0","id":1,"method":"session/new","params":{}}\n')
    assert [record.sender for record in records] == [Peer.CLIENT, Peer.AGENT, Peer.CLIENT]
