"""
`python -m benchmarks.chain`: random conversations, for `--seconds`; prints what went wrong.

A client talks with `acp-spy -- URL`, which talks over a network that fails with `acp-spy serve`, by
HTTP or WebSocket, with or without `acp-spy http` between. The agent keeps what it read and wrote.
Over a network that is only slow, both must have got what the other sent, in order. Over one that
fails, nothing may come twice or in another order, each request must have one response, and nothing
may hang or break.
"""

import argparse
import tempfile
import time
from pathlib import Path

import trio

from benchmarks.chain.run import run_case
from benchmarks.chain.servers import serving


def main() -> None:
    """Run cases and print what is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, prog="python -m benchmarks.chain")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--at-once", type=int, default=4)
    parser.add_argument("--only", type=int, help="run the case with this number")
    parser.add_argument("--keep", type=Path, help="keep captures and outputs in this folder")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or Path(scratch)
        folder.mkdir(exist_ok=True)
        trio.run(_run, folder, options)


async def _run(folder: Path, options: argparse.Namespace) -> None:
    until = time.monotonic() + options.seconds
    count = wrong = 0
    numbers = iter(range(options.seed * 100_000, 10**9) if options.only is None else [options.only])

    async def work() -> None:
        nonlocal count, wrong
        for number in numbers:
            problems = await run_case(number, folder, agents)
            count += 1
            wrong += bool(problems)
            for problem in problems:
                print(f"{number}: {problem}", flush=True)
            if time.monotonic() > until:
                return

    async with serving(folder) as agents, trio.open_nursery() as nursery:
        for _ in range(options.at_once):
            nursery.start_soon(work)
    for problem in agents.problems:
        print(problem)
    print(f"{count} conversations, {wrong} with something wrong")


if __name__ == "__main__":
    main()
