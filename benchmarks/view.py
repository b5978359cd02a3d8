"""
What looking costs.

- `view` of a long capture into a file, against `check` on the same file
- the first screen of a large capture, against that of one of 1 MB: from the start of the command
  to the fiftieth line
- the same of the capture that takes longest: one of requests, just small enough to be judged first
- peak memory of `view` on the long capture, against one a tenth as long
- how long after a frame was recorded `view -f` shows it
"""

import subprocess
import tempfile
import time
from pathlib import Path

from acp_spy.view.capture_view import CHECKED_FIRST
from benchmarks.conversation import grow, write_capture
from benchmarks.measuring import ACP_SPY, MIB, median, run_command, take_turns
from benchmarks.outcome import Limit, Outcome

SCREEN = 50  # lines


def measure(effort):
    frames = effort.size(200_000, 20_000)
    with tempfile.TemporaryDirectory() as folder:
        long, short = f"{folder}/long.jsonl", f"{folder}/short.jsonl"
        small, large = f"{folder}/small.jsonl", f"{folder}/large.jsonl"
        judged, shown = f"{folder}/judged.jsonl", f"{folder}/view.txt"
        write_capture(long, frames)
        write_capture(short, frames // 10)
        write_capture(small, 5_000)
        write_requests(judged, CHECKED_FIRST)
        assert 0.9 * CHECKED_FIRST < Path(judged).stat().st_size <= CHECKED_FIRST
        grow(large, long, effort.size(1000, 50) * 1_000_000)
        samples = take_turns(
            {
                "check": lambda: run_command(["check", "--fail-on", "never", long], folder),
                "view": lambda: run_command(["view", long, "-o", shown], folder),
                "small": lambda: first_screen(small),
                "large": lambda: first_screen(large),
                "judged": lambda: first_screen(judged),
            },
            effort.rounds,
        )
        delay = follow_delay(f"{folder}/growing.jsonl")
        memory_short = run_command(["view", short, "-o", shown], folder).peak
        sizes = {name: Path(folder, f"{name}.jsonl").stat().st_size for name in ("small", "large")}
    memory = median(samples["view"], lambda used: used.peak)
    checking, viewing = (
        median(samples[name], lambda used: used.seconds) for name in ("check", "view")
    )
    screens = {name: median(samples[name]) for name in ("small", "large", "judged")}
    return Outcome(
        limits=[
            Limit("`view` into a file, relative to `check`", viewing / checking, 3.0),
            Limit(
                "the first screen of a large capture, relative to a small one",
                screens["large"] / screens["small"],
                1.5,
            ),
            Limit(
                "the first screen if the capture is checked first, relative to a large one",
                screens["judged"] / screens["large"],
                2.5,
            ),
            Limit("peak memory of `view` for ten times the length", memory / memory_short, 1.1),
            Limit("delay until `view -f` shows a frame, in ms", delay * 1000, 100.0),
        ],
        note=(
            f"{frames:,} frames: `check` {checking:.2f} s, `view` {viewing:.2f} s,"
            f" {memory / MIB:.0f} MiB. The first screen: {sizes['small'] / 1e6:.1f} MB"
            f" {screens['small']:.2f} s, {sizes['large'] / 1e6:.0f} MB {screens['large']:.2f} s,"
            f" {CHECKED_FIRST / 1e6:.0f} MB of requests {screens['judged']:.2f} s."
        ),
        figures={"check": checking, "view": viewing, "screens": screens, "follow": delay},
    )


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
    return median(delays)


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
