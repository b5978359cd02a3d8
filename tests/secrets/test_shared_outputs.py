"""
Secrets planted anywhere in a generated conversation are in no output that is made to be shared.

Not even twelve characters of one: half a key tells which key it is, and sometimes enough to guess
the rest.
"""

import json
import os
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import effort
from support.in_process import acp_spy
from support.keys import spelled_out
from support.replays import Play

from acp_spy import load
from acp_spy.capture.codec import encode
from acp_spy.capture.records import (
    Closed,
    Delivery,
    Disconnect,
    Exit,
    Header,
    HttpExchange,
    Stderr,
)
from acp_spy.console import export
from acp_spy.live_page.live_capture import Choices, LiveCapture
from acp_spy.mcp_server.captures import Captures
from acp_spy.mcp_server.reading_tools import TOOLS
from acp_spy.replay.script import Script
from acp_spy.secrets.redactor import Masked
from acp_spy.wire.frame import Frame, Peer, Via

# By their form, so that the place does not matter.
SECRETS = [
    spelled_out(form)
    for form in (
        *("ghp_<36>", "sk-ant-api03-<95>", "sk-proj-<156>", "AKIA<upper 16>", "glpat-<20>"),
        *("xoxb-<12>-<12>-<24>", "npm_<36>", "hf_<34>", "sk_live_<24>", "AIza<35>"),
    )
]
PLACES = (
    *("command", "cwd", "note", "tool", "started", "stderr", "reason", "undelivered", "pointer"),
    *("session", "tool call", "title", "key", "method", "id", "text", "chunks", "thought", "noise"),
    *("error", "stop reason", "nested", "client info", "option", "unknown update", "file name"),
    *("delivered", "injected", "by", "script's error", "connection", "session of a stream"),
    *("path", "body", "header", "header's name", "http error", "close reason", "tool output"),
)
PIECES = st.sampled_from([" ", "", "x ", "key: ", "(", "'", "\n", "/p/", "= "])


def conversation(planted):
    """Return the records of a conversation, with what is planted by the name of its place."""

    def at(place, otherwise="x"):
        return planted.get(place, otherwise)

    def update(**fields):
        return {"method": "session/update", "params": {"sessionId": session, "update": fields}}

    def chunk(text, kind="agent_message_chunk"):
        return update(sessionUpdate=kind, content={"type": "text", "text": text})

    session = at("session", "s1")
    half = len(at("chunks")) // 2
    client, agent = Peer.CLIENT, Peer.AGENT
    said = [
        (client, {"id": 0, "method": "initialize", "params": {"protocolVersion": 1, "clientInfo": {"name": at("client info"), "version": "1"}}}),
        (agent, {"id": 0, "result": {"protocolVersion": 1}}),
        (client, {"id": 1, "method": "session/new", "params": {"cwd": "/p", "mcpServers": []}}),
        (agent, {"id": 1, "result": {"sessionId": session}}),
        (client, {"id": at("id", "2"), "method": "session/prompt", "params": {"sessionId": session, "prompt": [{"type": "text", "text": at("text")}]}}),
        (agent, chunk(at("chunks")[:half])),
        (agent, chunk(at("chunks")[half:])),
        (agent, chunk(at("thought"), "agent_thought_chunk")),
        (agent, update(sessionUpdate="tool_call", toolCallId=at("tool call", "c1"), title=at("title"), kind="odd", rawInput={at("key"): [{"x": at("nested")}], "json": json.dumps({"a": at("nested")})})),
        (agent, update(sessionUpdate=at("unknown update"), x=1)),
        (agent, {"id": 9, "method": "session/request_permission", "params": {"sessionId": session, "toolCall": {"toolCallId": at("tool call", "c1")}, "options": [{"optionId": at("option"), "name": "n", "kind": "odd"}]}}),
        (client, {"id": 9, "error": {"code": 1, "message": at("error"), "data": {at("key"): 1}}}),
        (agent, {"method": at("method"), "params": {at("key"): at("key")}}),
        (agent, {"id": at("id", "2"), "result": {"stopReason": at("stop reason")}}),
    ]  # fmt: skip
    output = at("tool output")
    cut = len(output) // 2
    said[9:9] = [
        (agent, update(sessionUpdate="tool_call_update", toolCallId=at("tool call", "c1"), rawOutput={"stdout": piece}))
        for piece in (output[:cut], output[cut:])
    ]  # fmt: skip
    lines = [(peer, json.dumps({"jsonrpc": "2.0", **message})) for peer, message in said]
    lines.append((agent, at("noise").replace("\n", " ")))
    frames = [
        Frame(seq, seq / 10, peer, line.encode() + b"\n", ("/" + at("pointer"),) * (seq == 3))
        for seq, (peer, line) in enumerate(lines, start=1)
    ]
    header = Header(
        tool=at("tool"),
        started=at("started"),
        command=("agent", at("command")),
        cwd=at("cwd"),
        note=at("note"),
    )
    via = Via("http", "post", at("connection"), at("session of a stream"))
    frames[4] = msgspec.structs.replace(frames[4], via=via)
    instead = json.dumps({"jsonrpc": "2.0", **chunk(at("delivered"))}).encode() + b"\n"
    more = at("injected").encode().replace(b"\n", b" ") + b"\n"
    around = [
        Delivery(6, 6.1, client, at("by"), "replaced", instead, ("/" + at("pointer"),)),
        Delivery(7, 6.2, client, "hold", "injected", more, error=at("script's error")),
        HttpExchange(
            *(6.3, 1, "http", "POST", at("path", "/acp")),
            request=5, status=500, body=at("body"), error=at("http error"),
            connection=at("connection"),
            session=at("session of a stream"),
            request_headers={at("header's name", "accept"): at("header")},
            response_headers={"x-trace": at("header")},
        ),
        Disconnect(6.4, 1, "http", "session", "agent", lost=True, reason=at("close reason"), error=at("http error")),
    ]  # fmt: skip
    ends = [Closed(8.0, client), Exit(9.0, 1, {at("undelivered"): 5}, at("reason"))]
    return [header, *frames, *around, Stderr(7.0, at("stderr").encode()), *ends]


SHARED = (
    *("view --format html", "view --format markdown", "view --format mermaid"),
    *("check --format github", "check --format sarif", "check --format junit"),
    *("redact --check", "redact -o new.jsonl --force", "redact --explain"),
)


def outputs(name, folder):
    """Give everything that is made to be shared of a capture, by the command that makes it."""
    for words in SHARED:
        out, err, _ = acp_spy(*words.split(), name, cwd=folder)
        if "-o" in words:
            err = err.replace("new.jsonl", "")
        yield words, out + err.replace(name, "")  # an error names the file that it is about
    yield "new.jsonl", (Path(folder) / "new.jsonl").read_text(encoding="utf-8")
    # A redacted capture is shared, and with it whatever else can be made of it.
    for words in (
        "view",
        "view --raw",
        "view --format json",
        "check",
        "why",
        "stats",
        "diff new.jsonl",
        "check --delivered",
        "diff --delivered",
    ):
        yield f"{words} of it", "".join(map(str, acp_spy(*words.split(), "new.jsonl", cwd=folder)))


def served(name, folder):
    """Give what an agent, a browser and the console's user get of a capture, by who gives it."""
    path = str(folder / name)
    captures = Captures(str(folder))
    for tool in ("list_captures", "diagnosis", "findings", "rows", "check", "stats"):
        words = {"check": {"captures": [path]}, "list_captures": {}}.get(tool, {"capture": path})
        yield f"mcp: {tool}", TOOLS[tool].call(words, captures)
    for frame in (5, 9):
        yield "mcp: frame", TOOLS["frame"].call({"capture": path, "frame": frame}, captures)
    live = LiveCapture(path, Choices())
    news = live.take()
    while not live.is_over and not live.is_idle:
        news += live.take()
    live.close()
    yield "live page", "".join(news)
    page = folder / "exported.md"
    done = export.write(path, str(page), ())
    yield "export of the console", done + page.read_text(encoding="utf-8")
    page.unlink()


@st.composite
def plantings(draw):
    places = draw(st.lists(st.sampled_from(PLACES), min_size=1, max_size=5, unique=True))
    return {
        place: f"{draw(PIECES)}{draw(st.sampled_from(SECRETS))}{draw(PIECES)}" for place in places
    }


def parts_of(planted):
    """Return any twelve characters of the secrets, of those that say something."""
    secrets = [secret for secret in SECRETS if any(secret in text for text in planted.values())]
    return {secret[at : at + 12] for secret in secrets for at in range(len(secret) - 11)}


@settings(max_examples=effort.examples(3))
@given(plantings())
def test_no_shared_output_has_twelve_characters_of_a_secret(planted):
    look_at(planted)


def test_nor_has_one_of_secrets_in_all_places_at_once():
    look_at({place: f"key: {secret} " for place, secret in zip(PLACES, SECRETS * 4, strict=False)})


@pytest.mark.parametrize("place", effort.some_of(PLACES[::4], "key"))
def test_nor_has_one_of_a_secret_in_each_single_place(place):
    look_at({place: f"key: {SECRETS[PLACES.index(place) % len(SECRETS)]} "})


@pytest.mark.parametrize("output", ["github", "sarif", "junit"])
def test_what_cannot_be_checked_is_quoted_without_its_secrets(tmp_path, output):
    (tmp_path / "odd.jsonl").write_text(f"DB_PASSWORD=hunter2 {SECRETS[0]}\n")
    run = acp_spy("check", "--format", output, "odd.jsonl", cwd=tmp_path)
    assert "line 1 is `DB_PASSWORD=redacted-variable-1 redacted-github-token-1`" in run.err
    assert SECRETS[0] in acp_spy("check", "odd.jsonl", cwd=tmp_path).err


def test_what_is_recorded_while_secrets_are_searched_for_is_left_out():
    def said(seq, text):
        update = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}
        params = {"sessionId": "s", "update": update}
        message = {"jsonrpc": "2.0", "method": "session/update", "params": params}
        return Frame(seq, seq / 10, Peer.AGENT, json.dumps(message).encode() + b"\n")

    key = SECRETS[0]
    records = [Header(), said(1, "the key: ")]
    masked = Masked(lambda: iter(records))
    records += said(2, key[:20]), said(3, key[20:])
    assert len(list(masked())) == 2


def look_at(planted):
    """Make a capture with what is `planted`, and look for it in all that is shared."""
    folder = folder_of_test()
    planted = {
        place: text.replace("\n", " ") if place == "file name" else text
        for place, text in planted.items()
    }
    name = planted.pop("file name", "run").replace("/", "-") + ".jsonl"
    sought = parts_of({**planted, "name": name})
    (folder / name).write_bytes(encode(conversation(planted)))
    for words, text in outputs(name, folder):
        found = sorted(part for part in sought if part in text)
        assert not found, (words, planted, found[:3])
    for who, text in served(name, folder):
        found = sorted(part for part in sought if part in text)
        assert not found, (who, planted, found[:3])
    once = (folder / "new.jsonl").read_bytes()
    acp_spy("redact", "new.jsonl", "-o", "again.jsonl", "--force", cwd=folder)
    assert (folder / "again.jsonl").read_bytes() == once
    (folder / name).unlink()


def folder_of_test():
    folder = Path(os.environ["ACP_SPY_TEST_FOLDER"])
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(autouse=True)
def _folder(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("ACP_SPY_TEST_FOLDER", str(tmp_path_factory.mktemp("shared")))


def test_a_redacted_capture_replays(tmp_path):
    """The live client sends what was redacted as it is."""
    planted = {"client info": SECRETS[0], "text": f"use {SECRETS[1]}", "tool call": SECRETS[2]}
    records = conversation(planted)
    (tmp_path / "run.jsonl").write_bytes(encode(records))
    acp_spy("redact", "run.jsonl", "-o", "new.jsonl", cwd=tmp_path)
    script = Script.of(load(tmp_path / "new.jsonl"), Peer.AGENT, "new.jsonl")
    sent = [each.raw for each in records if isinstance(each, Frame) and each.sender is Peer.CLIENT]
    assert Play(script).hear(*sent).player.divergences == []
