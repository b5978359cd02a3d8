"""Work that is counted, not timed: function calls, system calls, wake-ups. A busy machine changes none."""

import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import msgspec
from support.needs import do_without

NEEDED = "ACP_SPY_NEEDS_STRACE"  # .ci/run sets it
INSTALL = "system calls are counted by strace, and there is none: `apt-get install strace`"


class Calls(Counter):
    """How often functions were called: `python`, `c`, and among those `decode`, of JSON."""

    @property
    def total(self) -> int:
        return self["python"] + self["c"]


def calls_of(work: Callable[[], object]) -> Calls:
    """Run `work`, and return how many calls it made."""
    counts = Calls()

    def count(_frame, event, function) -> None:
        if event == "call":
            counts["python"] += 1
        elif event == "c_call":
            counts["c"] += 1
            if isinstance(getattr(function, "__self__", None), msgspec.json.Decoder):
                counts["decode"] += 1

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return counts


def strace() -> str:
    """Return the path of strace. Without it the test is skipped; where it is needed, it fails."""
    path = shutil.which("strace")
    if path and not subprocess.run([path, "true"], capture_output=True, check=False).returncode:
        return path
    return do_without(
        NEEDED, INSTALL if not path else "strace may not trace here: no permission for ptrace"
    )


def system_calls(told: Path) -> Counter[str]:
    """Return the table that `strace -c -o TOLD` has written."""
    counts = Counter()
    for line in told.read_text().splitlines():
        words = line.split()
        if len(words) >= 5 and words[3].isdigit() and words[-1] != "total":
            counts[words[-1]] += int(words[3])
    assert counts, "strace has counted nothing"
    return counts


def wake_ups(pid: int) -> int:
    """Return how often a process's main thread has gone to sleep so far."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("\nvoluntary_ctxt_switches:")[2].split()[0])
