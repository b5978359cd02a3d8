"""
Secrets planted anywhere in a generated conversation are in no output that is made to be shared.

Not even twelve characters of one: half a key tells which key it is, and sometimes enough to guess
the rest.
"""

import json
import os
import re
import signal
import subprocess
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import effort
from support.in_process import acp_spy
from support.keys import spelled_out
from support.processes import ACP_SPY, DEADLINE, ECHO
from support.replays import Play

from acp_spy import AcpSpyError, assert_clean, load
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
from acp_spy.cli import console
from acp_spy.cli.remote_capture import opener
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


@settings(max_examples=effort.examples(2))
@given(plantings())
def test_no_shared_output_has_twelve_characters_of_a_secret(planted):
    look_at(planted)


def test_nor_has_one_of_secrets_in_all_places_at_once():
    look_at({place: f"key: {secret} " for place, secret in zip(PLACES, SECRETS * 4, strict=False)})


def test_nor_has_one_of_a_password_that_only_a_later_turn_names(tmp_path):
    password = "k4Jw81mZq0XtN7"
    planted = {place: f"key: {password} " for place in PLACES if place != "file name"}
    later = [
        {"id": 7, "method": "session/prompt", "params": {"sessionId": "s1", "prompt": []}},
        {"id": 8, "method": "session/new", "params": {"mcpServers": [{"env": {"A": password}}]}},
    ]
    frames = [
        Frame(seq, 7.0, Peer.CLIENT, json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        for seq, message in enumerate(later, start=90)
    ]
    *records, closed, end = conversation(planted)
    (tmp_path / "run.jsonl").write_bytes(encode([*records, *frames, closed, end]))
    for words, text in (*outputs("run.jsonl", tmp_path), *served("run.jsonl", tmp_path)):
        assert not [at for at in (0, 2) if password[at : at + 12] in text], words
    texts = [each.raw.decode() for each in load(tmp_path / "new.jsonl").frames]
    assert not [text for text in texts if '"key: k' in text or f"{password[7:]} " in text]


@pytest.mark.parametrize("place", effort.some_of(PLACES[::4], "key"))
def test_nor_has_one_of_a_secret_in_each_single_place(place):
    look_at({place: f"key: {SECRETS[PLACES.index(place) % len(SECRETS)]} "})


@pytest.mark.parametrize("words", [words for words in SHARED if words != "redact --check"])
def test_what_cannot_be_read_is_quoted_without_its_secrets(tmp_path, words):
    (tmp_path / "odd.jsonl").write_text(f"DB_PASSWORD=hunter2 {SECRETS[0]}\n")
    run = acp_spy(*words.split(), "odd.jsonl", cwd=tmp_path)
    assert "line 1 is `DB_PASSWORD=redacted-variable-1 redacted-github-token-1`" in run.err
    assert SECRETS[0] in acp_spy("check", "odd.jsonl", cwd=tmp_path).err


@pytest.mark.parametrize("words", ["check --format github", "view --format html -o page.html"])
def test_what_is_quoted_is_masked_before_it_is_cut(tmp_path, words):
    """Without its host, which is cut off, the URL would not show that it has a password."""
    url = "postgres://alice:k7Jm2x9Qpw5tLz8@db.example.com:5432/shop"
    (tmp_path / "odd.jsonl").write_text(f"DATABASE_URL={url}\n")
    run = acp_spy(*words.split(), "odd.jsonl", cwd=tmp_path)
    assert "line 1 is `DATABASE_URL=postgres://alice:redacted-url-password-1@db.exa" in run.err
    with pytest.raises(AcpSpyError) as caught:
        assert_clean(tmp_path / "odd.jsonl")
    assert "alice:redacted-url-password-1@" in str(caught.value)


def test_two_secrets_in_two_messages_have_two_placeholders(tmp_path):
    for name, password in (("a", "hunter2"), ("b", "hunter3"), ("c", "hunter2")):
        (tmp_path / f"{name}.jsonl").write_text(f"DB_PASSWORD={password}\n")
    run = acp_spy("check", "--format", "junit", "a.jsonl", "b.jsonl", "c.jsonl", cwd=tmp_path)
    assert re.findall("redacted-variable-.", run.err) == [
        f"redacted-variable-{number}" for number in (1, 2, 1)
    ]


@pytest.mark.parametrize("words", SHARED)
def test_a_file_that_is_missing_is_named_without_its_secret(tmp_path, words):
    run = acp_spy(*words.split(), f"{SECRETS[0]}.jsonl", cwd=tmp_path)
    assert "redacted-github-token-1.jsonl`" in run.err
    assert SECRETS[0] not in run.out + run.err


@pytest.mark.parametrize("beside", ["full", "concise", "json"])
def test_what_is_printed_beside_a_report_that_is_shared_has_no_secrets_either(tmp_path, beside):
    """`--format full --format sarif:FILE` is what CI runs, and its log has the first one."""
    name = f"{SECRETS[1]}.jsonl"
    planted = {"tool call": SECRETS[0], "stop reason": SECRETS[0], "text": SECRETS[0]}
    (tmp_path / name).write_bytes(encode(conversation(planted)))
    run = acp_spy("check", "--format", beside, "--format", "sarif:a.sarif", name, cwd=tmp_path)
    assert "redacted-github-token-1" in run.out
    assert not [part for part in parts_of({**planted, "name": name}) if part in run.out + run.err]
    assert SECRETS[0] in acp_spy("check", "--format", beside, name, cwd=tmp_path).out


def test_a_capture_that_was_not_named_is_named_without_its_secret(tmp_path):
    (tmp_path / f"{SECRETS[0]}.jsonl").write_bytes(encode(conversation({})))
    env = {"ACP_SPY_DIR": str(tmp_path)}
    run = acp_spy("check", "--format", "github", cwd=tmp_path, env=env)
    assert "redacted-github-token-1.jsonl" in run.err
    assert SECRETS[0] not in run.out + run.err


def test_an_assertion_of_a_test_has_no_secrets(tmp_path):
    servers = [{"name": "x", "command": "y", "args": [], "env": [{"name": "A", "value": PASSWORD}]}]
    planted = {"reason": f"{SECRETS[0]} {PASSWORD}"}
    capture = tmp_path / "run.jsonl"
    records = conversation(planted)
    new = json.dumps({"jsonrpc": "2.0", "id": 8, "method": "session/new", "params": {"cwd": "/p", "mcpServers": servers}})  # fmt: skip
    records.insert(3, Frame(99, 0.2, Peer.CLIENT, new.encode() + b"\n"))
    capture.write_bytes(encode(records))
    for each in (capture, load(capture)):
        with pytest.raises(AssertionError) as failure:
            assert_clean(each)
        assert "redacted-github-token-1 redacted-env-1" in str(failure.value)
        assert PASSWORD not in str(failure.value)
    (tmp_path / "odd.jsonl").write_text(f"DB_PASSWORD=hunter2 {SECRETS[0]}\n")
    with pytest.raises(AcpSpyError) as error:
        assert_clean(tmp_path / "odd.jsonl")
    assert "redacted-variable-1 redacted-github-token-1" in str(error.value)


def test_an_assertion_of_a_test_has_no_secret_of_the_command(tmp_path):
    capture = tmp_path / "run.jsonl"
    planted = {"command": f"--api-key={PASSWORD}", "reason": f"no {PASSWORD}"}
    capture.write_bytes(encode(conversation(planted)))
    for each in (capture, load(capture)):
        with pytest.raises(AssertionError) as failure:
            assert_clean(each)
        assert "no redacted-secret-1" in str(failure.value)


# Known by its place alone.
PASSWORD = "k4Jw81mZq0Xt"


def recorded(folder, *words, stdin=b"", status=None):
    """Record with `--redact` into `folder`; return what acp-spy itself said on stderr."""
    run = subprocess.run(
        [*ACP_SPY, *words],
        cwd=folder,
        input=stdin,
        capture_output=True,
        timeout=DEADLINE,
        env={**os.environ, "ACP_SPY_DIR": str(folder / "captures")},
        check=False,
    )
    assert status in (None, run.returncode)
    return run.stderr.decode()


def test_the_name_of_a_recording_has_no_secret_of_its_command(tmp_path):
    program = tmp_path / f"agent-{SECRETS[0]}"
    program.write_text("#!/bin/sh\ncat\n")
    program.chmod(0o755)
    said = recorded(tmp_path, "--redact", "-v", "--", str(program), status=0)
    said += recorded(tmp_path, "--redact", "-v", "--", "env", "--token", PASSWORD, status=125)
    said += recorded(tmp_path, "--redact", "--", f"./none-{SECRETS[1]}", status=127)
    assert "command not found: `./none-redacted-anthropic-key-1`" in said
    names = sorted(name.split("-", 1)[1] for name in os.listdir(tmp_path / "captures"))
    ours = [name.rpartition("-")[0] for name in names]
    assert ours == ["agent-redacted-github-token-1", "none-redacted-anthropic-key-1", "redacted-secret-1"]  # fmt: skip
    for text in (SECRETS[0], SECRETS[1], PASSWORD):
        assert text not in said


def test_a_script_that_fails_to_load_is_explained_without_its_secrets(tmp_path):
    (tmp_path / "s.py").write_text(f"raise RuntimeError('{SECRETS[0]}')\n")
    said = recorded(tmp_path, "--redact", "-s", "s.py", "--", *ECHO, status=2)
    assert "RuntimeError: redacted-github-token-1" in said
    assert SECRETS[0] in recorded(tmp_path, "-s", "s.py", "--", *ECHO, status=2)


def test_what_a_bridge_says_of_a_refusal_has_no_secrets(tmp_path):
    """Neither those of the response, nor one that the conversation has revealed, nor the URL's."""
    env = [{"name": "API_TOKEN", "value": PASSWORD}]
    servers = [{"name": "x", "command": "y", "args": [], "env": env}]
    messages = [
        {"id": 0, "method": "session/new", "params": {"cwd": "/p", "mcpServers": servers}},
        {"method": SECRETS[3], "params": {}},
    ]
    stdin = b"".join(json.dumps({"jsonrpc": "2.0", **each}).encode() + b"\n" for each in messages)
    path = f"v1/{SECRETS[2]}/acp"
    with refusing(f"wrong key {SECRETS[0]}, not {PASSWORD}") as address:
        url = f"http://{address}/{path}"
        said = recorded(tmp_path, "--redact", "--", url, stdin=stdin)
    said += recorded(tmp_path, "--redact", "--", f"http://{address}/{path}", stdin=stdin)
    said += recorded(tmp_path, "--redact", "--", f"ws://{address}/{path}", stdin=stdin)
    assert "HTTP 401: wrong key redacted-github-token-1, not redacted-env-1" in said
    assert "/v1/redacted-openai-key-" in said
    planted = {str(index): SECRETS[index] for index in (0, 2, 3)}
    assert not [part for part in parts_of(planted) if part in said]
    assert PASSWORD not in said


@pytest.mark.parametrize("command", ["http", "serve"])
def test_what_a_server_says_has_no_secrets(tmp_path, command):
    program = tmp_path / f"agent-{SECRETS[0]}"
    program.write_text("#!/bin/sh\nread line\n")  # refused at once: silence would take a minute
    program.chmod(0o755)
    words = {
        "http": ["http", "--redact", "--target", f"http://127.0.0.1:1/{SECRETS[0]}/acp"],
        "serve": ["serve", "--redact", "-v", "--", str(program)],
    }[command]
    env = {**os.environ, "ACP_SPY_DIR": str(tmp_path / "captures")}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([*ACP_SPY, *words], **pipes, env=env, text=True) as server:
        url = urlsplit(server.stdout.readline().strip())
        for headers in ({"Origin": f"https://{SECRETS[1]}.example"}, {}):
            client = HTTPConnection(url.hostname, url.port, timeout=DEADLINE)
            body = '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}'
            client.request("POST", url.path, body, {"content-type": "application/json", **headers})
            client.getresponse().read()
            client.close()
        server.send_signal(signal.SIGTERM)
        said = server.communicate(timeout=DEADLINE)[1]
    assert "https://redacted-anthropic-key-1.example` is not allowed" in said
    said += "".join(os.listdir(tmp_path / "captures"))
    assert not [part for part in parts_of({"0": SECRETS[0], "1": SECRETS[1]}) if part in said]


def test_what_a_server_says_has_no_secrets_of_any_conversation(tmp_path, monkeypatch):
    said = []
    monkeypatch.setattr(console, "_say", said.append)
    monkeypatch.setattr(console, "_mask", None)
    open_tap = opener("", str(tmp_path), ["agent"], redact=True)
    env = [{"name": "API_TOKEN", "value": PASSWORD}]
    message = {"method": "session/new", "params": {"mcpServers": [{"env": env}]}}
    first = open_tap()
    first.redactor.record(Frame(1, 0.1, Peer.CLIENT, json.dumps(message).encode() + b"\n"))
    second = open_tap()
    console.note(f"cannot send {PASSWORD} and {SECRETS[0]}")
    first.close()
    second.close()
    assert said == [b"acp-spy: cannot send redacted-env-1 and redacted-github-token-1\n"]


@pytest.mark.parametrize("words", ["check", "check --format sarif", "view --format html"])
def test_an_error_about_the_settings_has_no_secrets(tmp_path, words):
    """Before they are read nobody knows whether what `check` prints is to be shared."""
    (tmp_path / "run.jsonl").write_bytes(encode(conversation({})))
    (tmp_path / "acp-spy.toml").write_text(f'select = ["{SECRETS[0]}"]\n')
    run = acp_spy(*words.split(), "run.jsonl", cwd=tmp_path)
    assert run.status == 2
    assert "redacted-github-token-1" in run.err
    assert not [part for part in parts_of({"": SECRETS[0]}) if part in run.out + run.err]


@pytest.mark.parametrize(
    "words",
    [
        *("check --spec KEY run.jsonl", "view --format KEY", "redact --KEY run.jsonl"),
        *("--redact --outpt=KEY -- agent", "--redact agent --token KEY", "--redact -- view KEY"),
    ],
)
def test_an_error_about_a_command_line_has_no_secrets(words):
    run = acp_spy(*words.replace("KEY", SECRETS[0]).split())
    assert run.status == 2
    assert "redacted-" in run.err
    assert not [part for part in parts_of({"": SECRETS[0]}) if part in run.err]


def test_an_error_about_a_filter_of_a_page_has_no_secrets(tmp_path):
    run = acp_spy("view", "--format", "html", "x.jsonl", f"method:{SECRETS[0]}", "7", cwd=tmp_path)
    assert run.status == 2
    run = acp_spy("view", "--format", "html", "x.jsonl", f"{SECRETS[0]}:x", cwd=tmp_path)
    assert not [part for part in parts_of({"": SECRETS[0]}) if part in run.out + run.err]


FILTERS = [
    *(("text:KEY", "text", secret) for secret in (SECRETS[0], PASSWORD)),
    *(("session:KEY", "session", SECRETS[1]), ("session:*KEY", "session", SECRETS[1])),
    *(("tool:KEY", "tool call", SECRETS[3]), ("method:KEY", "method", SECRETS[4])),
]
FILTERED = [(form, each) for form in ("html", "markdown", "mermaid") for each in FILTERS]


# Each filter, and each format: they do not know of each other.
@pytest.mark.parametrize(
    "filtered", effort.some_of(FILTERED, *FILTERED[:6], FILTERED[6 + 3], FILTERED[12 + 1])
)
def test_a_page_is_filtered_by_what_is_masked_on_it(tmp_path, filtered):
    """The page says how it was filtered, and the rows that it has are masked."""
    form, (token, place, secret) = filtered
    planted = {place: secret, "command": f"--password={PASSWORD}"}
    (tmp_path / "run.jsonl").write_bytes(encode(conversation(planted)))
    token = token.replace("KEY", secret)
    whole = acp_spy("view", "run.jsonl", "--format", form, cwd=tmp_path)
    part = acp_spy("view", "run.jsonl", token, "--format", form, cwd=tmp_path)
    rest = acp_spy("view", "run.jsonl", f"-{token}", "--format", form, cwd=tmp_path)
    for run in (part, rest):
        assert not run.status
        assert not [piece for piece in parts_of({"": secret}) if piece in run.out + run.err]
        assert secret not in run.out + run.err
    nothing = acp_spy("view", "run.jsonl", "text:no such words", "--format", form, cwd=tmp_path)
    assert len(nothing.out) < len(part.out) < len(whole.out)
    assert len(rest.out) < len(whole.out)


def test_the_export_of_the_console_has_no_secret_of_its_filter(tmp_path):
    (tmp_path / "run.jsonl").write_bytes(encode(conversation({"text": SECRETS[0]})))
    page = tmp_path / "page.html"
    assert export.write(str(tmp_path / "run.jsonl"), str(page), [f"text:{SECRETS[0]}"])[:2] == "1 "
    assert '"filter":"text:redacted-github-token-1"' in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("token", ["text:WORD", "-text:WORD", "text:is WORD now"])
@pytest.mark.parametrize("word", ["hunter2", "HUNTER2", "s3cr3t!pass"])
def test_a_weak_password_alone_is_masked_in_the_filter_that_a_page_shows(tmp_path, token, word):
    planted = {"stderr": f"DB_PASSWORD={word.lower()}\n"}
    (tmp_path / "run.jsonl").write_bytes(encode(conversation(planted)))
    token = token.replace("WORD", word)
    run = acp_spy("view", "run.jsonl", token, "--format", "html", cwd=tmp_path)
    assert word.lower() not in run.out.lower()
    assert "redacted-variable-1" in run.out


def test_what_a_mock_says_to_a_test_has_no_secrets_not_even_those_known_by_their_place(tmp_path):
    """As the pytest plugin runs it: what is in the verdict is in the log of the test."""

    def said(password, *texts):
        env = [{"name": "DB", "value": password}]
        args = ["--password", password]
        servers = [{"name": "x", "command": "y", "args": args, "env": env}]
        prompts = [{"type": "text", "text": text} for text in texts]
        return [
            {"id": 0, "method": "initialize", "params": {"protocolVersion": 1}},
            {"id": 1, "method": "session/new", "params": {"cwd": "/p", "mcpServers": servers}},
            {"id": 2, "method": "session/prompt", "params": {"sessionId": "s", "prompt": prompts}},
        ]

    answers = [{"protocolVersion": 1}, {"sessionId": "s"}, {"stopReason": "end_turn"}]
    old, new = "hunter2", "swordfish3"
    lines = []
    for message, result in zip(said(old, PASSWORD), answers, strict=True):
        lines += [(Peer.CLIENT, message), (Peer.AGENT, {"id": message["id"], "result": result})]
    frames = [
        Frame(seq, 0.1, peer, json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        for seq, (peer, message) in enumerate(lines, start=1)
    ]
    (tmp_path / "run.jsonl").write_bytes(encode([Header(), *frames]))
    live = [json.dumps({"jsonrpc": "2.0", **each}) for each in said(new, SECRETS[0])]
    live[1] = f"a log line, {SECRETS[0]} {live[1]}"
    stdin = "".join(f"{line}\n" for line in live).encode()
    shown = (
        '- /params/mcpServers/0/args/1: "redacted-',
        '+ /params/mcpServers/0/args/1: "redacted-',
        '- /params/mcpServers/0/env/0/value: "redacted-',
        '+ /params/mcpServers/0/env/0/value: "redacted-',
    )
    for match in ("exact", "prompt"):  # as a divergence, and as a note
        words = ("run.jsonl", "--match", match, "--verdict", f"{match}.jsonl")
        text = recorded(tmp_path, "replay", "agent", *words, "--quiet", stdin=stdin, status=1)
        text += (tmp_path / f"{match}.jsonl").read_text().replace('\\"', '"')
        assert not [line for line in shown if line not in text]
        assert not [secret for secret in (old, new, SECRETS[0][:12]) if secret in text]
    assert new in recorded(tmp_path, "replay", "agent", *words, stdin=stdin, status=1)


@contextmanager
def refusing(body):
    """Serve HTTP that refuses every request with a 401 and `body`; give its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["content-length"]))
            self.send_response(401)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


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
