"""Mocks that are reached by URL: over HTTP, or over a WebSocket."""

import signal
import subprocess
import sys

import pytest
from support.processes import DEADLINE, is_alive, until

from acp_spy import load
from acp_spy.pytest_plugin.options import with_transport
from acp_spy.pytest_plugin.served import Served

pytest_plugins = ["pytester"]

# A client that speaks HTTP: each call is a POST, and its answer an event.
REMOTE = """
    import http.client, json
    from contextlib import ExitStack, closing
    from urllib.parse import urlsplit

    def ask(url, *calls):
        with ExitStack() as stack:
            return ask_with(stack, urlsplit(url).netloc, *calls)

    def ask_with(stack, host, *calls):
        def request(method, body=None, **headers):
            connection = stack.enter_context(closing(http.client.HTTPConnection(host)))
            connection.request(method, "/acp", body, headers)
            return stack.enter_context(closing(connection.getresponse()))
        def post(number, method, params, **headers):
            message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            return request("POST", json.dumps(message), **{"Content-Type": "application/json", **headers})
        opened = post(0, *calls[0])
        ident = {"Acp-Connection-Id": opened.headers["Acp-Connection-Id"]}
        answers = [json.load(opened)]
        events = request("GET", **ident, Accept="text/event-stream")
        for number, call in enumerate(calls[1:], 1):
            assert post(number, *call, **ident).status == 202
            while not (line := events.readline()).startswith(b"data: "):
                assert line
            answers.append(json.loads(line[6:]))
        assert request("DELETE", **ident).status == 202
        return answers
"""


def test_mocks_are_reached_over_http_and_websocket(project):
    project.capture()
    project.test(
        f"""{REMOTE}
    @pytest.mark.acp_capture("hello", transport="ws")
    def test_both_by_websocket(acp_agent, acp_client):
        url = acp_agent()
        assert url.startswith("ws://127.0.0.1:")
        subprocess.run(acp_client(command=[url], expect="exact"), check=True)

    def test_not_as_recorded(acp_agent):
        answers = ask(acp_agent("hello", transport="http"), INIT, ("session/list", {{}}))
        assert answers[0]["result"]["agentInfo"] == {{"name": "recorded"}}
        assert "error" in answers[1]

    def test_of_another_kind(acp_agent):
        acp_agent("hello", transport="tcp")
        """
    )
    run = project.run()
    assert run.outcomes == {"passed": 1, "failed": 2}, run.text
    assert "the client diverged from recordings/hello.jsonl" in run.report_of(
        "test_not_as_recorded"
    )
    assert run.report_of("test_of_another_kind") == (
        "`transport` must be one of http, ws, not `tcp`"
    )


def test_a_stdio_agent_is_recorded_over_http(project):
    project.test(
        f"""{REMOTE}
    def test_it(acp_agent):
        ask(acp_agent("new", transport="http"), INIT, NEW)
        """
    )
    run = project.run("--acp-record=once")
    assert run.outcomes == {"passed": 1}, run.text
    frames = load(project.path / "recordings" / "new.jsonl").frames
    assert [frame.via.transport for frame in frames] == ["http"] * 4


@pytest.mark.parametrize(
    ("url", "transport", "found"),
    [
        ("http://a:1/acp", "ws", "ws://a:1/acp"),
        ("https://a/acp", "ws", "wss://a/acp"),
        ("wss://a/acp?x=1", "http", "https://a/acp?x=1"),
    ],
)
def test_a_url_is_used_by_the_transport_that_is_asked_for(url, transport, found):
    assert with_transport(url, transport) == found


@pytest.mark.long
def test_an_agent_that_is_remote_is_offered_too_and_one_that_does_not_exist_is_an_error():
    served = Served(["http://127.0.0.1:1/acp"], "ws")
    assert served.url.startswith("ws://127.0.0.1:")
    assert "forwarding to http://127.0.0.1:1/acp" in served.stop()
    with pytest.raises(pytest.fail.Exception, match="cannot serve `no-such-agent`"):
        Served(["no-such-agent"], "http")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_no_server_outlives_a_pytest_that_is_killed(number):
    code = f"""
import os
from acp_spy.pytest_plugin.served import Served
served = Served(["cat"], "http")
print(served._process.pid, flush=True)
os.kill(os.getpid(), {int(number)})
"""
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, stdout=subprocess.PIPE, timeout=DEADLINE, check=False)
    assert done.returncode == -number
    server = int(done.stdout)
    until(lambda: not is_alive(server), "the end of the server")
