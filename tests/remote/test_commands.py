"""The three commands for remote agents, as processes: one behind the other."""

import json
import os
import resource
import shlex
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from functools import partial
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest
from support.in_process import acp_spy
from support.processes import ACP_SPY, DEADLINE, changed, until
from support.sources import ROOT

from acp_spy import Exit, HttpExchange, check, load
from acp_spy.capture.folder import is_running
from acp_spy.wire.frame import Peer

# A bridge that waits for the agent for as long as it takes.
BRIDGE = changed(f"import acp_spy.remote.bridge as b; b.ORDERLY = b.LAST_WORDS = {DEADLINE}")
AGENT = [sys.executable, "-m", "acp_spy.demo.agent"]
CLIENT = [sys.executable, "-m", "acp_spy.demo.client"]
EXAMPLE = str(ROOT / "fixtures" / "example.jsonl")


@contextmanager
def running(*words, **how):
    """Run a command that serves; give its URL."""
    with subprocess.Popen([*ACP_SPY, *words], stdout=subprocess.PIPE, text=True, **how) as command:
        try:
            yield command.stdout.readline().strip()
        finally:
            command.send_signal(signal.SIGTERM)
        assert command.wait(DEADLINE) == 0


def messages(path):
    return [
        (frame.sender, frame.message) for frame in load(path).frames if frame.message is not None
    ]


def test_serve_http_and_bridge_record_the_same_conversation_without_credentials(tmp_path):
    served, relayed, bridged = (tmp_path / f"{name}.jsonl" for name in ("a", "b", "c"))
    with (
        running("serve", "--no-check", "-o", str(served), "--", *AGENT) as agent,
        running("http", "--no-check", "--target", agent, "-o", str(relayed)) as url,
    ):
        for number, scheme in enumerate(("http", "ws")):
            there = url.replace("http", scheme, 1)
            options = ["--header-env", "Authorization=SECRET", "--header", "User-Agent: us"]
            bridge = [*BRIDGE, "--no-check", "-o", str(bridged), *options, "--", there]
            environment = {**os.environ, "SECRET": "Bearer s3cret"}
            done = subprocess.run(
                [*CLIENT, *bridge], timeout=DEADLINE, env=environment, check=False
            )
            assert done.returncode == 0
            second = {} if number == 0 else {"stem": "-2"}
            paths = [
                path.with_name(path.stem + second.get("stem", "") + ".jsonl")
                for path in (served, relayed, bridged)
            ]
            # The agent ends after its client.
            until(lambda paths=paths: all(load(path).exit for path in paths), "all have ended")
            first, *others = map(messages, paths)
            assert sorted(map(repr, first)) == sorted(map(repr, others[0]))
            assert sorted(map(repr, first)) == sorted(map(repr, others[1]))
            assert [
                message["method"]
                for _, message in first
                if message.get("method") == "session/prompt"
            ] == ["session/prompt"]
            for path in paths:
                capture = load(path)
                assert capture.exit is not None
                assert capture.exit.status == 0
                assert {f.via.transport for f in capture.frames if f.via} == {scheme}
                text = path.read_text()
                assert '"authorization":"Bearer redacted"' in text
                assert '"user-agent":"us"' in text
                assert "s3cret" not in text


@pytest.mark.parametrize("scheme", ["http", "ws"])
def test_an_agent_that_cannot_be_reached_is_an_error_for_the_client(scheme, tmp_path):
    url = f"{scheme}://127.0.0.1:9/acp"
    request = (
        b'{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"protocolVersion":1,'
        b'"clientCapabilities":{},"clientInfo":{"name":"c","version":"1"}}}\n'
    )
    impatient = (
        b'{"jsonrpc":"2.0","id":8,"method":"session/new","params":{"cwd":"/","mcpServers":[]}}\n'
    )
    done = subprocess.run(
        [*BRIDGE, "--no-check", "-o", str(tmp_path / "run.jsonl"), "--", url],
        input=request + impatient,
        capture_output=True,
        timeout=DEADLINE,
        check=False,
    )
    response = json.loads(done.stdout.splitlines()[0])
    assert (done.returncode, response["id"], response["error"]["code"]) == (1, 7, -32603)
    assert response["error"]["message"].endswith(f"{url}: Connection refused")
    assert done.stderr.decode().endswith(f"{url}: Connection refused\n")
    frames = load(tmp_path / "run.jsonl").frames
    assert [frame.raw for frame in frames[:2]] == [
        request,
        done.stdout.splitlines(keepends=True)[0],
    ]
    assert {finding.code for finding in check(load(tmp_path / "run.jsonl"))} == {"NET013", "LIF001"}


@pytest.mark.parametrize(("scheme", "host"), [("http", "a..example"), ("ws", "a" * 64)])
def test_what_is_not_the_name_of_a_host_cannot_be_reached(scheme, host, tmp_path):
    done = subprocess.run(
        [*BRIDGE, "--no-check", "--dir", str(tmp_path), "--", f"{scheme}://{host}/acp"],
        input=b'{"jsonrpc":"2.0","id":7,"method":"initialize"}\n',
        capture_output=True,
        timeout=DEADLINE,
        check=False,
    )
    assert done.returncode == 1
    message = json.loads(done.stdout)["error"]["message"]
    assert message.endswith(f"{scheme}://{host}/acp: `{host}` is not the name of a host")


def test_a_terminal_that_is_closed_ends_agents_and_captures_in_order(tmp_path):
    path = tmp_path / "run.jsonl"
    words = ["serve", "--no-check", "-o", str(path), "--", *AGENT]
    with subprocess.Popen([*ACP_SPY, *words], stdout=subprocess.PIPE, text=True) as command:
        where = urlsplit(command.stdout.readline().strip())
        with closing(HTTPConnection(where.netloc, timeout=DEADLINE)) as client:
            body = '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}'
            json_both_ways = {"Content-Type": "application/json", "Accept": "application/json"}
            client.request("POST", where.path, body, json_both_ways)
            client.getresponse().read()
            command.send_signal(signal.SIGHUP)
            assert command.wait(DEADLINE) == 0
    assert isinstance(load(path).records[-1], Exit)


def test_an_open_file_without_a_name_has_the_end_of_the_conversation(tmp_path, capfd):
    with open(tmp_path / "run.jsonl", "w+b") as file:
        (tmp_path / "run.jsonl").unlink()
        given = f"/dev/fd/{file.fileno()}"
        with running("serve", "-o", given, "--", *AGENT, pass_fds=[file.fileno()]) as url:
            assert initialize(urlsplit(url).port) == 200
        assert load(given).exit is not None
    assert "recording stopped" not in capfd.readouterr().err


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["http"], "--target"),
        (["http", "http://a/"], "run `acp-spy http --target URL`"),
        (["http", "--target", "acp"], "cannot use `acp` as a URL of an agent"),
        (
            ["http", "--target", "http://a/", "--listen", "0.0.0.0:1"],
            "cannot listen at `0.0.0.0:1`: other machines could connect",
        ),
        (["serve", "--listen", "x", "--", "agent"], "cannot listen at `x`: expected HOST:PORT"),
        (
            ["serve", "--listen", f"::1:{'9' * 5000}", "--", "agent"],
            f"cannot listen at `::1:{'9' * 5000}`: expected HOST:PORT",
        ),
        (
            ["serve", "--allow-remote", "--listen", "a..b:1", "--", *AGENT],
            "cannot listen at `a..b:1`: it is not the name of a host",
        ),
        (["serve"], "missing agent command"),
        (["serve", "--", "no-such-agent"], "cannot serve `no-such-agent`: command not found"),
        (
            ["http", "--target", "http://a/", "-o", "x", "--dir", "y"],
            "`--output` cannot be used with `--dir`",
        ),
        (
            ["http", "--target", "https://a/", "--ca", "nowhere.pem"],
            "cannot read `nowhere.pem`: No such file or directory",
        ),
        (["--header", "X: y", "--", "agent"], "`--header` cannot be used with a command"),
        (["--fix", "--", "http://a/"], "`--fix` cannot be used with a URL"),
        (["--header", "X", "--", "http://a/"], "cannot use `X` as a header"),
        (["--header", "Host: b", "--", "http://a/"], "cannot set the header `Host`"),
        (["--header", "X: Łukasz", "--", "http://a/"], "cannot set the header `X`: its value"),
        (["--header", "X: a\r\nHost: b", "--", "ws://a/"], "cannot set the header `X`: its value"),
        (["--header", "X\nY: a", "--", "ws://a/"], "as a header"),
        (["--", "ws://a:port/"], "cannot use `ws://a:port/` as a URL: its host or port is not"),
        (["--", "ws://a:port/?token=x"], "cannot use `ws://a:port/?token=redacted` as a URL: its"),
        (["--", "ws://a/b c"], "cannot use `ws://a/b c` as a URL: its path has a letter"),
        (["--header-env", "X=UNSET_VARIABLE", "--", "http://a/"], "the variable `UNSET_VARIABLE`"),
        (
            ["replay", "client", EXAMPLE, "--ca", "x.pem", "--", "agent"],
            "`--ca` cannot be used with a command: it is for a remote agent",
        ),
        (
            ["replay", "client", EXAMPLE, "--", "http://user:pw@a/"],
            "hint: give them in a header: `--header-env Authorization=",
        ),
        (["--", "http://a/", "more"], "cannot use `more`: nothing may follow the URL"),
        (["--", "http://user:pw@a/"], "hint: give them in a header: `--header-env Authorization="),
        (
            ["http", "--target", "http://user:pw@a/"],
            "hint: remove them, and let the client send an `Authorization` header",
        ),
    ],
)
def test_wrong_use_is_explained(words, error):
    done = acp_spy(*words)
    assert done.status == 2
    assert error in done.err
    assert "hint: " in done.err


@pytest.mark.parametrize(
    "after", ["/hunter2@a/x", "#hunter2@a/x", "hunter2@a:99999/?token=hunter2"]
)
def test_of_a_url_that_cannot_be_read_nothing_is_shown_that_may_be_a_password(after):
    done = acp_spy("--", f"ws://bob:hunter2{after}")
    assert done.status == 2
    assert "cannot use this URL: its host or port is not valid" in done.err
    assert "hunter2" not in done.err


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
@pytest.mark.parametrize("words", [["http", "--target", "http://a/"], ["serve", "--", *AGENT]])
def test_that_the_url_cannot_be_printed_is_not_about_the_address(words):
    with open("/dev/full", "wb") as full:
        command = [*ACP_SPY, words[0], "--listen", "127.0.0.1:0", *words[1:]]
        done = subprocess.run(
            command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=DEADLINE, check=False
        )
    assert done.returncode == 2
    assert done.stderr == "error: cannot write the output: No space left on device\n"


def test_a_replayed_client_sends_headers_and_records_no_credentials(tmp_path, monkeypatch):
    monkeypatch.setenv("TOKEN", "Bearer s3cret")
    seen, live = tmp_path / "seen.jsonl", tmp_path / "live.jsonl"
    with (
        running("replay", "agent", EXAMPLE, "--listen", "127.0.0.1:0") as there,
        running("http", "--target", there, "-o", str(seen), "--keep-credentials") as url,
    ):
        words = [
            "replay",
            "client",
            EXAMPLE,
            "-o",
            str(live),
            "--header-env",
            "Authorization=TOKEN",
        ]
        done = subprocess.run(
            [*ACP_SPY, *words, "--header", "Cookie: a=s3cret", f"{url}?token=s3cret"],
            capture_output=True,
            timeout=DEADLINE,
            text=True,
            check=False,
        )
    assert (done.returncode, done.stderr) == (0, "acp-spy: no divergence from example.jsonl\n")
    first = next(record for record in load(seen).records if isinstance(record, HttpExchange))
    assert first.request_headers["authorization"] == "Bearer s3cret"
    assert first.request_headers["cookie"] == "a=s3cret"
    assert load(live).header.command == (f"{url}?token=redacted",)
    assert "s3cret" not in live.read_text()


def test_a_capture_is_replayed_as_a_remote_agent_to_a_remote_client():
    with running("replay", "agent", EXAMPLE, "--listen", "127.0.0.1:0") as url:
        for scheme in ("http", "ws"):
            done = subprocess.run(
                [*ACP_SPY, "replay", "client", EXAMPLE, url.replace("http", scheme, 1)],
                capture_output=True,
                timeout=DEADLINE,
                text=True,
                check=False,
            )
            assert "acp-spy: no divergence from example.jsonl" in done.stderr
            assert done.returncode == 0


def test_ignored_children_are_no_obstacle(tmp_path):
    """SIGCHLD ignored would let the kernel reap agents and checkers, and their ends be lost."""
    capture = tmp_path / "run.jsonl"
    agent = ["sh", "-c", f"{shlex.join(AGENT)}; exit 3"]
    ignore = partial(signal.signal, signal.SIGCHLD, signal.SIG_IGN)
    with running("serve", "-o", str(capture), "--", *agent, preexec_fn=ignore) as url:
        for _ in range(2):  # the second after the checker of the first has ended
            bridge = [*BRIDGE, "--no-check", "-o", str(tmp_path / "bridged.jsonl"), "--", url]
            assert subprocess.run([*CLIENT, *bridge], timeout=DEADLINE, check=False).returncode == 0
            until(lambda: not is_running(capture), "the checker has ended")
    assert load(capture).exit.status == 3
    assert load(capture.with_stem("run-2")).exit.status == 3


def test_a_noisy_agent_makes_no_other_wait_though_nobody_reads_stderr(tmp_path):
    first = f"mkdir {tmp_path}/first && head -c 1000000 /dev/zero >&2"
    agent = ["sh", "-c", f"{first}; exec {shlex.join(AGENT)}"]
    serve = [*ACP_SPY, "serve", "-v", "-o", str(tmp_path / "run.jsonl"), "--", *agent]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(serve, bufsize=0, **pipes) as command, ThreadPoolExecutor() as pool:
        try:
            port = urlsplit(command.stdout.readline().decode()).port
            noisy = pool.submit(initialize, port)
            until((tmp_path / "first").exists, "the first agent has begun")
            for _ in range(3):
                assert initialize(port) == 200
            assert not noisy.done()
            err = b""
            while err.count(b"\0") < 1_000_000:
                err += command.stderr.read(65536)
            assert noisy.result() == 200
        finally:
            command.send_signal(signal.SIGTERM)
            rest = command.communicate()[1]
    assert (err + rest).count(b"acp-spy: recording to ") == 4
    assert command.returncode == 0


def test_requests_of_ended_conversations_are_recorded_apart_from_all_others(tmp_path):
    """Clients may not know yet that their agents have ended, while others begin."""
    capture = tmp_path / "run.jsonl"
    with running("serve", "--no-check", "-o", str(capture), "--", *AGENT) as url:
        port = urlsplit(url).port
        for _ in range(2):
            assert initialize(port) == 200
            late = (
                b'{"jsonrpc":"2.0","id":7,"method":"session/prompt","params":{"sessionId":"s-1"}}'
            )
            assert send(port, late, "ended") == 404
    found = [
        [each.message["method"] for each in load(path).frames if each.sender is Peer.CLIENT]
        for path in sorted(tmp_path.iterdir())
    ]
    assert sorted(found) == [["initialize"], ["initialize"], ["session/prompt"] * 2]


def initialize(port):
    """Begin a conversation; return the status of the response."""
    return send(
        port, b'{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}'
    )


def send(port, message, connection_id=""):
    """Send a message; return the status of the response."""
    headers = {"Content-Type": "application/json"}
    if connection_id:
        headers["Acp-Connection-Id"] = connection_id
    with closing(HTTPConnection("127.0.0.1", port, timeout=DEADLINE)) as connection:
        connection.request("POST", "/acp", message, headers)
        return connection.getresponse().status


SESSIONS = r"""
import json, sys
count = 0
for line in sys.stdin:
    asked = json.loads(line)
    count += asked["method"] == "session/new"
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": {"sessionId": f"s{count}"}}), flush=True)
"""


def test_a_bridge_with_more_sessions_than_serve_has_places_gets_errors_and_goes_on(tmp_path):
    """Each has an event stream: if they took all places, the next message would wait for ever."""
    few = 78  # open files: 40 places for connections
    limit = partial(resource.setrlimit, resource.RLIMIT_NOFILE, (few, few))
    serve = ["serve", "--no-check", "--dir", str(tmp_path), "--max-connections", "1"]
    asked = [{"method": "initialize", "params": {"protocolVersion": 1}}]
    asked += [{"method": "session/new", "params": {}} for _ in range(50)]
    asked += [{"method": "session/prompt", "params": {"sessionId": f"s{n}"}} for n in range(1, 51)]
    asked.append({"method": "session/prompt", "params": {"sessionId": "s1"}})
    lines = [json.dumps({"jsonrpc": "2.0", "id": n, **each}) for n, each in enumerate(asked)]
    with running(*serve, "--", sys.executable, "-c", SESSIONS, preexec_fn=limit) as url:
        bridge = [*BRIDGE, "--no-check", "-o", str(tmp_path / "bridged.jsonl"), "--", url]
        how = {"capture_output": True, "text": True, "timeout": DEADLINE}
        done = subprocess.run(bridge, input="\n".join(lines), check=False, **how)
    responses = {each["id"]: each for each in map(json.loads, done.stdout.splitlines())}
    assert sorted(responses) == list(range(len(asked)))
    errors = {n: each["error"]["message"] for n, each in responses.items() if "error" in each}
    assert 51 not in errors  # the first prompt
    assert 100 in errors  # the prompt of the last session
    assert 101 not in errors  # the first session works still
    assert all(message.endswith("HTTP 429: Too many streams") for message in errors.values())
