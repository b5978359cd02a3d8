"""
The long form of tests/faults/test_kills.py: as many kills as you like, and what came of them.

    python -m tests.faults --kills 1000 --seed 1

Prints how far it is, a table, and a line for docs/reliability.md. What a failure leaves behind stays to be looked
at, and `--only NUMBER` repeats a single kill.
"""

import argparse
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # as pytest has it

from support.kills import VICTIMS, Kill, plan, strike

EACH = 50  # kills after which a line says how far it is


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--kills", type=int, default=1000, metavar="N")
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    parser.add_argument("--only", type=int, metavar="NUMBER", help="repeat this kill alone")
    asked = parser.parse_args()
    kills = list(plan(asked.kills, asked.seed, late_one_in=10))
    if asked.only is not None:
        kills = kills[asked.only : asked.only + 1]
    folder = Path(tempfile.mkdtemp(prefix="acp-spy-kills-"))
    began = time.monotonic()
    frames: list[int | None] = []
    with ThreadPoolExecutor(2) as pool:
        for received in pool.map(lambda kill: outcome(folder, kill), kills):
            frames.append(received)
            if len(frames) % EACH == 0:
                print(
                    f"{len(frames):,} of {len(kills):,} kills, {time.monotonic() - began:.0f} s:"
                    f" {sum(filter(None, frames)):,} frames received, {frames.count(None)} failed",
                    flush=True,
                )
    tally(kills, frames)
    failed = frames.count(None)
    print(
        f"\n{time.strftime('%Y-%m-%d', time.gmtime())}, commit {commit()}, {machine()}:"
        f" {len(kills):,} kills, seed {asked.seed}, {time.monotonic() - began:.0f} s;"
        f" {sum(filter(None, frames)):,} frames received, {failed} kills with anything missing,"
        " left behind or seen otherwise than without the proxy"
    )
    if failed:
        print(f"what they left: {folder}")
        return 1
    folder.rmdir()
    return 0


def outcome(folder: Path, kill: Kill) -> int | None:
    """Return how many frames were received; `None` if something was wrong."""
    try:
        return strike(folder, kill)
    except Exception as error:  # noqa: BLE001 - told, and the next one comes
        trace = error.__traceback__
        while trace and trace.tb_next:
            trace = trace.tb_next
        where = f"{trace.tb_frame.f_code.co_name}:{trace.tb_lineno}" if trace else ""
        print(f"{kill}: {error!r} at {where}", flush=True)
        return None


def tally(kills: list[Kill], frames: list[int | None]) -> None:
    rows: dict[tuple[str, str], Counter] = {}
    for kill, received in zip(kills, frames, strict=True):
        moment = "while starting" if kill.while_starting else "under load"
        row = rows.setdefault((kill.victim, moment), Counter())
        row["kills"] += 1
        row["judged"] += kill.judged
        row["frames"] += received or 0
        row["failed"] += received is None
    print(f"{'victim':8}{'moment':16}{'kills':>6}{'judged':>8}{'frames received':>17}{'failed':>8}")
    for victim, moment in sorted(rows, key=lambda row: (VICTIMS.index(row[0]), row[1])):
        row = rows[victim, moment]
        print(
            f"{victim:8}{moment:16}{row['kills']:6,}{row['judged']:8,}"
            f"{row['frames']:17,}{row['failed']:8,}"
        )


def commit() -> str:
    output = subprocess.run(
        ["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=False
    )
    return output.stdout.strip() or "unknown"


def machine() -> str:
    return (
        f"{platform.system()} {platform.release()} {platform.machine()}, {os.cpu_count()}"
        f" processors, Python {platform.python_version()}"
    )


if __name__ == "__main__":
    sys.exit(main())
