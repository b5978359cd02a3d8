"""
Whether memory grows: a long conversation through the proxy, which is checked while it runs.

`python -m benchmarks.soak --minutes 10 --frames 5000000` is the whole of it. Frames come at an even
pace, with new names in every turn; the memory of the proxy and of the checker is looked at as it
goes, and compared at the end with what it was after a fifth.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.measuring import ACP_SPY, MIB, ROOT, median, memory_of
from benchmarks.outcome import Limit, Outcome, Table
from benchmarks.peers.talker import Talker
from benchmarks.report import markdown

WARM = 0.2  # of the run
GROWTH = 1.05


def measure(effort):
    return soak(effort.size(10 * 60, 10), effort.size(5_000_000, 50_000))


def soak(seconds, frames):
    with tempfile.TemporaryDirectory() as folder:
        capture = Path(folder, "soak.jsonl")
        samples, took = converse(capture, seconds, frames)
        size = capture.stat().st_size
        recorded = count_frames(capture)
    assert recorded >= frames, f"of {frames} frames {recorded} are in the capture"
    return Outcome(
        limits=[
            Limit(
                f"memory of the {who} at the end, relative to after a fifth",
                growth(samples, who),
                GROWTH,
            )
            for who in ("proxy", "checker")
        ],
        tables=[table(samples)],
        note=(
            f"{recorded:,} frames, {size / 1e6:.0f} MB, in {took / 60:.1f} min. A million more"
            f" frames take {slope(samples, 'proxy'):+.2f} MiB in the proxy and"
            f" {slope(samples, 'checker'):+.2f} MiB in the checker."
        ),
        figures={"samples": samples[:: max(len(samples) // 50, 1)]},
    )


def converse(capture, seconds, frames):
    """Have the conversation; return (frames so far, memory by who) as it went, and the seconds."""
    agent = [sys.executable, "-m", "benchmarks.peers.talker", str(frames)]
    with subprocess.Popen(
        [*ACP_SPY, "-o", str(capture), "--", *agent],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=ROOT,
    ) as proxy:
        source, sink = proxy.stdout.fileno(), proxy.stdin.fileno()
        samples, before, next_look = [], time.perf_counter(), 0.0
        for said in Talker("client", frames, source, sink).talk():
            now = time.perf_counter() - before
            if now >= next_look:
                next_look = now + seconds / 500
                samples.append((said, memory_of_both(proxy.pid)))
            if (ahead := seconds * said / frames - now) > 0.01:
                time.sleep(ahead)
        took = time.perf_counter() - before
        proxy.stdin.close()
    return samples, took


def memory_of_both(proxy):
    children = Path(f"/proc/{proxy}/task/{proxy}/children").read_text().split()
    checker = children[1]  # the agent is the first
    return {"proxy": memory_of(proxy, "VmRSS"), "checker": memory_of(checker, "VmRSS")}


def count_frames(capture):
    with capture.open("rb") as file:
        return sum(line.startswith(b'{"type":"frame"') for line in file)


def growth(samples, who):
    """Return the memory of the last tenth of the run against that of the tenth after the start."""
    total = samples[-1][0]

    def between(start, end):
        return median(used[who] for said, used in samples if start * total <= said <= end * total)

    return between(0.9, 1) / between(WARM, WARM + 0.1)


def slope(samples, who):
    """Return how many MiB a million frames more take after the start: the line of least squares."""
    warm = [
        (said / 1e6, used[who] / MIB) for said, used in samples if said >= WARM * samples[-1][0]
    ]
    middle = sum(x for x, _ in warm) / len(warm)
    level = sum(y for _, y in warm) / len(warm)
    spread = sum((x - middle) ** 2 for x, _ in warm)
    return sum((x - middle) * (y - level) for x, y in warm) / spread if spread else 0.0


def table(samples):
    """Return the memory after each tenth of the run."""
    rows = []
    for tenth in range(1, 11):
        said, used = next(each for each in samples if each[0] >= samples[-1][0] * tenth / 10)
        rows.append([f"{said:,}", *(f"{used[who] / MIB:.1f}" for who in ("proxy", "checker"))])
    return Table(["frames", "proxy, MiB", "checker, MiB"], rows)


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--frames", type=int, default=5_000_000)
    options = parser.parse_args()
    outcome = soak(options.minutes * 60, options.frames)
    print(markdown(outcome.tables[0]), outcome.note, sep="\n\n")
    for limit in outcome.limits:
        print(f"{limit.what}: {limit.measured:.3f}, at most {limit.at_most:g}")
    return int(not all(limit.is_met for limit in outcome.limits))


if __name__ == "__main__":
    sys.exit(main())
