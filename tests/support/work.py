"""Work that is counted, not timed: function calls, system calls, wake-ups. A busy machine changes none."""

import gc
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import NamedTuple

import msgspec
from support.needs import do_without

NEEDED = "ACP_SPY_NEEDS_STRACE"  # .ci/run sets it
INSTALL = "system calls are counted by strace, and there is none: `apt-get install strace`"
# Memory and locks: how often Python asks for them depends on what else the machine does.
NOT_COUNTED = {"brk", "mmap", "munmap", "mremap", "madvise", "mprotect", "futex", "sched_yield"}


class Calls(NamedTuple):
    """How often functions were called, of Python and of C; and among those, decoders of JSON."""

    total: int
    decodings: int


@contextmanager
def no_garbage_collected() -> Iterator[None]:
    """Keep out the calls of a collection, which comes when it comes, and of whoever waits for one."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def calls_of(work: Callable[[], object]) -> Calls:
    """Run `work`, and return how many calls it made."""
    total = decodings = 0

    def count(_frame: FrameType, event: str, function: object) -> None:
        nonlocal total, decodings
        if event == "call":
            total += 1
        elif event == "c_call":
            total += 1
            decodings += isinstance(getattr(function, "__self__", None), msgspec.json.Decoder)

    with no_garbage_collected():
        sys.setprofile(count)  # not cProfile, which counts other threads' calls from 3.12 on
        try:
            work()
        finally:
            sys.setprofile(None)
    return Calls(total, decodings)


def strace() -> str:
    """Return the path of strace. Without it the test is skipped; where it is needed, it fails."""
    path = shutil.which("strace")
    if path and not subprocess.run([path, "true"], capture_output=True, check=False).returncode:
        return path
    return do_without(
        NEEDED, INSTALL if not path else "strace may not trace here: no permission for ptrace"
    )


def system_calls(recorded: Path, between: str) -> Counter[str]:
    """
    Return what `strace -o RECORDED` has seen, but for what is `NOT_COUNTED`.

    From the first call that has `between` in its data to the last one: how often a program looks
    for something to do while it starts and ends depends on what else the machine does.
    """
    lines = recorded.read_text().splitlines()
    with_it = [number for number, line in enumerate(lines) if between in line]
    assert with_it, "strace has seen nothing"
    names = (line.partition("(")[0] for line in lines[with_it[0] : with_it[-1] + 1])
    return Counter(name for name in names if name.isidentifier() and name not in NOT_COUNTED)


def sleep_of(pid: int) -> int | None:
    """Return which sleep a process's main thread is in, counted from its start; none if it is awake."""
    status = Path(f"/proc/{pid}/status").read_text()
    if status.partition("\nState:")[2].split()[0] != "S":
        return None
    return int(status.partition("\nvoluntary_ctxt_switches:")[2].split()[0])
