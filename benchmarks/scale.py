"""
How the commands grow: each over 1,000, 100,000 and 2,000,000 frames of a realistic conversation.

A frame more must cost the same wherever the capture ends: what it costs between the middle and the
longest capture is told against what it costs between the shortest and the middle one, so that the
start of the program has no part in it. Seconds are the processor's.
"""

import os
import subprocess
import tempfile
from itertools import pairwise
from pathlib import Path

from acp_spy.capture.files import read
from acp_spy.wire.frame import Frame, Peer
from benchmarks.conversation import write_capture
from benchmarks.measuring import MIB, Running, Used, median, run_command, take_turns
from benchmarks.outcome import Limit, Outcome, Table

SIZES = (1_000, 100_000, 2_000_000)
SMALL = (500, 5_000, 20_000)
IN_CONSTANT_MEMORY = ("check", "view", "stats")
REFUSED = 2


def measure(effort):
    sizes = [effort.size(*each) for each in zip(SIZES, SMALL, strict=True)]
    with tempfile.TemporaryDirectory() as folder:
        captures = {size: f"{folder}/{size}.jsonl" for size in sizes}
        for size, path in captures.items():
            write_capture(path, size)
        work = {
            (name, size): lambda run=run, path=path: run(path, folder)
            for size, path in captures.items()
            for name, run in COMMANDS.items()
        }
        samples = take_turns(work, effort.rounds)
    used = {
        name: [typical(samples[name, size]) for size in sizes if all(samples[name, size])]
        for name in COMMANDS
    }
    return Outcome(
        limits=limits(used, sizes),
        tables=[table(used, sizes)],
        note="A dash: refused, with a hint to choose rows; no browser would open such a page.",
        figures={
            name: dict(zip(map(str, sizes), figures, strict=False))
            for name, figures in used.items()
        },
    )


def check(path, folder):
    return run_command(["check", "--fail-on", "never", path], folder)


def view(path, folder):
    return run_command(["view", path], folder)


def stats(path, folder):
    return run_command(["stats", path], folder)


def diff(path, folder):
    return run_command(["diff", path, path], folder)


def html(path, folder):
    """Make a page; return nothing if the capture is too long for one."""
    page = Path(folder, "page.html")
    used = run_command(
        ["view", path, "-o", str(page)], folder, (0, REFUSED), stderr=subprocess.DEVNULL
    )
    if not page.exists():
        return None
    page.unlink()
    return used


def replay(path, folder):
    """Converse with a mock agent as the recorded client did, which waited for all before."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    mock = Running(["replay", "agent", path], folder, **pipes)
    told, due = mock.process.stdout.fileno(), 0
    for record in read(path):
        if not isinstance(record, Frame):
            continue
        if record.sender is Peer.AGENT:
            due += 1
            continue
        while due > 0:
            chunk = os.read(told, 1 << 20)
            assert chunk, "the mock ended too early"
            due -= chunk.count(b"\n")
        os.write(mock.process.stdin.fileno(), record.raw)
    mock.process.stdin.close()
    while os.read(told, 1 << 20):
        pass
    mock.process.stdout.close()
    used = mock.end()
    assert mock.process.returncode == 0, "the mock diverged"
    return used


COMMANDS = {
    "check": check,
    "view": view,
    "stats": stats,
    "html": html,
    "diff": diff,
    "replay": replay,
}


def typical(runs):
    return Used(
        *(
            median(runs, lambda run, field=field: getattr(run, field))
            for field in Used.__struct_fields__
        )
    )


def limits(used, sizes):
    _, middle, long = sizes
    growing = [
        Limit(
            f"`{name}`: a frame more after {middle:,}, against one before",
            costs[1] / max(costs[0], 1e-9),
            1.2,
        )
        for name, figures in used.items()
        if len(costs := costs_of_a_frame(figures, sizes)) == 2
    ]
    constant = [
        Limit(
            f"`{name}`: peak memory for {long:,} frames, against {middle:,}",
            used[name][2].peak / used[name][1].peak,
            1.1,
        )
        for name in IN_CONSTANT_MEMORY
    ]
    return growing + constant


def costs_of_a_frame(figures, sizes):
    """Return the processor's seconds for a frame more, from each size to the next."""
    return [
        (after.processor - before.processor) / (larger - smaller)
        for (before, after), (smaller, larger) in zip(
            pairwise(figures), pairwise(sizes), strict=False
        )
    ]


def table(used, sizes):
    def cells(figures):
        for number in range(len(sizes)):
            figure = figures[number] if number < len(figures) else None
            yield f"{figure.processor:.1f}" if figure else "–"
            yield f"{figure.peak / MIB:.0f}" if figure else "–"
        costs = costs_of_a_frame(figures, sizes)
        yield f"{costs[-1] * 1e6:.0f}"

    columns = [f"{size:,}: {unit}" for size in sizes for unit in ("s", "MiB")]
    return Table(
        ["", *columns, "a frame more, µs"],
        [[name, *cells(figures)] for name, figures in used.items()],
    )
