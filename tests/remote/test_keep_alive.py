"""Peers that go without a word: from some moment on, their kernels drop all that comes to them."""

import ctypes
import json
import socket
import struct
import subprocess
import sys
from base64 import b64encode
from contextlib import ExitStack, contextmanager
from functools import partial
from hashlib import sha1

import pytest
import trio
from support.processes import DEADLINE
from support.remote import INITIALIZE, OPENED, STREAM, Lab, tcp_pair

from acp_spy.remote import agent_server, keep_alive, run_http
from acp_spy.remote.addresses import parse_target
from acp_spy.remote.agent_server import AgentServer, Limits
from acp_spy.remote.keep_alive import KeepAlive
from acp_spy.remote.listening import accept_all, listen
from acp_spy.remote.service import Service

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="others have no such filter")
SO_ATTACH_FILTER = 26
DROP = struct.pack("HBBI", 6, 0, 0, 0)  # an instruction: take nothing of a packet
IMPATIENT = """
from acp_spy.remote import keep_alive
keep_alive.SILENCE = keep_alive.INTERVAL = keep_alive.PROBES = keep_alive.LONGEST = 1
from acp_spy.__main__ import main
main()
"""
NEW = b'{"jsonrpc":"2.0","id":1,"method":"session/new","params":{}}'


def disappear(connection):
    """Let a connection be as one whose peer sleeps, or has been forgotten on the way."""
    program = ctypes.create_string_buffer(DROP)
    filtering = struct.pack("HL", 1, ctypes.addressof(program))
    connection.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, filtering)


def head_on(connection):
    """Return what comes on a connection, to the end of a head."""
    held = b""
    while b"\r\n\r\n" not in held:
        held += connection.recv(65536)
    return held


@contextmanager
def bridged(scheme, tmp_path):
    """Give a bridge, and what accepts the next connection with the head of its request."""
    with socket.create_server(("127.0.0.1", 0)) as listener, ExitStack() as ends:
        listener.settimeout(DEADLINE)
        url = f"{scheme}://127.0.0.1:{listener.getsockname()[1]}/acp"
        words = ["--no-check", "-o", str(tmp_path / "run.jsonl"), "--", url]
        pipe = subprocess.PIPE
        how = {"stdin": pipe, "stdout": pipe, "stderr": pipe}
        program = [sys.executable, "-c", IMPATIENT, *words]

        def accept():
            connection = ends.enter_context(listener.accept()[0])
            connection.settimeout(DEADLINE)
            return connection, head_on(connection)

        process = ends.enter_context(subprocess.Popen(program, **how))
        ends.callback(process.kill)
        yield process, accept


def say(process, line):
    process.stdin.write(line + b"\n")
    process.stdin.flush()


@pytest.mark.long
@pytest.mark.parametrize("is_asked", [True, False])
def test_a_websocket_whose_agent_disappears_is_lost(is_asked, tmp_path):
    """Also while something was sent to it, which the kernel would send again for long."""
    with bridged("ws", tmp_path) as (process, accept):
        connection, head = accept()
        key = head.partition(b"Sec-WebSocket-Key: ")[2].partition(b"\r\n")[0]
        accepted = b64encode(sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())
        connection.sendall(
            b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade"
            b"\r\nSec-WebSocket-Accept: " + accepted + b"\r\n\r\n"
        )
        say(process, INITIALIZE)
        connection.recv(65536)
        disappear(connection)
        if is_asked:
            say(process, NEW)
        failed = json.loads(process.stdout.readline())
        why = failed["error"]["message"]
        assert why.startswith("acp-spy: the connection was lost: ")
        assert why.endswith("Connection timed out")
        process.stdin.close()
        assert process.wait() == 1


@pytest.mark.long
def test_an_event_stream_whose_agent_disappears_is_opened_again(tmp_path):
    with bridged("http", tmp_path) as (process, accept):
        say(process, INITIALIZE)
        connection, _ = accept()
        connection.sendall(OPENED)
        head = head_on(connection)
        assert head.startswith(b"GET ")
        connection.sendall(STREAM)
        process.stdout.readline()
        disappear(connection)
        _, again = accept()
        assert again == head


@pytest.mark.long
def test_a_peer_that_is_there_and_does_not_read_keeps_its_connection(monkeypatch):
    """TCP_USER_TIMEOUT alone would end it."""
    for name in ("SILENCE", "INTERVAL", "LONGEST"):
        monkeypatch.setattr(keep_alive, name, 1)
    data = b"x" * 10_000_000  # more than two kernels hold

    async def main():
        ours, theirs = tcp_pair()
        alive = KeepAlive()
        alive.add(ours)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(alive.run)
            async with trio.open_nursery() as sending:
                sending.start_soon(ours.send_all, data)
                await trio.sleep(6)
                got = 0
                while got < len(data):
                    got += len(await theirs.receive_some())
            nursery.cancel_scope.cancel()
        ours.socket.close()
        theirs.socket.close()

    trio.run(main)


def looked_after(stream):
    names = ("TCP_KEEPIDLE", "TCP_KEEPINTVL", "TCP_KEEPCNT")
    found = [stream.socket.getsockopt(socket.IPPROTO_TCP, getattr(socket, each)) for each in names]
    has_it = stream.socket.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
    return has_it and found == [keep_alive.SILENCE, keep_alive.INTERVAL, keep_alive.PROBES]


def test_connections_to_a_target_are_looked_after(tmp_path):
    lab = Lab(tmp_path)

    async def main():
        with socket.create_server(("127.0.0.1", 0)) as listener:
            lab.target = parse_target(f"http://127.0.0.1:{listener.getsockname()[1]}/acp")
            async with await Service.connect(lab, ("http/1.1",)) as stream:
                assert looked_after(stream)

    trio.run(main)


@pytest.mark.parametrize("command", ["http", "serve"])
def test_connections_of_clients_are_looked_after(command, tmp_path, monkeypatch):
    accepted = []

    async def keep(stream, *_args, **_options):
        accepted.append(looked_after(stream))

    async def serve(lab, nursery, listeners):
        free = trio.Semaphore(1)
        server = AgentServer(lab, ["true"], Limits(), nursery, (0, 0))
        handle = server.handle if command == "serve" else partial(run_http.accepted, lab, free)
        await accept_all(listeners, handle, free, pytest.fail)

    async def main():
        async with trio.open_nursery() as nursery:
            listeners = await listen("127.0.0.1", 0)
            nursery.start_soon(serve, Lab(tmp_path), nursery, listeners)
            port = listeners[0].socket.getsockname()[1]
            async with await trio.open_tcp_stream("127.0.0.1", port) as client:
                await client.receive_some()
            nursery.cancel_scope.cancel()

    for module in (run_http, agent_server):
        monkeypatch.setattr(module, "serve_connection", keep)
    trio.run(main)
    assert accepted == [True]
