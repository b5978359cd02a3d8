"""
What looking costs: `python benchmarks/view.py [--frames N] [--large MB] [--rounds N]`.

- `view` of a long capture into a file, against `check` on the same file
- the first screen of a large capture, against that of one of 1 MB: from the start of the command
  to the fiftieth line
- the same of the capture that takes longest: one of requests, just small enough to be judged first
- peak memory of `view` on the long capture, against one a tenth as long
- how long after a frame was recorded `view -f` shows it

All but the last are ratios within one run. The exit status is 1 if a limit is not met.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from check import write_capture

from acp_spy.cli.viewed import JUDGED_FIRST

ACP_SPY = [sys.executable, "-m", "acp_spy"]
MIB = 1024 * 1024
SCREEN = 50  # lines


def run(*words):
    """Return the seconds that a command takes, and its peak memory in bytes."""
    before = time.perf_counter()
    child = subprocess.Popen([*ACP_SPY, *words], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode in (0, 1), words
    return time.perf_counter() - before, used.ru_maxrss * 1024


def first_screen(path):
    """Return the seconds until a screenful is there."""
    before = time.perf_counter()
    with subprocess.Popen([*ACP_SPY, "view", path], stdout=subprocess.PIPE) as child:
        for _ in range(SCREEN):
            assert child.stdout.readline()
        seconds = time.perf_counter() - before
        child.stdout.close()
    return seconds


def follow_delay(path, frames=20):
    """Return the median of the seconds from a recorded frame to its row in `view -f`."""
    header = '{"type":"header","format":1}\n'
    record = '{"type":"frame","seq":%d,"t":%d,"sender":"agent","message":{"method":"m%d"}}\n'
    Path(path).write_text(header)
    delays = []
    with subprocess.Popen([*ACP_SPY, "view", "-f", path], stdout=subprocess.PIPE) as child:
        child.stdout.readline()
        for seq in range(1, frames + 1):
            time.sleep(0.11)  # so that it is asleep, at some point of its sleep
            with open(path, "a") as file:
                file.write(record % (seq, seq, seq))
            before = time.perf_counter()
            while f"m{seq}".encode() not in child.stdout.readline():
                pass
            delays.append(time.perf_counter() - before)
        child.kill()
    return statistics.median(delays)


def grow(path, source, size):
    """Make a capture of `size` bytes by telling the conversation in `source` again and again."""
    with open(path, "wb") as file:
        while file.tell() < size:
            with open(source, "rb") as piece:
                if file.tell():
                    piece.readline()  # one header is enough
                shutil.copyfileobj(piece, file, MIB)


def write_requests(path, size):
    """Write a capture of `size` bytes, or a little less: nothing but requests and answers."""
    line = '{"type":"frame","seq":%d,"t":%.3f,"sender":"%s","message":{"jsonrpc":"2.0",%s}}\n'
    asked = '"id":%d,"method":"fs/read_text_file","params":{"sessionId":"s-1","path":"/p/a.py"}'
    answer = '"id":%d,"result":{"content":"some words"}'
    seq = 0
    with open(path, "w") as file:
        file.write('{"type":"header","format":1}\n')
        while file.tell() < size - 1000:
            seq += 2
            file.write(line % (seq - 1, seq / 1000, "agent", asked % seq))
            file.write(line % (seq, seq / 1000 + 0.001, "client", answer % seq))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--frames", type=int, default=200_000)
    parser.add_argument("--large", type=int, default=1000, help="in MB")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", metavar="FILE", help="write the figures there, too")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        long, short = f"{folder}/long.jsonl", f"{folder}/short.jsonl"
        small, large = f"{folder}/small.jsonl", f"{folder}/large.jsonl"
        judged = f"{folder}/judged.jsonl"
        write_capture(long, options.frames)
        write_capture(short, options.frames // 10)
        write_capture(small, 5_000)
        write_requests(judged, JUDGED_FIRST)
        assert 0.9 * JUDGED_FIRST < Path(judged).stat().st_size <= JUDGED_FIRST
        grow(large, long, options.large * 1_000_000)
        megabytes = Path(small).stat().st_size / 1e6
        viewing, judging, screens, large_screens, judged_screens = [], [], [], [], []
        for number in range(options.rounds):
            judging.append(run("check", "--fail-on", "never", long))
            viewing.append(run("view", long, "-o", f"{folder}/view.txt"))
            screens.append(first_screen(small))
            large_screens.append(first_screen(large))
            judged_screens.append(first_screen(judged))
            print(f"round {number + 1} of {options.rounds}", file=sys.stderr)
        delay = follow_delay(f"{folder}/growing.jsonl")
        memory_short = run("view", short, "-o", f"{folder}/view.txt")[1]
    seconds, memory = (statistics.median(column) for column in zip(*viewing, strict=True))
    check_seconds = statistics.median(taken for taken, _ in judging)
    screen, large_screen = statistics.median(screens), statistics.median(large_screens)
    judged_screen = statistics.median(judged_screens)
    rows = [
        ("view into a file, against check", seconds / check_seconds, 3.0),
        ("first screen, large against small", large_screen / screen, 1.5),
        ("first screen, judged first against large", judged_screen / large_screen, 2.5),
        ("memory, ten times the length", memory / memory_short, 1.1),
        ("a followed frame is shown after, in ms", delay * 1000, 100.0),
    ]
    print(f"{options.frames} frames: check {check_seconds:.2f} s, view {seconds:.2f} s")
    print(
        f"first screen: {megabytes:.1f} MB {screen:.2f} s, {options.large} MB {large_screen:.2f} s,"
        f" {JUDGED_FIRST / 1e6:.0f} MB of requests {judged_screen:.2f} s"
    )
    print(f"peak memory: {memory / MIB:.0f} MiB, a tenth as long {memory_short / MIB:.0f} MiB")
    for name, ratio, limit in rows:
        print(f"{name}: {ratio:.2f} (limit {limit}) {'ok' if ratio <= limit else 'NOT MET'}")
    if options.json:
        figures = {name: ratio for name, ratio, _ in rows}
        Path(options.json).write_text(json.dumps(figures, indent=2) + "\n")
    return int(any(ratio > limit for _, ratio, limit in rows))


if __name__ == "__main__":
    sys.exit(main())
