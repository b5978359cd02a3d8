"""Rounds in which contenders take turns, processes with what they used, and the machine."""

import compileall
import os
import platform
import statistics
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

import msgspec

MIB = 1024 * 1024
ACP_SPY = [sys.executable, "-m", "acp_spy"]
ROOT = Path(__file__).parent.parent
FIRST_VERSION = "e9e9a31"  # 0.1, the last commit with loops of its own in place of trio

# Runs a command of acp-spy, and tells the peak of its own memory: that of getrusage would be the
# peak of the process which has forked it, too.
_TELL_PEAK = """
import sys
told = sys.argv.pop(1)
sys.argv[0] = "acp-spy"
from acp_spy.__main__ import main
try:
    main()
finally:
    status = open("/proc/self/status").read()
    with open(told, "w") as file:
        file.write(status.partition("VmHWM:")[2].split()[0])
"""


class Used(msgspec.Struct, frozen=True):
    """What a process used: seconds until its end, seconds of the processor, bytes at its peak."""

    seconds: float
    processor: float
    peak: int


def compile_everything():
    """Compile what is imported, as an installation does: an edited file would be compiled anew."""
    for folder in (ROOT / "acp_spy", sysconfig.get_path("purelib")):
        compileall.compile_dir(folder, quiet=2)


def first_version(folder):
    """Put acp-spy 0.1 into `folder`; return how to start it."""
    archive = subprocess.run(
        ["git", "archive", FIRST_VERSION, "acp_spy"], cwd=ROOT, capture_output=True, check=True
    )
    Path(folder).mkdir()
    subprocess.run(["tar", "-x", "-C", folder], input=archive.stdout, check=True)
    Path(folder, "__main__.py").write_text("from acp_spy.__main__ import main\nmain()\n")
    compileall.compile_dir(folder, quiet=1)
    return [sys.executable, str(folder)]


def take_turns(contenders, rounds):
    """
    Call each of `contenders` once a round, one after the other; return their results by name.

    So a machine that is busy for a while is busy for all of them.
    """
    results = {name: [] for name in contenders}
    for number in range(rounds):
        for name, work in contenders.items():
            print(f"round {number + 1} of {rounds}: {name}", file=sys.stderr)
            results[name].append(work())
    return results


def median(samples, of=lambda sample: sample):
    return statistics.median(map(of, samples))


class Running:
    """A command of acp-spy at work. `folder` takes what it tells of its memory."""

    def __init__(self, words, folder, **popen):
        self._told = Path(folder, "peak")
        self._before = time.perf_counter()
        self.process = subprocess.Popen(
            [sys.executable, "-c", _TELL_PEAK, str(self._told), *words],
            **{"stdout": subprocess.DEVNULL, **popen},
        )

    def end(self):
        """Wait for its end, and return what it has used."""
        _, status, used = os.wait4(self.process.pid, 0)
        seconds = time.perf_counter() - self._before
        self.process.returncode = os.waitstatus_to_exitcode(status)
        peak = int(self._told.read_text()) * 1024
        return Used(seconds, used.ru_utime + used.ru_stime, peak)


def run_command(words, folder, statuses=(0, 1), **popen):
    """Run a command of acp-spy, and return what it has used."""
    running = Running(words, folder, **popen)
    used = running.end()
    assert running.process.returncode in statuses, f"{words}: {running.process.returncode}"
    return used


def memory_of(pid, field="VmHWM"):
    """Return the bytes that a living process has (`VmRSS`), or has had at most (`VmHWM`)."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition(f"{field}:")[2].split()[0]) * 1024


def machine():
    return (
        f"{os.cpu_count()} cores, {platform.machine()}, {platform.system()}"
        f" {platform.release().split('-')[0]}, Python {platform.python_version()}"
    )


def commit():
    """Return the commit that is measured, with a `+` if there is more than it in the tree."""

    def git(*words):
        done = subprocess.run(
            ["git", *words], cwd=ROOT, capture_output=True, text=True, check=False
        )
        return done.stdout.strip()

    changed = git(
        "status", "--porcelain", "--untracked-files=no", "--", "acp_spy", "benchmarks/*.py"
    )
    return (git("rev-parse", "--short", "HEAD") or "unknown") + ("+" if changed else "")
