"""
What the proxy costs, against no proxy, bare relays, 0.1 with its hand-written loop, and others.

What counts is the ratio to the bare relays of the same run. The C relay takes part where there is
a compiler, other recorders where they are on PATH; these get a minute for each workload.
"""

import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

from benchmarks.measuring import ACP_SPY, MIB, first_version, median, memory_of, take_turns
from benchmarks.outcome import Limit, Outcome, Table
from benchmarks.peers.client import PING, Client

PEERS = Path(__file__).parent / "peers"
BOOT, SHORT_BOOT = 0.3, 0.07  # seconds that the agent takes to come up
PATIENCE = 60  # seconds that another recorder gets for a workload
OTHERS = {
    "acp-devtools": ["proxy", "--log", "none", "--no-ws"],
    "sacp-tee": ["-l", "{folder}/sacp-tee", "--"],
}
FIRST_ANSWERS = {"first answer, at once": 0, "first answer, soon": SHORT_BOOT, "first answer": BOOT}
SPY, UNJUDGED = "acp-spy", "acp-spy --no-check"
BEFORE, BEFORE_UNJUDGED = "acp-spy 0.1", "acp-spy 0.1 --no-check"


def measure(effort):
    with tempfile.TemporaryDirectory() as folder:
        chain = contenders(folder)
        work = {
            name: lambda prefix=prefix: workloads(prefix, effort) for name, prefix in chain.items()
        }
        samples = take_turns({**work, "import": import_time}, effort.rounds)
    imports = statistics.median(samples.pop("import"))
    medians = {
        name: {
            what: median(runs, lambda run, what=what: run[what])
            for what in set.intersection(*map(set, runs))
        }
        for name, runs in samples.items()
    }
    return Outcome(
        limits=limits(medians, imports),
        tables=[table(medians, effort)],
        note=f"`import trio, msgspec` takes {imports * 1e3:.0f} ms.",
        figures={"medians": medians, "import": imports},
    )


def contenders(folder):
    """Return what stands before the agent's command, by name."""
    found = {
        "direct": [],
        "trio relay": [sys.executable, f"{PEERS}/trio_relay.py", f"{folder}/trio"],
        "Python relay": [sys.executable, f"{PEERS}/poll_relay.py", f"{folder}/python"],
    }
    if relay := c_relay(folder):
        found["C relay"] = [relay, f"{folder}/c"]
    spy = [*ACP_SPY, "-o", f"{folder}/spy.jsonl"]
    found[SPY] = [*spy, "--"]
    found[UNJUDGED] = [*spy, "--no-check", "--"]
    before = [*first_version(f"{folder}/before"), "-o", f"{folder}/before.jsonl"]
    found[BEFORE] = [*before, "--"]
    found[BEFORE_UNJUDGED] = [*before, "--no-check", "--"]
    for name, words in OTHERS.items():
        if path := shutil.which(name):
            found[name] = [path, *(word.format(folder=folder) for word in words)]
    return found


def c_relay(folder):
    """Compile the relay, and return its path; nothing where that cannot be done."""
    relay = f"{folder}/relay"
    compiler = shutil.which("cc")
    command = [compiler, "-O2", "-o", relay, f"{PEERS}/relay.c"]
    if not compiler or subprocess.run(command, check=False).returncode:
        return ""
    return relay


def workloads(prefix, effort):
    """Run every workload once; return the figures by name, but for those that took too long."""
    figures = {}
    burst = effort.size(50_000, 5_000)
    before = time.perf_counter()
    client = Client(prefix, "--boot", str(BOOT))
    patience = PATIENCE if prefix and Path(prefix[0]).name in OTHERS else 0
    try:
        with deadline(patience):
            client.ask(PING)
            figures["first answer"] = time.perf_counter() - before
            trips = [client.ask(PING) for _ in range(effort.size(2_000, 500))]
            figures["round trip"] = statistics.median(trips)
        figures["idle"] = memory_of(client.process.pid, "VmRSS")
        with deadline(patience):
            figures["burst"] = client.burst(burst)
        with deadline(patience):
            figures["long burst"] = client.burst(4 * burst)
        figures["end"] = client.end()
    except TimeoutError:
        client.kill()
    before = time.perf_counter()
    client = Client(prefix, "--boot", str(SHORT_BOOT))
    client.ask(PING)
    figures["first answer, soon"] = time.perf_counter() - before
    client.end()
    before = time.perf_counter()
    client = Client(prefix)
    client.ask(PING)
    figures["first answer, at once"] = time.perf_counter() - before
    try:
        with deadline(patience):
            big = effort.size(16, 4) * MIB
            figures["big line"] = client.ask_big(b'"' + b"x" * (big - 3) + b'"\n')
        figures["memory"] = client.peak_memory()
        client.end()
        before = time.perf_counter()
        client = Client(prefix)
        with deadline(patience):
            client.burst(burst)
            figures["burst at once"] = time.perf_counter() - before
        client.end()
    except TimeoutError:
        client.kill()
    before = time.perf_counter()
    subprocess.run([*prefix, "true"], check=True, stdin=subprocess.DEVNULL)
    figures["true"] = time.perf_counter() - before
    return figures


@contextmanager
def deadline(seconds):
    """Raise `TimeoutError` if what is inside takes longer; 0 is for ever."""

    def give_up(*_):
        raise TimeoutError

    signal.signal(signal.SIGALRM, give_up)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)


def import_time():
    before = time.perf_counter()
    subprocess.run([sys.executable, "-c", "import trio, msgspec"], check=True)
    return time.perf_counter() - before


def limits(medians, imports):
    """Return each limit of the issues that set them."""
    direct, relay, spy = medians["direct"], medians["trio relay"], medians[SPY]
    unjudged = medians[UNJUDGED]

    def added(figures, what="round trip"):
        # On a busy machine even less than nothing can come out, of which no ratio is to be had.
        return max(figures[what] - direct[what], 1e-6)

    found = [
        Limit(
            "added to a round trip, relative to the bare trio relay", added(spy) / added(relay), 0.8
        ),
        Limit("added to a round trip, relative to 0.1", added(spy) / added(medians[BEFORE]), 1.1),
        Limit(
            "the same, both without live checks",
            added(unjudged) / added(medians[BEFORE_UNJUDGED]),
            1.1,
        ),
    ]
    bare = medians["Python relay"]
    found.append(
        Limit(
            "the same, without live checks, relative to a bare relay in Python",
            added(unjudged) / added(bare),
            2.0,
            aim=True,
        )
    )
    if c := medians.get("C relay"):
        found += [
            Limit(
                "added to a round trip, relative to the bare C relay",
                added(spy) / added(c),
                3.0,
                aim=True,
            ),
            Limit("the same, without live checks", added(unjudged) / added(c), 3.0, aim=True),
        ]
    return [
        *found,
        Limit(
            "a round trip, relative to one without live checks",
            spy["round trip"] / unjudged["round trip"],
            1.1,
        ),
        Limit("a burst, relative to the bare trio relay", spy["burst"] / relay["burst"], 2.8),
        Limit("the same without live checks", unjudged["burst"] / relay["burst"], 2.8),
        Limit(
            "start and burst of an agent that is up at once, relative to the bare trio relay",
            spy["burst at once"] / relay["burst at once"],
            2.8,
        ),
        Limit(
            "a burst four times as long, relative to four times the time",
            spy["long burst"] / spy["burst"] / 4,
            1.2,
        ),
        Limit(
            "a huge line each way, of an agent that is up at once, relative to the bare trio relay",
            spy["big line"] / relay["big line"],
            3.0,
        ),
        Limit("the same without live checks", unjudged["big line"] / relay["big line"], 3.0),
        Limit("peak memory for it, in MiB", spy["memory"] / MIB, 120.0),
        Limit("memory when idle, in MiB", spy["idle"] / MIB, 32.0),
        *(
            Limit(
                f"first response of an agent up after {boot:g} s, later than with 0.1, in ms",
                (spy[what] - medians[BEFORE][what]) * 1e3,
                10.0,
            )
            for what, boot in FIRST_ANSWERS.items()
        ),
        Limit(
            "`acp-spy -- true`, longer than with 0.1, in ms",
            (spy["true"] - medians[BEFORE]["true"]) * 1e3,
            20.0,
        ),
        Limit(
            "added to the first response, relative to `import trio, msgspec`",
            added(spy, "first answer") / imports,
            0.25,
        ),
    ]


def table(medians, effort):
    burst = effort.size(50_000, 5_000)
    columns = {
        "round trip, added µs": ("round trip", 1e6, True),
        f"burst {burst:,}, ms": ("burst", 1e3, False),
        f"burst {4 * burst:,}, ms": ("long burst", 1e3, False),
        f"{effort.size(16, 4)} MiB each way, ms": ("big line", 1e3, False),
        "peak memory, MiB": ("memory", 1 / MIB, False),
        "idle, MiB": ("idle", 1 / MIB, False),
        **{
            f"first response, up after {boot:g} s, added ms": (what, 1e3, True)
            for what, boot in FIRST_ANSWERS.items()
        },
        "end, ms": ("end", 1e3, False),
        "`true`, ms": ("true", 1e3, False),
    }

    def cell(name, what, scale, added):
        if what not in medians[name]:
            return f"> {PATIENCE} s"
        if not added:
            return f"{medians[name][what] * scale:.0f}"
        direct = medians["direct"][what]
        if name == "direct":
            return f"({direct * scale:.0f})"
        return f"{(medians[name][what] - direct) * scale:.0f}"

    rows = [[name, *(cell(name, *column) for column in columns.values())] for name in medians]
    return Table(["", *columns], rows)
