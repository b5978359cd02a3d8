"""Conversations that end before they are redacted: no other waits, and each capture is complete."""

import json
import os
import signal
import subprocess
import sys
from contextlib import ExitStack, closing, contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count, product
from threading import Thread
from urllib.parse import urlsplit

import pytest
from support import effort
from support.in_process import acp_spy
from support.keys import spelled_out
from support.processes import ACP_SPY, DEADLINE, SLOW_TO_REDACT, children, python, until

from acp_spy import Exit, load
from acp_spy.capture.folder import is_running
from acp_spy.engine.tap import END_LEFT_OUT, STILL_REDACTING

GITHUB = spelled_out("ghp_<36>")
LARGE = f"{GITHUB} {'word ' * 4000}"
AGENT = [sys.executable, "-m", "acp_spy.demo.agent"]
CLIENT = [sys.executable, "-m", "acp_spy.demo.client"]
RESPONDER = python(
    """
    import json, sys
    for line in sys.stdin:
        message = {"jsonrpc": "2.0", "id": json.loads(line)["id"], "result": {"protocolVersion": 1}}
        print(json.dumps(message), flush=True)
    """
)


class Echo(BaseHTTPRequestHandler):
    """An agent that responds with what it gets; each `initialize` has another connection."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        connection = self.headers["Acp-Connection-Id"] or f"c-{next(self.server.numbers)}"
        self.respond(200, body, connection)

    def do_DELETE(self):
        self.respond(202, b"", self.headers["Acp-Connection-Id"])

    def respond(self, status, body, connection):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Acp-Connection-Id", connection)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture
def target():
    with ThreadingHTTPServer(("127.0.0.1", 0), Echo) as server:
        server.daemon_threads = True
        server.numbers = count(1)
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/acp"
        server.shutdown()


@contextmanager
def started(words, folder, command=SLOW_TO_REDACT):
    """Start a command that serves, in `folder`; give it, and its URL."""
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [*command, *words], stdout=pipe, stderr=pipe, text=True, cwd=folder
    ) as process:
        try:
            url = process.stdout.readline().strip()
            process.stderr.readline()  # where to
            yield process, url
        finally:
            process.kill()


class Client:
    """One connection, which is a conversation once it is initialized."""

    def __init__(self, url):
        where = urlsplit(url)
        self.path, self.headers = where.path, {"Content-Type": "application/json"}
        self.connection = HTTPConnection(where.netloc, timeout=DEADLINE)
        self.close = self.connection.close
        self.send("initialize", {"protocolVersion": 1, "clientCapabilities": {}})

    def send(self, method, params):
        """Send a request; return the body of the response to the POST."""
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        return self._request("POST", json.dumps(message))

    def end(self):
        """End the conversation."""
        self._request("DELETE")

    def _request(self, method, body=None):
        self.connection.request(method, self.path, body, self.headers)
        response = self.connection.getresponse()
        assert response.status in (200, 202)
        if connection := response.headers["Acp-Connection-Id"]:
            self.headers["Acp-Connection-Id"] = connection
        return response.read().decode()


def large_texts(path):
    return [frame for frame in load(path).frames if len(frame.raw) > 10_000]


@pytest.mark.long
def test_no_conversation_waits_until_one_that_has_ended_is_redacted(target, tmp_path):
    names = ["run.jsonl", "run-2.jsonl", "run-3.jsonl"]
    redacted = [tmp_path / name for name in names]
    (tmp_path / "plain").mkdir()
    with ExitStack() as stack:
        words = ["http", "--no-check", "-o", "plain/run.jsonl", "--target", target]
        plain, url = stack.enter_context(started(words, tmp_path, ACP_SPY))
        words = ["http", "--no-check", "--redact", "-o", "run.jsonl", "--target", url]
        proxy, url = stack.enter_context(started(words, tmp_path))
        first, second = (stack.enter_context(closing(Client(url))) for _ in range(2))
        assert LARGE in first.send("session/prompt", {"text": LARGE})
        first.send("session/cancel", {"t": GITHUB})
        first.end()
        for number in range(5):
            assert GITHUB in second.send("x", {"number": number, "t": GITHUB})
        # One that has begun anew under the same id.
        assert GITHUB in first.send("x", {"t": GITHUB})
        first.end()
        until(lambda: load(redacted[2]).exit, "the third has ended")
        assert len(load(redacted[1]).frames) == 12
        assert (large_texts(redacted[0]), load(redacted[0]).exit) == ([], None)
        assert is_running(redacted[0])
        (tmp_path / "go").touch()
        until(lambda: not is_running(redacted[0]), "the first is complete")
        assert isinstance(load(redacted[0]).records[-1], Exit)
        second.end()
        for process in (proxy, plain):
            process.send_signal(signal.SIGTERM)
            assert process.wait(DEADLINE) == 0
        assert proxy.stderr.read() == ""
    for path in redacted:
        again = tmp_path / f"again-{path.name}"
        source = tmp_path / "plain" / path.name
        assert acp_spy("redact", source, "-o", again).status == 0
        assert seen(path) == seen(again)
        assert GITHUB not in path.read_text(encoding="utf-8")
    assert len(large_texts(redacted[0])) == 2


def seen(path):
    """Return what a capture has, but for times."""
    capture = load(path)
    frames = [(frame.seq, frame.sender, frame.raw, frame.redacted) for frame in capture.frames]
    return [type(record) for record in capture.records], frames


@pytest.mark.long
def test_a_served_agent_is_served_on_while_a_conversation_that_has_ended_is_redacted(tmp_path):
    capture = tmp_path / "run.jsonl"
    words = ["serve", "--no-check", "--redact", "-o", "run.jsonl", "--", *AGENT]
    with started(words, tmp_path) as (process, url):
        with closing(Client(url)) as client:
            client.send("session/prompt", {"text": LARGE})
            client.end()
        bridge = [*ACP_SPY, "--no-check", "-o", str(tmp_path / "bridge.jsonl"), "--", url]
        for _ in range(2):
            subprocess.run([*CLIENT, *bridge], timeout=DEADLINE, check=True)
        for number in (2, 3):
            other = tmp_path / f"run-{number}.jsonl"
            until(lambda other=other: load(other).exit, "the agent has ended")
            assert len(load(other).frames) > 8
        assert load(capture).exit is None
        (tmp_path / "go").touch()
        process.send_signal(signal.SIGTERM)
        assert process.wait(DEADLINE) == 0
    assert len(large_texts(capture)) == 1
    assert load(capture).exit is not None


def test_the_recording_goes_on_without_a_checker_that_was_killed(target, tmp_path):
    capture = tmp_path / "run.jsonl"
    words = ["http", "--redact", "-o", "run.jsonl", "--target", target]
    with started(words, tmp_path) as (process, url), closing(Client(url)) as client:
        (checker,) = children(process.pid)
        os.kill(checker, signal.SIGKILL)
        said = process.stderr.readline()
        client.send("session/prompt", {"text": LARGE})
        client.send("x", {})
        client.end()
        (tmp_path / "go").touch()
        until(lambda: not is_running(capture), "the capture is complete")
        process.send_signal(signal.SIGTERM)
        assert process.wait(DEADLINE) == 0
    complaint = "checking stopped: the checker was killed; the recording is not affected"
    assert said == f"acp-spy: {complaint}\n"
    assert len(load(capture).frames) == 6
    assert load(capture).exit is not None


def commands(target):
    """Return both commands that serve: how they begin and end."""
    return {"http": (["http"], ["--target", target]), "serve": (["serve"], ["--", *RESPONDER])}


@pytest.mark.parametrize("name", effort.some_of(["http", "serve"], "http"))
def test_a_signal_waits_until_all_is_redacted_and_checked_and_says_so(name, target, tmp_path):
    begin, end = commands(target)[name]
    ended, running = tmp_path / "run.jsonl", tmp_path / "run-2.jsonl"
    with started([*begin, "-v", "--redact", "-o", "run.jsonl", *end], tmp_path) as (process, url):
        for is_ended in (True, False):
            with closing(Client(url)) as client:
                client.send("session/prompt", {"text": LARGE})
                if is_ended:
                    client.end()
        process.send_signal(signal.SIGTERM)
        said = []
        until(lambda: said.append(process.stderr.readline()) or STILL_REDACTING in said[-1], "it")
        assert (large_texts(ended), large_texts(running)) == ([], [])
        (tmp_path / "go").touch()
        rest = process.stderr.read()
        assert process.wait(DEADLINE) == 0
    assert STILL_REDACTING not in rest
    assert rest.endswith("acp-spy: conversations: 2\n")
    for path in (ended, running):
        assert not is_running(path)
        (large, *_) = large_texts(path)
        assert GITHUB not in path.read_text(encoding="utf-8")
        # It has no `sessionId`, which is found when it is written.
        assert f"{path.name}: frame {large.seq}: error " in rest
        records = map(json.loads, path.read_text(encoding="utf-8").splitlines())
        found = [each["seq"] for each in records if each["type"] == "finding"]
        assert large.seq in found
    assert load(ended).exit is not None
    assert (load(running).exit is None) == (name == "http")  # only an agent of ours ends with us


@pytest.mark.parametrize("name", effort.some_of(["http", "serve"], "http"))
def test_a_second_signal_leaves_out_what_is_not_redacted(name, target, tmp_path):
    begin, end = commands(target)[name]
    words = [*begin, "--no-check", "--redact", "-o", "run.jsonl", *end]
    with started(words, tmp_path) as (process, url):
        for large in (True, False):
            with closing(Client(url)) as client:
                client.send("session/prompt", {"text": LARGE if large else "small"})
                client.end()
        until(lambda: load(tmp_path / "run-2.jsonl").exit, "the second has ended")
        process.send_signal(signal.SIGINT)
        assert process.stderr.readline() == f"acp-spy: {STILL_REDACTING}\n"
        process.send_signal(signal.SIGINT)
        assert process.stderr.read() == f"acp-spy: {END_LEFT_OUT}\n"
        assert process.wait(DEADLINE) == 0
    cut, whole = load(tmp_path / "run.jsonl"), load(tmp_path / "run-2.jsonl")
    assert (large_texts(tmp_path / "run.jsonl"), cut.exit) == ([], None)
    assert not is_running(tmp_path / "run.jsonl")
    assert len(whole.frames) >= 2


SPOILS = {"deleted": os.unlink, "shortened": lambda path: os.truncate(path, 10)}


@pytest.mark.parametrize(
    "case",
    effort.some_of(
        product(("http", "serve"), SPOILS, (True, False)),
        ("http", "deleted", True),
        ("serve", "shortened", False),
    ),
)
def test_a_capture_that_somebody_spoils_is_reported(case, target, tmp_path):
    name, said, ends = case
    begin, end = commands(target)[name]
    words = [*begin, "--no-check", "-o", "run.jsonl", *end]
    with started(words, tmp_path, ACP_SPY) as (process, url), closing(Client(url)) as client:
        SPOILS[said](tmp_path / "run.jsonl")
        client.send("x", {})
        if ends:
            client.end()
        process.send_signal(signal.SIGTERM)
        lines = process.stderr.read()
        assert process.wait(DEADLINE) == 0
    what = f"recording stopped: another program {said} `run.jsonl`"
    assert lines == f"acp-spy: {what}; the conversation is not affected\n"


def test_what_becomes_of_a_capture_is_said_while_another_is_redacted(target, tmp_path):
    """The line would have to wait until its secrets are known, and was left out."""
    words = ["http", "--no-check", "--redact", "-o", "run.jsonl", "--target", target]
    with started(words, tmp_path) as (process, url), ExitStack() as stack:
        first, second = (stack.enter_context(closing(Client(url))) for _ in range(2))
        first.send("session/prompt", {"text": LARGE})
        (tmp_path / "run-2.jsonl").unlink()
        second.end()
        said = process.stderr.readline()
        (tmp_path / "go").touch()
    what = "recording stopped: another program deleted `run-2.jsonl`"
    assert said == f"acp-spy: {what}; the conversation is not affected\n"
