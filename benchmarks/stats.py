"""
What figures cost: `stats`, relative to checking the same capture; and `list` on a folder of many.

A folder is listed twice: with many small captures, and with a single one of a gigabyte besides.
"""

import os
import subprocess
import sys
import tempfile

from benchmarks.conversation import grow, write_capture
from benchmarks.measuring import MIB, median, take_turns
from benchmarks.outcome import Limit, Outcome

STATS = """
import sys, time
from acp_spy.capture.files import read
from acp_spy.view.stats.collect import collect
before = time.process_time()
frames = collect(read(sys.argv[1])).frames
seconds = time.process_time() - before
status = open('/proc/self/status').read()
print(frames, seconds, status.partition('VmHWM:')[2].split()[0])
"""
JUDGE = """
import sys, time
from acp_spy.view.findings.check_file import check_file
from acp_spy.lint.catalogue import CATALOGUE
rules = tuple(CATALOGUE.values())  # loads them
before = time.process_time()
frames = check_file(sys.argv[1], rules).frames
print(frames, time.process_time() - before, 0)
"""
LIST = """
import sys, time
from acp_spy.capture.folder import captures
from acp_spy.view.captures.summary import summarize
before = time.process_time()
count = len([summarize(entry) for entry in captures(sys.argv[1])])
print(count, time.process_time() - before, 0)
"""


def measure(effort):
    frames, captures = effort.size(200_000, 20_000), effort.size(500, 50)
    with tempfile.TemporaryDirectory() as folder:
        long, short, many = f"{folder}/long.jsonl", f"{folder}/short.jsonl", f"{folder}/many"
        write_capture(long, frames)
        write_capture(short, frames // 10)
        os.mkdir(many)
        for number in range(captures):
            write_capture(f"{many}/{number}.jsonl", 400)
        samples = take_turns(
            {
                "judge": lambda: run(JUDGE, long),
                "stats": lambda: run(STATS, long),
                "list": lambda: run(LIST, many),
            },
            effort.rounds,
        )
        memory_short = run(STATS, short)[2]
        grow(f"{many}/huge.jsonl", long, effort.size(1000, 100) * 1_000_000)
        with_huge = run(LIST, many)[1]
    frames = samples["stats"][0][0]
    memory = median(samples["stats"], lambda sample: sample[2])
    judging, counting, listing = (
        median(samples[name], lambda sample: sample[1]) for name in ("judge", "stats", "list")
    )
    return Outcome(
        limits=[
            Limit("`stats`, relative to checking", counting / judging, 1.0),
            Limit(
                "its peak memory, relative to a tenth of the frames",
                memory / memory_short,
                1.2,
            ),
            Limit("`list` with an additional capture of 1 GB", with_huge / listing, 1.5),
        ],
        note=(
            f"{frames:,} frames: {counting / frames * 1e6:.1f} µs per frame,"
            f" {memory / MIB:.0f} MiB; `list` takes {listing / captures * 1e3:.2f} ms per capture."
        ),
        figures={"stats": counting, "judging": judging, "listing": listing, "memory": memory},
    )


def run(program, path):
    """Return what was counted, the processor's seconds without start-up, the peak memory."""
    done = subprocess.run(
        [sys.executable, "-c", program, path], capture_output=True, text=True, check=True
    )
    count, seconds, peak = done.stdout.split()
    return int(count), float(seconds), int(peak) * 1024
