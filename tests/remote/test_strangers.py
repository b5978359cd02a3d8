"""Clients that know nothing of ACP: curl, over HTTP/1.1 and HTTP/2, and a browser's WebSocket."""

import shutil
import signal
import subprocess
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from support.browser import browser
from support.needs import do_without
from support.processes import ACP_SPY, DEADLINE
from support.remote import INITIALIZE, INITIALIZED

from acp_spy import HttpExchange, load

NEEDED = "ACP_SPY_NEEDS_CURL"  # .ci/run sets it
# An agent that has one response to everything.
AGENT = ["sed", "-u", f"s/.*/{INITIALIZED.decode()}/"]
NEW = '{"jsonrpc":"2.0","id":0,"method":"session/new","params":{}}'
VERSIONS = {"--http1.1": "1.1", "--http2": "1.1", "--http2-prior-knowledge": "2"}


@contextmanager
def running(*words):
    """Run a command that serves; give its URL."""
    with subprocess.Popen(
        [*ACP_SPY, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as command:
        try:
            yield command.stdout.readline().strip()
        finally:
            command.send_signal(signal.SIGINT)
        assert command.wait(DEADLINE) == 0


@pytest.fixture(scope="module")
def urls(tmp_path_factory):
    """Give the URLs of an agent that is served, and of a relay to it; and where they record."""
    folder = tmp_path_factory.mktemp("strangers")
    served, relayed = folder / "served", folder / "relayed"
    with (
        running("serve", "--no-check", "--dir", str(served), "--", *AGENT) as agent,
        running("http", "--no-check", "--dir", str(relayed), "--target", agent) as relay,
    ):
        yield {"serve": (agent, served), "http": (relay, relayed)}


def curl(*words):
    program = shutil.which("curl") or do_without(
        NEEDED, "curl is not there: `apt-get install curl`"
    )
    return [program, "-sS", "--noproxy", "*", *words]


@contextmanager
def started(command):
    """Give a program that runs, and must have ended by itself, unless the test has failed."""
    with subprocess.Popen(command, stdout=subprocess.PIPE) as program:
        try:
            yield program
        except BaseException:
            program.kill()
            raise


@pytest.mark.parametrize("how", VERSIONS)
@pytest.mark.parametrize("command", ["serve", "http"])
def test_curl_opens_a_connection_and_reads_its_stream(command, how, urls):
    url, folder = urls[command]
    known = set(folder.glob("*")) if folder.exists() else set()
    json = ["-H", "Content-Type: application/json", "-f", "-d"]
    first = subprocess.run(
        curl(
            how,
            *json,
            INITIALIZE.decode(),
            "-w",
            "\n%{http_version} %header{acp-connection-id}",
            url,
        ),
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=True,
    )
    body, _, last = first.stdout.rpartition("\n")
    version, connection = last.split()
    assert (body, version) == (INITIALIZED.decode(), VERSIONS[how])
    own = ["-H", f"Acp-Connection-Id: {connection}"]
    stream = curl(how, "-N", "-H", "Accept: text/event-stream", *own, url)
    with started(stream) as reader:
        new = curl(how, *json, NEW, *own, url)
        subprocess.run(new, capture_output=True, timeout=DEADLINE, check=True)
        assert reader.stdout.readline() == b"data: " + INITIALIZED + b"\n"
        delete = curl(how, "-X", "DELETE", *own, "-f", url)
        subprocess.run(delete, capture_output=True, timeout=DEADLINE, check=True)
        assert reader.wait(DEADLINE) == 0  # the stream has ended as it should
    (capture,) = set(folder.glob("*")) - known
    exchanges = [r for r in load(capture).records if isinstance(r, HttpExchange)]
    assert {exchange.http for exchange in exchanges} == {VERSIONS[how]}
    assert sorted(e.status for e in exchanges) == [200, 200, 202, 202]


TALK = """
async ([url, first]) => {
    const socket = new WebSocket(url)
    const next = () => new Promise(resolve => {
        socket.onopen = () => resolve("open")
        socket.onmessage = event => resolve(event.data)
        socket.onclose = event => resolve(`closed ${event.code}`)
    })
    const seen = [await next()]
    if (seen[0] == "open") {
        socket.send(first)
        seen.push(await next())
        socket.close(1000, "done")
        seen.push(await next(), socket.extensions)
    }
    return seen
}
"""


@pytest.mark.long
def test_a_browser_has_a_conversation_over_a_websocket_unless_its_page_is_elsewhere(urls):
    with browser() as window:
        page = window.new_page()
        for command in ("serve", "http"):
            page.goto(urls[command][0])  # of the same machine, so its origin may connect
            where = urls[command][0].replace("http", "ws", 1)
            *seen, extensions = page.evaluate(TALK, [where, INITIALIZE.decode()])
            assert seen == ["open", INITIALIZED.decode(), "closed 1000"]
            assert "permessage-deflate" in extensions
        page.route("http://page.example/*", lambda route: route.fulfill(body="elsewhere"))
        page.goto("http://page.example/")
        assert page.evaluate(TALK, [where, INITIALIZE.decode()]) == ["closed 1006"]


HTTP_TALK = """
async ([url, first, next]) => {
    const json = {"Content-Type": "application/json"}
    const opened = await fetch(url, {method: "POST", headers: json, body: first})
    const own = {"Acp-Connection-Id": opened.headers.get("Acp-Connection-Id")}
    const stream = await fetch(url, {headers: {...own, Accept: "text/event-stream"}})
    await fetch(url, {method: "POST", headers: {...json, ...own}, body: next})
    const event = await stream.body.getReader().read()
    const ended = await fetch(url, {method: "DELETE", headers: own})
    return [await opened.text(), new TextDecoder().decode(event.value), ended.status]
}
"""


@contextmanager
def page_server():
    """Serve an empty page; give its port."""

    class Page(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()


@pytest.mark.long
def test_a_page_of_an_allowed_origin_has_a_conversation_over_http_and_no_other_has(tmp_path):
    with page_server() as port, browser() as window:
        allowed, other = f"http://localhost:{port}", f"http://127.0.0.1:{port}"
        options = ["--no-check", "--dir", str(tmp_path), "--allow-origin", allowed]
        with running("serve", *options, "--", *AGENT) as url:
            page = window.new_page()
            page.goto(allowed)
            seen = page.evaluate(HTTP_TALK, [url, INITIALIZE.decode(), NEW])
            assert seen == [INITIALIZED.decode(), f"data: {INITIALIZED.decode()}\n\n", 202]
            page.goto(other)
            with pytest.raises(Exception, match="Failed to fetch"):
                page.evaluate(HTTP_TALK, [url, INITIALIZE.decode(), NEW])
    (capture,) = tmp_path.glob("*.jsonl")
    methods = [r.method for r in load(capture).records if isinstance(r, HttpExchange)]
    assert methods[:2] == ["OPTIONS", "POST"]


@pytest.mark.parametrize("how", ["--http1.1", "--http2-prior-knowledge"])
def test_only_a_page_of_an_allowed_origin_is_told_what_it_may_send_and_read(how, tmp_path):
    allowed = "http://localhost:3000"
    options = ["--no-check", "--dir", str(tmp_path), "--allow-origin", allowed]

    def asked(url, method, origin, *words):
        command = curl(how, "-i", "-X", method, "-H", f"Origin: {origin}", *words, url)
        run = subprocess.run(command, capture_output=True, timeout=DEADLINE, check=True, text=True)
        status, *lines = run.stdout.partition("\n\n")[0].splitlines()
        named = dict(line.lower().split(": ", 1) for line in lines if ": " in line)
        return status.split()[1], named

    with running("serve", *options, "--", *AGENT) as url:
        status, headers = asked(url, "OPTIONS", allowed)
        assert status == "204"
        assert headers["access-control-allow-origin"] == allowed
        assert headers["access-control-allow-methods"] == "post, get, delete"
        assert "acp-connection-id" in headers["access-control-allow-headers"]
        assert headers["vary"] == "origin"
        assert "access-control-allow-credentials" not in headers
        status, headers = asked(url, "GET", allowed, "-H", "Accept: text/event-stream")
        assert (status, headers["access-control-allow-origin"]) == ("400", allowed)
        assert "acp-connection-id" in headers["access-control-expose-headers"]
        for method in ("OPTIONS", "POST", "GET"):
            status, headers = asked(url, method, "http://localhost:3001")
            assert status == "403"
            assert not [name for name in headers if name.startswith("access-control")]
        own = url.removesuffix("/acp")
        status, headers = asked(url, "OPTIONS", own)
        assert status == "405"
        assert not [name for name in headers if name.startswith("access-control")]
