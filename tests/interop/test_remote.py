"""
Real clients and real agents over HTTP and WebSocket, with and without acp-spy between them.

The outcome is the same, also of the pair that does not work: the Python SDK's client posts its
response to a permission request without a header, the TypeScript SDK's server refuses it, and the
turn never ends.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
from contextlib import ExitStack, contextmanager
from itertools import product

import pytest
from interop import peers
from interop.lab import node_folder, node_program, remote_folder
from interop.peers import PROGRAMS
from support import effort
from support.processes import ACP_SPY, DEADLINE
from support.processes import until as wait_until

from acp_spy import HttpExchange, load

NODE = str(node_program())
CLIENTS = {
    "python-sdk": [sys.executable, str(PROGRAMS / "remote_client.py")],
    "typescript-sdk": [NODE, str(PROGRAMS / "remote_client.mjs")],
}
AGENTS = {
    "python-sdk": [sys.executable, str(PROGRAMS / "remote_agent.py")],
    "typescript-sdk": [NODE, str(PROGRAMS / "remote_agent.mjs")],
}
HANGING = ("python-sdk", "typescript-sdk", "http")
# A client, an agent, and how they are connected: both ways by one process of each.
CASES = effort.some_of(
    [
        ("python-sdk", "python-sdk", ("ws",)),
        ("python-sdk", "typescript-sdk", ("ws",)),
        ("typescript-sdk", "python-sdk", ("http", "ws")),
    ],
    ("python-sdk", "python-sdk", ("http",)),
    ("python-sdk", "typescript-sdk", ("http",)),
    ("typescript-sdk", "typescript-sdk", ("http", "ws")),
)
GOOD = {"updates": 3, "asked": 1, "stop": "end_turn"}
HUNG = {"updates": 2, "asked": 1, "stop": "no response"}


@contextmanager
def serving(command, packages=remote_folder):
    """Give the URL that a program prints, while it runs; it finds `packages` of node."""
    environment = {**os.environ, "INTEROP_NODE": str(packages())}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment
    ) as program:
        try:
            yield program.stdout.readline().strip()
        finally:
            program.send_signal(signal.SIGINT)
            try:
                program.wait(DEADLINE if command[: len(ACP_SPY)] == ACP_SPY else 5)
            except subprocess.TimeoutExpired:
                program.kill()


@pytest.fixture(scope="module")
def agents():
    """Give the URL of an agent; each is started once."""
    with ExitStack() as stack:
        urls = {}

        def url_of(name):
            if name not in urls:
                urls[name] = stack.enter_context(serving(AGENTS[name]))
            return urls[name]

        yield url_of


def converse(client, urls, until=None):
    """Let a client have a turn at each URL; one that hangs is given up `until` something is so."""
    environment = {**os.environ, "INTEROP_NODE": str(remote_folder())}
    with (
        tempfile.TemporaryFile() as errors,
        subprocess.Popen(
            [*CLIENTS[client], *urls],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env=environment,
        ) as program,
    ):
        if until:
            wait_until(until, "the refusal")
            program.stdin.close()
        output = program.stdout.readline()
        errors.seek(0)
        assert output, errors.read()[-2000:].decode()
    return json.loads(output)


@pytest.mark.parametrize("case", CASES, ids="{0[0]} and {0[1]}".format)
def test_the_outcome_is_the_same_with_and_without_us(case, agents, request, tmp_path):
    client, agent, transports = case
    if "typescript-sdk" in case:
        request.getfixturevalue("remote_node")
    there = agents(agent)
    for_each = [(client, agent, each) == HANGING for each in transports]
    proxy = [*ACP_SPY, "http", "--target", there, "--no-check", "--dir", str(tmp_path)]
    with serving(proxy) as ours:
        urls = [
            url.replace("http", transport, 1) for transport in transports for url in (there, ours)
        ]

        def has_refused():  # a capture that has just been created is empty
            return any(refused(load(path)) for path in tmp_path.iterdir() if path.stat().st_size)

        found = converse(client, urls, until=has_refused if any(for_each) else None)
    expected = [HUNG if is_hanging else GOOD for is_hanging in for_each]
    assert found[::2] == expected  # without us
    assert found[1::2] == expected
    captures = {
        capture.frames[0].via.transport: capture for capture in map(load, tmp_path.iterdir())
    }
    assert captures.keys() == set(transports)
    for transport, noticed in zip(transports, expected, strict=True):
        assert_recorded(captures[transport], transport, noticed)


def assert_recorded(capture, transport, noticed):
    methods = [frame.message.get("method") for frame in capture.frames]
    assert methods.count("session/update") == noticed["updates"]
    assert methods.count("session/request_permission") == 1
    assert {frame.via.transport for frame in capture.frames} == {transport}
    if noticed is HUNG:
        (exchange,) = refused(capture)
        (frame,) = [frame for frame in capture.frames if frame.seq == exchange.request]
        assert (exchange.status, exchange.session) == (400, "")
        assert "Acp-Session-Id" in exchange.body
        assert frame.message["result"]["outcome"]["optionId"] == "a"
    else:
        assert refused(capture) == []


def refused(capture):
    return [
        record
        for record in capture.records
        if isinstance(record, HttpExchange) and record.status >= 400
    ]


@pytest.mark.parametrize(
    "case",
    effort.some_of(product(("typescript-sdk", "acpx"), ("http", "ws")), ("typescript-sdk", "http")),
    ids="{0[0]} over {0[1]}".format,
)
def test_a_client_on_stdio_reaches_an_agent_on_stdio_by_way_of_a_url(case, request, tmp_path):
    request.getfixturevalue("node")
    client, transport = case
    (tmp_path / "notes.txt").write_text("notes: é€😀\n")
    agent = peers.AGENTS["typescript-sdk"]
    direct = peers.converse(peers.CLIENTS[client], tmp_path, agent)
    captures = [str(tmp_path / name) for name in ("served.jsonl", "bridged.jsonl")]
    serve = [*ACP_SPY, "serve", "--no-check", "-o", captures[0], "--", *agent]
    with serving(serve, node_folder) as url:
        there = url.replace("http", transport, 1)
        bridge = [*ACP_SPY, "--no-check", "-o", captures[1], "--", there]
        assert peers.converse(peers.CLIENTS[client], tmp_path, bridge) == direct
    for capture in captures:
        assert load(capture).exit.status == 0
        assert len(load(capture).conversation.turns) == len(direct["turns"])
