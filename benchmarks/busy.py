"""What the proxy adds to a round trip while another program keeps one of the cores busy."""

import statistics
import subprocess
import sys
import tempfile

from benchmarks import proxy
from benchmarks.measuring import median, take_turns
from benchmarks.outcome import Limit, Outcome, Table
from benchmarks.peers.client import PING, Client

BUSY = [sys.executable, "-I", "-S", "-c", "while True: pass"]
RELAYS, OURS = ("direct", "trio relay", "Python relay"), (proxy.SPY, proxy.UNJUDGED)
CONTENDERS = (*RELAYS, *OURS, proxy.BEFORE, proxy.BEFORE_UNJUDGED)


def measure(effort):
    with tempfile.TemporaryDirectory() as folder, subprocess.Popen(BUSY) as busy:
        chain = proxy.contenders(folder)
        try:
            work = {name: lambda name=name: round_trip(chain[name], effort) for name in CONTENDERS}
            samples = take_turns(work, effort.rounds)
        finally:
            busy.kill()
    seconds = {name: median(taken) for name, taken in samples.items()}
    added = {name: max(taken - seconds["direct"], 1e-6) for name, taken in seconds.items()}
    rows = [[name, f"{added[name] * 1e6:.0f}"] for name in CONTENDERS[1:]]
    return Outcome(
        limits=[
            Limit(
                "added to a round trip while one core is busy, relative to 0.1",
                added[proxy.SPY] / added[proxy.BEFORE],
                1.2,
            ),
            Limit(
                "the same, both without live checks",
                added[proxy.UNJUDGED] / added[proxy.BEFORE_UNJUDGED],
                1.2,
            ),
        ],
        tables=[Table(["", "round trip, added µs"], rows)],
        figures={"seconds": seconds},
    )


def round_trip(prefix, effort):
    """Return the seconds that a round trip takes, the median of many."""
    client = Client(prefix, "--boot", str(proxy.BOOT))
    client.ask(PING)
    taken = statistics.median(client.ask(PING) for _ in range(effort.size(2_000, 500)))
    client.end()
    return taken
