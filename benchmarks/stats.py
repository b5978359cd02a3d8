"""
What figures cost: `python benchmarks/stats.py [--frames N] [--rounds N] [--captures N]`.

`stats` on the capture of benchmarks/check.py, against judging it in the same run; its memory on two
captures of which one is ten times as long; and `list` on a folder of many captures, and on one that
holds a single capture of a gigabyte besides. The exit status is 1 if a limit is not met.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile

from check import MIB, write_capture

STATS = (
    "import sys, time\n"
    "from acp_spy.capture.files import read\n"
    "from acp_spy.view.stats.collect import collect\n"
    "before = time.process_time()\n"
    "frames = collect(read(sys.argv[1])).frames\n"
    "seconds = time.process_time() - before\n"
    "status = open('/proc/self/status').read()\n"
    "print(frames, seconds, status.partition('VmHWM:')[2].split()[0])\n"
)
JUDGE = (
    "import sys, time\n"
    "from acp_spy.cli.judge import judge\n"
    "from acp_spy.lint.catalogue import CATALOGUE\n"
    "before = time.process_time()\n"
    "frames = judge(sys.argv[1], tuple(CATALOGUE.values())).frames\n"
    "print(frames, time.process_time() - before, 0)\n"
)
LIST = (
    "import sys, time\n"
    "from acp_spy.capture.folder import captures\n"
    "from acp_spy.view.captures.summary import sum_up\n"
    "before = time.process_time()\n"
    "count = len([sum_up(entry) for entry in captures(sys.argv[1])])\n"
    "seconds = time.process_time() - before\n"
    "print(count, seconds, 0)\n"
)


def run(program, path):
    """Return what was counted, the processor's seconds without start-up, the peak memory."""
    done = subprocess.run(
        [sys.executable, "-c", program, path], capture_output=True, text=True, check=True
    )
    count, seconds, peak = done.stdout.split()
    return int(count), float(seconds), int(peak) * 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--frames", type=int, default=200_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--captures", type=int, default=500)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        long, short, many = f"{folder}/long.jsonl", f"{folder}/short.jsonl", f"{folder}/many"
        write_capture(long, options.frames)
        write_capture(short, options.frames // 10)
        os.mkdir(many)
        for number in range(options.captures):
            write_capture(f"{many}/{number}.jsonl", 400)
        judged, counted, listed = [], [], []
        for number in range(options.rounds):
            judged.append(run(JUDGE, long)[1])
            counted.append(run(STATS, long))
            listed.append(run(LIST, many)[1])
            print(f"round {number + 1} of {options.rounds}", file=sys.stderr)
        memory_short = run(STATS, short)[2]
        make_huge(f"{many}/huge.jsonl", long)
        with_huge = run(LIST, many)[1]
    frames = counted[0][0]
    seconds = statistics.median(figure[1] for figure in counted)
    memory = statistics.median(figure[2] for figure in counted)
    per_capture = statistics.median(listed) / options.captures
    rows = [
        ("stats, against judging", seconds / statistics.median(judged), 1.0),
        ("peak memory, against that of a tenth of the frames", memory / memory_short, 1.2),
        ("list, with a capture of 1 GB besides", with_huge / statistics.median(listed), 1.5),
    ]
    print(f"{frames} frames: {seconds:.1f} s, {seconds / frames * 1e6:.1f} µs a frame")
    print(f"peak memory {memory / MIB:.0f} MiB; list {per_capture * 1e3:.2f} ms a capture\n")
    print("| limit | measured | at most | |\n| --- | ---: | ---: | --- |")
    for what, figure, limit in rows:
        print(f"| {what} | {figure:.2f} | {limit:g} | {'met' if figure <= limit else 'NOT MET'} |")
    return any(figure > limit for _, figure, limit in rows)


def make_huge(path, source):
    """Make a capture of a gigabyte of one that is not."""
    with open(source, "rb") as file:
        header, rest = file.readline(), file.read()
    with open(path, "wb") as file:
        file.write(header)
        while file.tell() < 1000**3:
            file.write(rest)


if __name__ == "__main__":
    sys.exit(main())
