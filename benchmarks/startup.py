"""
What the start of a command costs: seconds of the processor, user and system, from fork to exit.

The yardstick is an empty typer application with one command, which imports `rich.console`, in the
same run: what no command that shows anything can do without.
"""

import compileall
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.measuring import ACP_SPY, ROOT, median, take_turns
from benchmarks.outcome import Limit, Outcome, Table

EMPTY = """
import typer

app = typer.Typer(add_completion=False)


@app.command()
def main():
    import rich.console


app()
"""
EXAMPLE = "example.jsonl"
# The words of each command, and what it may take against the empty application.
COMMANDS = {
    "--version": (["--version"], 0.25),
    "--help": (["--help"], 1.3),
    "rule CODE": (["rule", "RPC007"], 1.2),
    "list": (["list"], 1.15),
    "check": (["check", EXAMPLE], 1.45),
    "view": (["view", EXAMPLE], 1.5),
    "stats": (["stats", EXAMPLE], 1.2),
}


def measure(effort):
    with tempfile.TemporaryDirectory() as folder:
        empty = Path(folder, "empty.py")
        empty.write_text(EMPTY)
        compileall.compile_file(empty, quiet=1)
        shutil.copy(ROOT / "fixtures" / EXAMPLE, folder)
        environment = {**os.environ, "ACP_SPY_DIR": folder}
        commands = {"an empty application": [sys.executable, str(empty)]}
        commands |= {name: [*ACP_SPY, *words] for name, (words, _) in COMMANDS.items()}
        samples = take_turns(
            {
                name: lambda words=words: used(words, folder, environment)
                for name, words in commands.items()
            },
            effort.rounds,
        )
    seconds = {name: median(taken) for name, taken in samples.items()}
    baseline = seconds["an empty application"]
    return Outcome(
        limits=[
            Limit(
                f"`acp-spy {name}`, relative to an empty typer application",
                seconds[name] / baseline,
                most,
            )
            for name, (_, most) in COMMANDS.items()
        ],
        tables=[
            Table(
                ["", "processor, ms"],
                [[name, f"{taken * 1000:.0f}"] for name, taken in seconds.items()],
            )
        ],
        figures={"seconds": seconds},
    )


def used(words, folder, environment):
    """Return the seconds of the processor that a command takes, in a folder without settings."""
    process = subprocess.Popen(
        words, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode in (0, 1), f"{words}: {process.returncode}"
    return usage.ru_utime + usage.ru_stime
