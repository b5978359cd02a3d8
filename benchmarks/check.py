"""
What judging costs: a realistic capture, judged by the whole catalogue.

The yardstick is the decoding of each of its lines with `msgspec.json.decode`, in the same run.
Memory is measured on two captures of which one is ten times as long.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import msgspec

from benchmarks.conversation import write_capture
from benchmarks.measuring import MIB, median, take_turns
from benchmarks.outcome import Limit, Outcome

JUDGE = """
import sys, time
from acp_spy.view.findings.check_file import judge
from acp_spy.lint.catalogue import CATALOGUE
before = time.process_time()
report = judge(sys.argv[1], tuple(CATALOGUE.values()))
seconds = time.process_time() - before
assert not report.crashes
status = open('/proc/self/status').read()  # not getrusage: its peak is that before exec, too
print(seconds, report.frames, status.partition('VmHWM:')[2].split()[0])
"""


def measure(effort):
    frames = effort.size(200_000, 20_000)
    with tempfile.TemporaryDirectory() as folder:
        long, short = f"{folder}/long.jsonl", f"{folder}/short.jsonl"
        write_capture(long, frames)
        write_capture(short, frames // 10)
        samples = take_turns(
            {"decode": lambda: decode(long), "judge": lambda: judge(long)}, effort.rounds
        )
        memory_short = judge(short)[2]
    decoding = median(samples["decode"])
    seconds, frames, memory = (median(column) for column in zip(*samples["judge"], strict=True))
    return Outcome(
        limits=[
            Limit("judging, against decoding each line with msgspec", seconds / decoding, 8.0),
            Limit(
                "its peak memory, against that for a tenth of the frames",
                memory / memory_short,
                1.2,
            ),
        ],
        note=(
            f"{frames:,} frames: {seconds / frames * 1e6:.1f} µs a frame, {memory / MIB:.0f} MiB;"
            f" decoding takes {decoding / frames * 1e6:.1f} µs."
        ),
        figures={"seconds": seconds, "decoding": decoding, "memory": memory},
    )


def decode(path):
    """Return the seconds that decoding takes."""
    lines = Path(path).read_bytes().splitlines()
    before = time.process_time()  # of this process: others have the machine, too
    for line in lines:
        msgspec.json.decode(line)
    return time.process_time() - before


def judge(path):
    """Return the seconds that judging takes (without start-up), the frames, and peak memory."""
    done = subprocess.run(
        [sys.executable, "-c", JUDGE, path], capture_output=True, text=True, check=True
    )
    seconds, frames, peak = done.stdout.split()
    return float(seconds), int(frames), int(peak) * 1024
