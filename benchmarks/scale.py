"""
How the commands grow: each over 1,000, 100,000 and 2,000,000 frames of a realistic conversation.

A frame more must cost the same wherever the capture ends: what it costs between the middle and the
longest capture is told against what it costs between the shortest and the middle one, so that the
start of the program has no part in it. Seconds are the processor's. The longest page has 500,000
frames: of more no browser would show one, and it is refused.
"""

import os
import subprocess
import tempfile
from itertools import pairwise

from acp_spy.capture.files import read
from acp_spy.wire.frame import Frame, Peer
from benchmarks.conversation import write_capture
from benchmarks.measuring import MIB, Running, Used, median, run_command, take_turns
from benchmarks.outcome import Limit, Outcome, Table

SIZES = (1_000, 100_000, 2_000_000)
SMALL = (500, 5_000, 20_000)
LONGEST_PAGE, SMALL_PAGE = 500_000, 10_000
IN_CONSTANT_MEMORY = ("check", "view", "stats", "html")
REFUSED = 2


def measure(effort):
    short, middle, long = (effort.size(*each) for each in zip(SIZES, SMALL, strict=True))
    page = effort.size(LONGEST_PAGE, SMALL_PAGE)
    sizes = {name: (short, middle, page if name == "html" else long) for name in COMMANDS}
    with tempfile.TemporaryDirectory() as folder:
        captures = {size: f"{folder}/{size}.jsonl" for size in (short, middle, page, long)}
        for size, path in captures.items():
            write_capture(path, size)
        work = {
            label(name, size): lambda run=run, path=captures[size]: run(path, folder)
            for name, run in COMMANDS.items()
            for size in sizes[name]
        }
        samples = take_turns(work, effort.rounds)
        if not effort.quick:
            refuse_page(captures[long], folder)
    used = {
        name: [typical(samples[label(name, size)]) for size in sizes[name]] for name in COMMANDS
    }
    return Outcome(
        limits=limits(used, sizes),
        tables=[table(used, sizes)],
        note=f"`html` has {page:,} frames in the last columns, the most that a page can have.",
        figures=used,
    )


def label(name, size):
    return f"{name}, {size:,} frames"


def check(path, folder):
    return run_command(["check", "--fail-on", "never", path], folder)


def view(path, folder):
    return run_command(["view", path], folder)


def stats(path, folder):
    return run_command(["stats", path], folder)


def diff(path, folder):
    return run_command(["diff", path, path], folder)


def html(path, folder):
    return run_command(["view", path, "-o", f"{folder}/page.html"], folder)


def refuse_page(path, folder):
    """See to it that a page is refused, and at once."""
    words = ["view", path, "-o", f"{folder}/no-page.html"]
    used = run_command(words, folder, (REFUSED,), stderr=subprocess.DEVNULL)
    assert used.processor < 10, used


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
    growing = [
        Limit(
            f"`{name}`: one more frame after {sizes[name][1]:,}, relative to one before",
            later / max(earlier, 1e-9),
            1.2,
        )
        for name, figures in used.items()
        for earlier, later in [costs_of_a_frame(figures, sizes[name])]
    ]
    constant = [
        Limit(
            f"`{name}`: peak memory for {sizes[name][2]:,} frames, relative to {sizes[name][1]:,}",
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
        for (before, smaller), (after, larger) in pairwise(zip(figures, sizes, strict=True))
    ]


def table(used, sizes):
    columns = [f"{size:,}: {unit}" for size in sizes["check"] for unit in ("s", "MiB")]
    rows = []
    for name, figures in used.items():
        cells = [
            cell
            for figure in figures
            for cell in (f"{figure.processor:.1f}", f"{figure.peak / MIB:.0f}")
        ]
        rows.append([name, *cells, f"{costs_of_a_frame(figures, sizes[name])[-1] * 1e6:.0f}"])
    return Table(["", *columns, "one more frame, µs"], rows)
