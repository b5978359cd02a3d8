"""`acp-spy view --serve`: what it prints, what it refuses, and how it ends."""

import json
import os
import signal
import socket
import subprocess
import threading
import urllib.request
from contextlib import ExitStack
from http.client import HTTPConnection
from urllib.parse import parse_qs, urlsplit

import pytest
from support.conversations import talk
from support.in_process import acp_spy
from support.processes import ACP_SPY, DEADLINE

from acp_spy.capture.codec import encode
from acp_spy.cli import serve_page
from acp_spy.live_page import server

ALONE = "`--serve` cannot be used with `--follow`, `--output`, `--frame`, `--raw`, `--no-fold` or `--format`"


@pytest.fixture
def capture(tmp_path):
    path = tmp_path / "run.jsonl"
    path.write_bytes(encode(talk()))
    return path


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["--serve", "-f"], ALONE),
        (["--serve", "-o", "page.html"], ALONE),
        (["--serve", "--format", "html"], ALONE),
        (["--serve", "--frame", "1"], ALONE),
        (["--serve", "--raw"], ALONE),
        (["--serve", "--no-fold"], ALONE),
        (["--no-open"], "`--no-open` needs `--serve`"),
        (["--port", "7000"], "`--port` needs `--serve`"),
    ],
)
def test_options_that_make_no_sense_together_are_refused(capture, words, error):
    done = acp_spy("view", capture, *words)
    assert (done.out, done.status) == ("", 2)
    assert done.err.splitlines()[0] == f"error: {error}"


def test_what_is_read_once_and_a_filter_without_a_capture_are_refused(capture, tmp_path):
    assert "cannot serve a page of stdin" in acp_spy("view", "-", "--serve").err
    os.mkfifo(tmp_path / "pipe")
    refused = acp_spy("view", tmp_path / "pipe", "--serve").err
    assert refused.startswith(f"error: cannot serve a page of `{tmp_path}/pipe`: it is a pipe, and")
    assert (
        "cannot filter the list of captures by `from:agent`"
        in acp_spy("view", "from:agent", "--serve").err
    )
    assert "cannot read `none.jsonl`" in acp_spy("view", "none.jsonl", "--serve").err


def test_a_port_that_is_used_is_reported(capture):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = acp_spy("view", capture, "--serve", "--no-open", "--port", port)
    assert (done.out, done.status) == ("", 2)
    assert done.err == (
        f"error: cannot serve the page at port {port}: Address already in use\n"
        "hint: choose another port with `--port`, or omit it\n"
    )


@pytest.mark.parametrize(
    ("screen", "no_open", "opens"), [("1", False, True), ("1", True, False), ("", False, False)]
)
def test_the_browser_is_opened_where_there_is_a_screen(
    capture, monkeypatch, screen, no_open, opens
):
    opened, is_open = [], threading.Event()

    class Browser:
        def open(self, url):
            opened.append(url)
            is_open.set()

    def run_server(port, make, on_ready, complain):
        on_ready(7000)

    monkeypatch.setattr(server, "run_server", run_server)
    monkeypatch.setattr(serve_page.sys, "platform", "linux")
    monkeypatch.setattr("webbrowser.get", Browser)
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DISPLAY", screen)
    done = acp_spy("view", capture, "from:agent", "--serve", *(["--no-open"] if no_open else []))
    url = done.out.strip()
    assert url.startswith("http://127.0.0.1:7000/capture/run.jsonl#filter=from%3Aagent&token=")
    if opens:
        assert is_open.wait(DEADLINE)
    assert opened == ([url] if opens else [])
    assert ("opened in the browser" in done.err) == opens


def test_the_url_leads_to_the_capture_and_ctrl_c_ends_it(capture):
    """A process, since it is about a signal."""
    command = [*ACP_SPY, "view", str(capture), "--serve", "--no-open"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        url = urlsplit(running.stdout.readline().decode().strip())
        origin = f"http://{url.netloc}"

        def ask(path, secret, method="GET"):
            headers = {"Authorization": f"Bearer {secret}"}
            asked = urllib.request.Request(origin + path, headers=headers, method=method)
            return urllib.request.urlopen(asked, timeout=DEADLINE).read()

        key = json.loads(ask("/api/enter", parse_qs(url.fragment)["token"][0], "POST"))["key"]
        lines = [json.loads(line) for line in ask(f"/api{url.path}", key).splitlines() if line]
        assert lines[-1]["over"] is True
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=DEADLINE)
    assert (out, running.returncode) == (b"", 0)
    assert err == b"acp-spy: open the URL above in a browser; it works once, press Ctrl-C to stop\n"


def test_more_connections_than_files_wait_and_nothing_is_printed(capture):
    command = ["sh", "-c", 'ulimit -n 40; exec "$@"', "sh", *ACP_SPY]
    command += ["view", str(capture), "--serve", "--no-open"]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running,
        ExitStack() as at_the_end,
    ):
        at_the_end.callback(running.kill)  # also if this fails: nobody would wait for ever
        url = urlsplit(running.stdout.readline().decode().strip())
        with ExitStack() as idle:
            page = HTTPConnection(url.hostname, url.port, timeout=DEADLINE)
            idle.callback(page.close)
            page.connect()
            for _ in range(60):
                idle.enter_context(socket.create_connection((url.hostname, url.port), DEADLINE))
            for _ in range(60):  # with each it looks for connections, too
                page.request("HEAD", url.path)
                assert page.getresponse().read() == b""
        there = f"http://{url.netloc}{url.path}"
        with urllib.request.urlopen(there, timeout=DEADLINE) as page:
            assert b"<html" in page.read()
        running.send_signal(signal.SIGINT)
        err = running.communicate(timeout=DEADLINE)[1]
    assert err.count(b"\n") == 1, err
