"""
What an option costs that may change the traffic, against the proxy without one.

Whole frames pass through a pipeline then. The options here change nothing.
"""

import statistics
import tempfile

from benchmarks.measuring import ACP_SPY, median, take_turns
from benchmarks.outcome import Limit, Outcome, Table
from benchmarks.peers.client import PING, Client
from benchmarks.proxy import BOOT, PEERS

PLAIN, SCRIPT = "acp-spy", "acp-spy --script, one that does nothing"
WAYS = {
    PLAIN: [],
    SCRIPT: ["--script", f"{PEERS}/do_nothing.py"],
    "acp-spy --intercept, without a viewer": ["--intercept", "method:session/request_permission"],
    "acp-spy --fault, one that never happens": ["--fault", "drop turn:1000000", "--seed", "1"],
}


def measure(effort):
    with tempfile.TemporaryDirectory() as folder:
        spy = [*ACP_SPY, "--no-check", "-o", f"{folder}/spy.jsonl"]
        work = {
            name: lambda words=words: workloads([*spy, *words, "--"], effort)
            for name, words in WAYS.items()
        }
        samples = take_turns(work, effort.rounds)
    trips = {name: median(runs, lambda run: run[0]) for name, runs in samples.items()}
    bursts = {name: median(runs, lambda run: run[1]) for name, runs in samples.items()}
    count = effort.size(50_000, 5_000)
    rows = [[name, f"{trips[name] * 1e6:.0f}", f"{bursts[name] * 1e3:.0f}"] for name in WAYS]
    return Outcome(
        limits=[
            Limit(
                "a round trip with a script that does nothing, relative to the plain proxy",
                trips[SCRIPT] / trips[PLAIN],
                2.0,
            ),
            Limit("a burst with it", bursts[SCRIPT] / bursts[PLAIN], 6.0),
        ],
        tables=[Table(["", "round trip, µs", f"burst {count:,}, ms"], rows)],
        figures={"trips": trips, "bursts": bursts},
    )


def workloads(prefix, effort):
    """Return the seconds of a round trip, and of a burst."""
    client = Client(prefix, "--boot", str(BOOT))
    client.ask(PING)
    trips = [client.ask(PING) for _ in range(effort.size(2_000, 500))]
    burst = client.burst(effort.size(50_000, 5_000))
    client.end()
    return statistics.median(trips), burst
