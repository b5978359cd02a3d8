"""
Real clients drive real agents through acp-spy: `python -m tests.interop [AGENT]...`

What is needed is installed first, into a cache folder ($ACP_SPY_LAB names another). The agents are
run in a cage: no network but loopback, where a stand-in for the model's API answers.
"""

import argparse
import sys
from pathlib import Path

from acp_spy.errors import AcpSpyError

sys.path.insert(0, str(Path(__file__).parents[1]))  # where `support` is, as pytest has it

from . import record, results
from .agents import AGENTS
from .cage import run_inside
from .lab import LAB, install_node


def main() -> int:
    """Do what is asked for; return the exit status."""
    given = arguments()
    if given.list:
        for agent in AGENTS.values():
            print(f"{agent.name:9} {agent.version:8} {agent.language:11} {agent.package}")
        return 0
    if given.findings:
        record.write_findings()
        return 0
    try:
        runs = run(given.agents or list(AGENTS))
    except AcpSpyError as error:
        print(f"{error}\n{error.hint}", file=sys.stderr)
        return 2
    for each in runs:
        for problem in each.problems:
            print(f"{each.agent} with {each.client}: {problem}\n")
    print(results.table(runs))
    if given.record:
        record.record(runs)
    return 0 if all(each.is_good for each in runs) else 1


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.interop",
        description="Let real clients drive real agents, without acp-spy, through it, and against"
        " its replay. Exit status 1: something was not as it should be.",
    )
    parser.add_argument("agents", metavar="AGENT", nargs="*", help=", ".join(AGENTS))
    options = {
        "--list": "list the agents, and run none",
        "--record": "put what was recorded into recordings/",
        "--findings": "only say anew what is found in recordings/",
    }
    for option, meaning in options.items():
        parser.add_argument(option, action="store_true", help=meaning)
    given = parser.parse_args()
    if unknown := set(given.agents) - set(AGENTS):
        parser.error(f"no such agent: {', '.join(sorted(unknown))}")
    return given


def run(names: list[str]) -> list[results.Run]:
    """Install the agents, run them in a cage, and return what came of it."""
    install_node()
    for name in names:
        print(f"installing {name} into {LAB} ...", file=sys.stderr)
        AGENTS[name].install()
        results.file_of(name).unlink(missing_ok=True)
    if status := run_inside("interop.caged", *names):
        raise AcpSpyError(f"the runs have failed with status {status}", hint="see above")
    return results.load(names)


if __name__ == "__main__":
    sys.exit(main())
