"""
What judging costs: a realistic capture, judged by the whole catalogue.

The yardstick is the decoding of each of its lines with `msgspec.json.decode`, in the same run.
Memory is measured on two captures of which one is ten times as long. A line of noise is compared
with an update of a tool call: a chatty agent must not make the check slow.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import msgspec
from msgspec.structs import replace

from acp_spy.capture.codec import encode
from acp_spy.capture.records import Header
from acp_spy.capture.transcript import parse
from benchmarks.conversation import write_capture
from benchmarks.measuring import MIB, median, take_turns
from benchmarks.outcome import Limit, Outcome

OPENING = """
    -> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}
    <- {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}
    -> {"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/home/dev","mcpServers":[]}}
    <- {"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}
    -> {"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}
"""
NOISE = "2026-11-14 10:00:01 INFO loading config from the usual place"
UPDATE = (
    '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":'
    '{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"in_progress"}}}'
)

JUDGE = """
import sys, time
from acp_spy.view.findings.check_file import check_file
from acp_spy.lint.catalogue import CATALOGUE
rules = tuple(CATALOGUE.values())  # loads them
before = time.process_time()
report = check_file(sys.argv[1], rules)
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
            {"decode": lambda: decode(long), "judge": lambda: check_file(long)}, effort.rounds
        )
        memory_short = check_file(short)[2]
        noisy, busy = f"{folder}/noise.jsonl", f"{folder}/updates.jsonl"
        write_repeated(noisy, NOISE, frames // 2)
        write_repeated(busy, UPDATE, frames // 2)
        lines = take_turns(
            {"noise": lambda: check_file(noisy)[0], "updates": lambda: check_file(busy)[0]},
            effort.rounds,
        )
    decoding = median(samples["decode"])
    seconds, frames, memory = (median(column) for column in zip(*samples["judge"], strict=True))
    noise, updates = median(lines["noise"]), median(lines["updates"])
    return Outcome(
        limits=[
            Limit("checking, relative to decoding each line with msgspec", seconds / decoding, 8.0),
            Limit(
                "its peak memory, relative to a tenth of the frames",
                memory / memory_short,
                1.2,
            ),
            Limit("a line of noise, relative to an update of a tool call", noise / updates, 1.0),
        ],
        note=(
            f"{frames:,} frames: {seconds / frames * 1e6:.1f} µs per frame, {memory / MIB:.0f} MiB;"
            f" decoding takes {decoding / frames * 1e6:.1f} µs. A line of noise takes"
            f" {noise / (frames // 2) * 1e6:.1f} µs, an update of a tool call"
            f" {updates / (frames // 2) * 1e6:.1f} µs."
        ),
        figures={
            "seconds": seconds,
            "decoding": decoding,
            "memory": memory,
            "noise": noise,
            "updates": updates,
        },
    )


def write_repeated(path, line, count):
    """Write a capture of an open turn in which the agent sends `line` again and again."""
    records = [*parse(OPENING), *parse(f"<- {line}\n" * count)]
    frames = [replace(frame, seq=seq, t=seq * 1e-4) for seq, frame in enumerate(records, start=1)]
    Path(path).write_bytes(encode([Header(), *frames]))


def decode(path):
    """Return the seconds that decoding takes."""
    lines = Path(path).read_bytes().splitlines()
    before = time.process_time()  # of this process: others have the machine, too
    for line in lines:
        msgspec.json.decode(line)
    return time.process_time() - before


def check_file(path):
    """Return the seconds that judging takes (without start-up), the frames, and peak memory."""
    done = subprocess.run(
        [sys.executable, "-c", JUDGE, path], capture_output=True, text=True, check=True
    )
    seconds, frames, peak = done.stdout.split()
    return float(seconds), int(frames), int(peak) * 1024
