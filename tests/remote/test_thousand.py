"""
A thousand TCP connections at once, to commands that run as processes.

All are open when the first of them ends: each waits for all others, and for nothing else. A process
needs a file for each end of a connection. This one raises its own limit as far as it may; where
that is not enough, there are as many connections as there are files for.
"""

import errno
import json
import os
import resource
import signal
import subprocess
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import pytest
import trio
import trio.testing
from support.processes import ACP_SPY, DEADLINE
from support.remote import INITIALIZE, INITIALIZED, STREAM, chunk, get, post

from acp_spy.remote import listening
from acp_spy.remote.agent_server import FILES_OF_AGENT, MOST_TCP, Limits
from acp_spy.remote.conversations import MOST_IDLE

MANY = 1000
SPARE = 200  # files of this process that are no connections
MOST_MEMORY = 200_000_000  # bytes of the command, with all of them open; it takes 60 million
END = b"0\r\n\r\n"
AGENT = ["sed", "-u", f"s/.*/{INITIALIZED.decode()}/"]  # one response to everything


@pytest.fixture
def many():
    """Give how many connections this process may have both ends of."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 4 * MANY + SPARE  # what the commands need, which inherit it
    if soft < wanted:
        allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
    allowed = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    yield max(1, min(MANY, (allowed - SPARE) // 4))
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@contextmanager
def running(*words):
    """Run a command that serves; give its process and its port."""
    command = [*ACP_SPY, *words]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process, int(process.stdout.readline().rpartition(":")[2].partition("/")[0])
        finally:
            process.send_signal(signal.SIGINT)
        complaints = process.stderr.read().splitlines()[1:]  # after the line that it begins with
        assert (process.wait(DEADLINE), complaints) == (0, [])


class Stream:
    """A connection that is read up to something; what came after that is read next."""

    def __init__(self, stream):
        self._stream = stream
        self._held = b""
        self.send = stream.send_all

    async def until(self, mark):
        while mark not in self._held:
            data = await self._stream.receive_some()
            assert data, f"it ended before {mark!r} came: {self._held!r}"
            self._held += bytes(data)
        found, _, self._held = self._held.partition(mark)
        return found + mark

    async def ended(self):
        while await self._stream.receive_some():
            pass


@asynccontextmanager
async def connected(port):
    async with await trio.open_tcp_stream("127.0.0.1", port) as stream:
        yield Stream(stream)


class Meeting:
    """Where each waits until all have come."""

    def __init__(self, size):
        self._missing = size
        self._is_complete = trio.Event()

    async def wait(self):
        self._missing -= 1
        if not self._missing:
            self._is_complete.set()
        await self._is_complete.wait()


async def all_at_once(count, function):
    with trio.fail_after(DEADLINE):
        async with trio.open_nursery() as nursery:
            for number in range(count):
                nursery.start_soon(function, number)


def memory_of(process):
    """Return the most bytes that a process has had; 0 where nobody knows."""
    try:
        status = Path(f"/proc/{process.pid}/status").read_text()
    except OSError:
        return 0
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024


def records_in(folder):
    """Return the records of all captures, by capture."""
    return [[*map(json.loads, path.read_text().splitlines())] for path in sorted(folder.iterdir())]


@pytest.mark.long
def test_a_thousand_conversations_are_relayed_and_recorded_at_once(many, tmp_path):
    async def main():
        everybody = Meeting(2 * many)

        async def target(stream):
            peer = Stream(stream)
            head = (await peer.until(b"\r\n\r\n")).decode()
            number = head.partition("Acp-Connection-Id: c-")[2].split()[0]
            await peer.send(STREAM + chunk(f'data: {{"n":{number}}}\n\n'.encode()))
            await everybody.wait()
            await peer.send(END)
            await peer.ended()

        async def client(number):
            async with connected(port) as peer:
                own = f"Acp-Connection-Id: c-{number}"
                await peer.send(get("Accept: text/event-stream", own))
                assert f'data: {{"n":{number}}}'.encode() in await peer.until(b"\n\n\r\n")
                await everybody.wait()
                assert await peer.until(END) == END

        async with trio.open_nursery() as nursery:
            listeners = await nursery.start(trio.serve_tcp, target, 0)
            there = f"http://127.0.0.1:{listeners[0].socket.getsockname()[1]}/acp"
            words = "http", "--no-check", "--dir", str(tmp_path), "--target", there
            with running(*words) as (process, port):
                await all_at_once(many, client)
            assert memory_of(process) < MOST_MEMORY
            nursery.cancel_scope.cancel()

    trio.run(main)
    captures = [[r for r in records if r["type"] != "header"] for records in records_in(tmp_path)]
    assert [[r["type"] for r in records] for records in captures] == [
        ["exchange", "frame", "disconnect"]
    ] * many
    assert {(frame["via"]["connection"], frame["message"]["n"]) for _, frame, _ in captures} == {
        (f"c-{number}", number) for number in range(many)
    }


@pytest.mark.long
def test_a_thousand_clients_of_a_served_agent_get_an_agent_or_are_refused(many, tmp_path):
    found = []

    async def main():
        everybody = Meeting(many)

        async def client(_number):
            async with connected(port) as peer:
                await peer.send(post(INITIALIZE))
                status = int((await peer.until(b"\r\n\r\n")).split()[1])
                await peer.until({200: INITIALIZED, 503: b"Too many connections"}[status])
                found.append(status)
                await everybody.wait()

        words = "serve", "--no-check", "--dir", str(tmp_path), "--", *AGENT
        with running(*words) as (process, port):
            await all_at_once(many, client)
            assert memory_of(process) < MOST_MEMORY

    trio.run(main)
    most = min(Limits().connections, many)
    assert (found.count(200), found.count(503)) == (most, many - most)
    records = [record for records in records_in(tmp_path) for record in records]
    recorded = [record["status"] for record in records if record["type"] == "exchange"]
    assert sorted(recorded) == sorted(found)
    assert sum(r["type"] == "frame" and r["sender"] == "client" for r in records) == many


def test_there_are_no_more_places_than_files(monkeypatch):
    for soft, expected in ((64, 8), (1024, 248), (20_000, 4096), (-1, 4096)):
        monkeypatch.setattr(listening.os, "sysconf", {"SC_OPEN_MAX": soft}.get)
        assert listening.places(4096, files=4) == expected
    monkeypatch.setattr(listening.os, "sysconf", {"SC_OPEN_MAX": 16}.get)
    assert listening.places(10, files=4) == 1


def test_an_agent_may_open_as_many_files_as_without_us(tmp_path):
    """`serve` allows itself more of them, once, and not its agents."""
    code = f"read line; echo '{INITIALIZED.decode()}' | sed s/'\"result\":{{'/'&\"files\":'$(ulimit -n),/; cat"
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    few = max(map(int, os.listdir("/proc/self/fd"))) + 100  # this process has to go on
    found = b""

    async def main():
        nonlocal found
        words = ("serve", "--listen", "127.0.0.1:0", "--dir", str(tmp_path), "--no-check")
        with running(*words, "--", "sh", "-c", code) as (process, port):
            stream = await trio.open_tcp_stream("127.0.0.1", port)
            async with stream:
                await stream.send_all(post(INITIALIZE))
                while b'"files":' not in found or not found.endswith(b"}"):
                    data = await stream.receive_some()
                    assert data, found
                    found += data
            limits.append(resource.prlimit(process.pid, resource.RLIMIT_NOFILE)[0])

    limits = []
    resource.setrlimit(resource.RLIMIT_NOFILE, (few, hard))
    try:
        trio.run(main)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert b'"files":%d,' % few in found
    most = few + FILES_OF_AGENT * Limits().connections + MOST_TCP + MOST_IDLE
    assert limits == [most if hard == resource.RLIM_INFINITY else min(most, hard)]


def test_a_connection_that_has_no_place_waits_for_one():
    handled, complaints = [], []

    async def main():
        may_end = trio.Event()

        async def handle(stream):
            handled.append(stream)
            await may_end.wait()

        (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
        port = listener.socket.getsockname()[1]
        async with trio.open_nursery() as nursery:
            nursery.start_soon(
                listening.accept_all, [listener], handle, trio.Semaphore(2), complaints.append
            )
            streams = [await trio.open_tcp_stream("127.0.0.1", port) for _ in range(5)]
            while len(handled) < 2:
                await trio.testing.wait_all_tasks_blocked()
            await trio.testing.wait_all_tasks_blocked()
            assert len(handled) == 2
            may_end.set()
            for stream in streams:
                assert await stream.receive_some() == b""  # it was closed after it was handled
                await stream.aclose()
            nursery.cancel_scope.cancel()
        assert listener.socket.fileno() == -1  # nobody listens any more

    trio.run(main)
    assert (len(handled), complaints) == (5, [])


async def come_to(listener):
    """Connect, and wait until the connection was handled, which closes it."""
    port = listener.socket.getsockname()[1]
    async with await trio.open_tcp_stream("127.0.0.1", port) as stream:
        assert await stream.receive_some(1) == b""


async def handle_at_once(_stream):
    await trio.lowlevel.checkpoint()


def test_a_listener_to_which_nobody_connects_takes_no_place():
    async def main():
        listeners = [(await trio.open_tcp_listeners(0, host="127.0.0.1"))[0] for _ in range(2)]
        with trio.fail_after(DEADLINE):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(
                    listening.accept_all, listeners, handle_at_once, trio.Semaphore(1), pytest.fail
                )
                for listener in (listeners[0], listeners[0], listeners[1], listeners[1]):
                    await come_to(listener)
                nursery.cancel_scope.cancel()

    trio.run(main)


def test_a_client_that_has_gone_takes_no_place():
    """`accept` finds nobody: then the place is free for the client of another listener."""

    async def main():
        (gone,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
        (other,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
        has_looked = trio.Event()

        async def accept():
            has_looked.set()
            await trio.sleep_forever()

        gone.accept = accept
        port = gone.socket.getsockname()[1]
        with trio.fail_after(DEADLINE):
            async with trio.open_nursery() as nursery:
                listeners = [gone, other]
                nursery.start_soon(
                    listening.accept_all, listeners, handle_at_once, trio.Semaphore(1), pytest.fail
                )
                async with await trio.open_tcp_stream("127.0.0.1", port):
                    await has_looked.wait()
                    await come_to(other)
                nursery.cancel_scope.cancel()

    trio.run(main)


def test_that_there_are_no_more_files_is_reported_and_tried_again():
    complaints = []
    failures = [errno.EMFILE, errno.ENFILE]

    async def main():
        (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
        accept = listener.accept

        async def accept_later():
            if failures:
                raise OSError(failures.pop(), "")
            return await accept()

        listener.accept = accept_later
        async with trio.open_nursery() as nursery:
            nursery.start_soon(
                listening.accept_all,
                [listener],
                handle_at_once,
                trio.Semaphore(1),
                complaints.append,
            )
            await come_to(listener)
            nursery.cancel_scope.cancel()

    trio.run(main)
    assert complaints == [
        "cannot accept a connection: Too many open files in system; trying again",
        "cannot accept a connection: Too many open files; trying again",
    ]
