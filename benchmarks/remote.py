"""
What `acp-spy http` costs, against no proxy and a bare relay of the same bytes by trio.

A round trip over a WebSocket is a message and its answer; over HTTP it is a POST, its 202, and an
event on a stream that is open beside it.
"""

import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path

from benchmarks.measuring import ACP_SPY, MIB, take_turns
from benchmarks.outcome import Limit, Outcome, Table
from benchmarks.peers import remote_wire as wire

PEERS = Path(__file__).parent / "peers"
SPY, RELAY, DIRECT = "acp-spy http", "trio relay", "direct"
WEBSOCKET, POST, BURST = "WebSocket round trip", "POST/SSE round trip", "burst of events"


def measure(effort):
    trips, events = effort.size(2000, 100), effort.size(50_000, 1000)
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        target = stack.enter_context(port_of([sys.executable, f"{PEERS}/remote_target.py"]))
        relay = [sys.executable, f"{PEERS}/remote_relay.py", str(target)]
        spy = spied(target, folder)
        ports = {
            DIRECT: target,
            RELAY: stack.enter_context(port_of(relay)),
            SPY: stack.enter_context(port_of(spy)),
        }
        work = {
            name: lambda port=port: workloads(port, trips, events) for name, port in ports.items()
        }
        samples = take_turns(work, effort.rounds)
        memory = flat(target, folder, effort)
    medians = {
        name: {what: statistics.median(run[what] for run in runs) for what in runs[0]}
        for name, runs in samples.items()
    }
    return Outcome(
        limits=limits(medians, memory, events),
        tables=[table(medians, events), memory_table(memory)],
        figures={"medians": medians, "memory": memory},
    )


def spied(target, folder):
    url = f"http://127.0.0.1:{target}/acp"
    return [*ACP_SPY, "http", "--no-check", "--target", url, "-o", f"{folder}/run.jsonl"]


@contextmanager
def port_of(command):
    """Run something that prints its port, or a URL with it."""
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as program:
        try:
            first = program.stdout.readline()
            port_of.pid = program.pid
            yield int(first.rpartition(":")[2].partition("/")[0])
        finally:
            program.send_signal(signal.SIGTERM)


def workloads(port, trips, events):
    return {
        WEBSOCKET: websocket_trips(port, trips),
        POST: post_trips(port, trips),
        BURST: burst(port, events),
    }


def connect(port):
    connection = socket.create_connection(("127.0.0.1", port))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def receive(connection, size):
    while size > 0:
        data = connection.recv(65536)
        assert data, "the connection was lost"
        size -= len(data)


def receive_until(connection, mark):
    data = b""
    while mark not in data:
        data += connection.recv(65536)
    return data


def websocket_trips(port, trips):
    """Return the median of the seconds of a round trip."""
    with connect(port) as connection:
        connection.sendall(wire.UPGRADE)
        receive_until(connection, b"\r\n\r\n")
        taken = []
        for _ in range(trips):
            before = time.perf_counter()
            connection.sendall(wire.MASKED)
            receive(connection, wire.ANSWER_SIZE)
            taken.append(time.perf_counter() - before)
    return statistics.median(taken)


def post_trips(port, trips):
    with connect(port) as stream, connect(port) as connection:
        connection.sendall(wire.INITIALIZE)
        ident = wire.connection_id(receive_until(connection, b"}}"))
        stream.sendall(wire.events(ident))
        receive_until(stream, b"\r\n\r\n")
        request = wire.post(ident)
        taken = []
        for _ in range(trips):
            before = time.perf_counter()
            connection.sendall(request)
            receive_until(connection, b"\r\n\r\n")
            receive(stream, wire.EVENT_SIZE)
            taken.append(time.perf_counter() - before)
    return statistics.median(taken)


def burst(port, events):
    with connect(port) as stream, connect(port) as connection:
        connection.sendall(wire.INITIALIZE)
        ident = wire.connection_id(receive_until(connection, b"}}"))
        before = time.perf_counter()
        stream.sendall(wire.events(ident, f"/events/{events}"))
        head = receive_until(stream, b"\r\n\r\n").partition(b"\r\n\r\n")[2]
        receive(stream, events * wire.EVENT_SIZE - len(head))
        return time.perf_counter() - before


def flat(target, folder, effort):
    """Return the resident memory of a proxy before and after many events, and connections."""
    events, connections = effort.size(1_000_000, 2000), effort.size(10_000, 50)
    with port_of(spied(target, folder)) as port:
        pid = port_of.pid
        burst(port, 1000)
        before = resident(pid)
        for _ in range(max(1, events // 100_000)):
            burst(port, min(events, 100_000))
        after_events = resident(pid)
        for _ in range(connections):
            with connect(port) as connection:
                connection.sendall(wire.INITIALIZE)
                ident = wire.connection_id(receive_until(connection, b"}}"))
                connection.sendall(wire.delete(ident))
                receive_until(connection, b"\r\n\r\n")
        return {
            "at first": before,
            f"after {events:,} events": after_events,
            f"after {connections:,} connections": resident(pid),
        }


def resident(pid):
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096


def added(medians, name, what):
    return medians[name][what] - medians[DIRECT][what]


def limits(medians, memory, events):
    first, *later = memory.values()
    return [
        *(
            Limit(
                f"added to a {what}, in terms of the trio relay",
                added(medians, SPY, what) / max(added(medians, RELAY, what), 1e-9),
                2.0,
                aim=what == POST,
            )
            for what in (WEBSOCKET, POST)
        ),
        Limit(
            f"{events:,} events, in terms of the trio relay",
            medians[SPY][BURST] / medians[RELAY][BURST],
            4.0,
            aim=True,
        ),
        Limit("memory after all of it, in terms of that at first", max(later) / first, 1.5),
    ]


def table(medians, events):
    columns = ["", "WebSocket round trip, us", "POST/SSE round trip, us", f"{events:,} events, ms"]
    rows = [
        [
            name,
            f"{found[WEBSOCKET] * 1e6:.0f}",
            f"{found[POST] * 1e6:.0f}",
            f"{found[BURST] * 1e3:.0f}",
        ]
        for name, found in medians.items()
    ]
    return Table(columns, rows)


def memory_table(memory):
    return Table(
        ["", "resident memory, MiB"],
        [[when, f"{size / MIB:.1f}"] for when, size in memory.items()],
    )
