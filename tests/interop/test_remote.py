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
from contextlib import contextmanager
from itertools import product

import pytest
from interop import peers
from interop.lab import node_program, remote_folder
from interop.peers import PROGRAMS
from support import effort
from support.processes import ACP_SPY, DEADLINE

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
CASES = effort.some_of(
    product(CLIENTS, AGENTS, ("http", "ws")),
    ("python-sdk", "python-sdk", "http"),
    HANGING,
    ("typescript-sdk", "typescript-sdk", "http"),
    ("typescript-sdk", "typescript-sdk", "ws"),
)
GOOD = {"updates": 3, "asked": 1, "stop": "end_turn"}
HUNG = {"updates": 2, "asked": 1, "stop": "no response"}


@contextmanager
def serving(command):
    """Give the URL that a program prints, while it runs."""
    environment = {**os.environ, "INTEROP_NODE": str(remote_folder())}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment
    ) as program:
        try:
            yield program.stdout.readline().strip()
        finally:
            program.send_signal(signal.SIGINT)
            try:
                program.wait(5)
            except subprocess.TimeoutExpired:
                program.kill()


def converse(client, url, transport, patience):
    if transport == "ws":
        url = url.replace("http://", "ws://")
    environment = {
        **os.environ,
        "INTEROP_NODE": str(remote_folder()),
        "PATIENCE": str(patience),
    }
    done = subprocess.run(
        [*CLIENTS[client], url],
        capture_output=True,
        text=True,
        env=environment,
        timeout=DEADLINE,
        check=False,
    )
    assert done.stdout, done.stderr[-2000:]
    return json.loads(done.stdout)


@pytest.mark.parametrize("case", CASES, ids="{0[0]} and {0[1]} over {0[2]}".format)
def test_the_outcome_is_the_same_with_and_without_us(case, request, tmp_path):
    client, agent, transport = case
    if "typescript-sdk" in case:
        request.getfixturevalue("remote_node")
    expected = HUNG if case == HANGING else GOOD
    patience = 1.5 if case == HANGING else 60
    capture = tmp_path / "run.jsonl"
    with serving(AGENTS[agent]) as url:
        assert converse(client, url, transport, patience) == expected
        proxy = [*ACP_SPY, "http", "--target", url, "--no-check", "-o", str(capture)]
        with serving(proxy) as ours:
            assert converse(client, ours, transport, patience) == expected
    recorded = load(capture)
    methods = [frame.message.get("method") for frame in recorded.frames]
    assert methods.count("session/update") == expected["updates"]
    assert methods.count("session/request_permission") == 1
    assert {frame.via.transport for frame in recorded.frames} == {transport}
    refused = [
        record
        for record in recorded.records
        if isinstance(record, HttpExchange) and record.status >= 400
    ]
    if case == HANGING:
        (exchange,) = refused
        (frame,) = [frame for frame in recorded.frames if frame.seq == exchange.request]
        assert (exchange.status, exchange.session) == (400, "")
        assert "Acp-Session-Id" in exchange.body
        assert frame.message["result"]["outcome"]["optionId"] == "a"
    else:
        assert refused == []


@pytest.mark.parametrize(
    "case",
    effort.some_of(product(("python-sdk", "acpx"), ("http", "ws")), ("python-sdk", "http")),
    ids="{0[0]} over {0[1]}".format,
)
def test_a_client_on_stdio_reaches_an_agent_on_stdio_by_way_of_a_url(case, request, tmp_path):
    client, transport = case
    if client == "acpx":
        request.getfixturevalue("node")
    (tmp_path / "notes.txt").write_text("notes: é€😀\n")
    agent = peers.AGENTS["python-sdk"]
    direct = peers.converse(peers.CLIENTS[client], tmp_path, agent)
    captures = [str(tmp_path / name) for name in ("served.jsonl", "bridged.jsonl")]
    with serving([*ACP_SPY, "serve", "--no-check", "-o", captures[0], "--", *agent]) as url:
        there = url.replace("http", transport, 1)
        bridge = [*ACP_SPY, "--no-check", "-o", captures[1], "--", there]
        assert peers.converse(peers.CLIENTS[client], tmp_path, bridge) == direct
    for capture in captures:
        assert load(capture).exit.status == 0
        assert len(load(capture).conversation.turns) == len(direct["turns"])
