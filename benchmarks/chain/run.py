"""Runs one conversation."""

import subprocess
from pathlib import Path

import trio

from benchmarks.chain.case import Case
from benchmarks.chain.judge import Outcome
from benchmarks.chain.network import Network
from benchmarks.chain.servers import ACP_SPY, LAST, Server, relaying
from benchmarks.chain.talk import Talk

LONGEST = 120.0  # seconds for a conversation


async def run_case(number: int, folder: Path, agents: Server) -> list[str]:
    """Run a conversation with a served agent; return what is wrong with it."""
    case = Case(number)
    path = folder / f"case-{number}.jsonl"
    problems: list[str] = []
    networks = [Network(number, case.faults, case.pause)]
    async with trio.open_nursery() as nursery:
        port = await networks[0].listen(nursery, agents.port)
        if case.is_relayed:
            async with relaying(folder / f"case-{number}.relay", port) as relay:
                networks.append(Network(number + 1, case.more_faults, case.pause))
                port = await networks[1].listen(nursery, relay.port)
                talk, found = await talked(case, path, port)
            problems += found + relay.problems
        else:
            talk, found = await talked(case, path, port)
            problems += found
        nursery.cancel_scope.cancel()
    happened = [each.happened for each in networks]
    problems += Outcome(talk, path, has_failed=any(happened)).problems()
    if not problems:
        remove(folder, number)
    return [f"{problem} ({case}, {happened})" for problem in problems]


async def talked(case: Case, path: Path, port: int) -> tuple[Talk, list[str]]:
    """Have a client talk with `acp-spy -- URL`; return that, and what is wrong with its end."""
    problems = []
    scheme = "ws" if case.is_socket else "http"
    arguments = [*ACP_SPY, "-o", str(path), "--", f"{scheme}://127.0.0.1:{port}/acp"]
    async with await trio.open_file(path.with_suffix(".log"), "wb") as log:
        program = await trio.lowlevel.open_process(
            arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log.fileno()
        )
    talk = Talk(case, program)
    with trio.move_on_after(LONGEST) as limit:
        await talk.run()
    if limit.cancelled_caught:
        problems.append(f"the client has not come to its end in {LONGEST:g} s")
    with trio.move_on_after(LAST):
        await program.wait()
    if program.returncode is None:
        problems.append(f"the program does not end in {LAST:g} s")
        program.kill()
        await program.wait()
    return talk, problems


def remove(folder: Path, number: int) -> None:
    """Remove what was kept of a conversation."""
    for path in folder.glob(f"case-{number}.*"):
        path.unlink()
