"""Real processes on real pipes, with a deadline on everything that waits."""

import array
import fcntl
import os
import select
import signal
import subprocess
import sys
import termios
import textwrap
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

ACP_SPY = [sys.executable, "-m", "acp_spy"]
DEADLINE = 120.0  # far more than anything takes: a test that reaches it has failed
Seen = TypeVar("Seen")


def changed(change: str) -> list[str]:
    """
    Return acp-spy as `ACP_SPY` is, but for something that lines of Python have changed in it.

    For its patience, above all: much of it where something must happen on a busy machine, none
    where it would have to be waited for.
    """
    return [sys.executable, "-c", f"{change}\nfrom acp_spy.__main__ import main\nmain()"]


# What is large is redacted when there is a file `go` in the working folder.
SLOW_TO_REDACT = changed(
    """
import os, time
from acp_spy.secrets.redactor import Redactor
record = Redactor.record
def wait_and_record(self, one):
    while len(getattr(one, "raw", b"")) > 10_000 and not os.path.exists("go"):
        time.sleep(0.01)
    return record(self, one)
Redactor.record = wait_and_record
"""
)

# A child that outlives the agent may be silent for as long as it likes.
PATIENT_PROXY = changed(
    f"import acp_spy.proxy.conversation as p; p.SILENCE_AFTER_EXIT = {DEADLINE}"
)
# trio is wanted at once, and waited for: the first silence may come late or never, and on a busy
# machine the conversation may be over before trio is loaded.
AT_ONCE_BY_TRIO = "import acp_spy.engine.work as l; l.Loading.is_over = True"
# What was recorded first comes first, however long a live peer is silent.
PATIENT_REPLAY = changed(
    f"import acp_spy.replay.player as p; p._PATIENCE = dict.fromkeys(p._PATIENCE, {DEADLINE})\n"
    f"import acp_spy.live_replay.drive as d; d.GRACE = {DEADLINE}"
)


def python(code: str, *arguments: str) -> list[str]:
    """Return the command line of a small Python program; without site it starts fast."""
    return [sys.executable, "-I", "-S", "-c", textwrap.dedent(code), *arguments]


# Sends back what it gets, byte for byte, at once.
ECHO = python(
    """
    import os
    while chunk := os.read(0, 65536):
        while chunk:
            chunk = chunk[os.write(1, chunk):]
    """
)


class Peer:
    """A child process seen through its pipes, as a client sees its agent."""

    def __init__(self, command: list[str], capture: Path | None, **popen) -> None:
        self.capture = capture
        options = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        self.process = subprocess.Popen(command, bufsize=0, **{**options, **popen})
        self.pid = self.process.pid

    @property
    def stdin(self) -> int:
        return self.process.stdin.fileno()

    @property
    def stdout(self) -> int:
        return self.process.stdout.fileno()

    @property
    def stderr(self) -> int:
        return self.process.stderr.fileno()

    def send(self, data: bytes) -> None:
        while data:
            data = data[os.write(self.stdin, data) :]

    def close_stdin(self) -> None:
        self.process.stdin.close()

    def read(self, size: int, descriptor: int | None = None) -> bytes:
        """Read exactly `size` bytes, or all there is before the end."""
        descriptor = self.stdout if descriptor is None else descriptor
        data = bytearray()
        while len(data) < size and (chunk := read_some(descriptor, size - len(data))):
            data += chunk
        return bytes(data)

    def read_line(self) -> bytes:
        line = b""
        while not line.endswith(b"\n") and (byte := read_some(self.stdout, 1)):
            line += byte
        return line

    def read_all(self, descriptor: int | None = None) -> bytes:
        return self.read(sys.maxsize, descriptor)

    def signal(self, number: int) -> None:
        os.kill(self.pid, number)

    def wait(self) -> int:
        return self.process.wait(DEADLINE)

    def converse(self, data: bytes = b"") -> tuple[bytes, bytes, int]:
        """Send `data`, end it, and return what came on stdout and stderr and the status."""
        out, err = self.process.communicate(data, DEADLINE)
        return out, err, self.process.returncode


def read_some(descriptor: int, size: int, within: float = DEADLINE) -> bytes:
    """Read what there is, as soon as there is any."""
    if not select.select([descriptor], [], [], within)[0]:
        raise TimeoutError(f"nothing to read within {within} s")
    return os.read(descriptor, min(size, 1 << 20))


def pause(seconds: float) -> None:
    """Be the slow one. Only where slowness is what is tested."""
    select.select([], [], [], seconds)


def unread(descriptor: int) -> int:
    """Return how many bytes wait in a pipe."""
    count = array.array("i", [0])
    fcntl.ioctl(descriptor, termios.FIONREAD, count)
    return count[0]


def until(happens: Callable[[], Seen], what: str) -> Seen:
    """
    Wait until something that is not ours to be told of has happened.

    Return what was seen then: whoever looks again may see something else.
    """
    end = time.monotonic() + DEADLINE
    while not (seen := happens()):
        if time.monotonic() > end:
            raise TimeoutError(f"{what}: not within {DEADLINE} s")
        pause(0.005)
    return seen


def is_alive(pid: int) -> bool:
    """Whether `pid` runs: neither gone nor a zombie."""
    return _state(pid) not in "ZX"


def is_asleep(pid: int) -> bool:
    """Whether `pid` waits for something to happen: it has nothing to do before that."""
    return _state(pid) == "S"


def is_stopped(pid: int) -> bool:
    """Whether `pid` was stopped, as by Ctrl-Z."""
    return _state(pid) == "T"


def _state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return "X"


def memory(pid: int, what: str = "VmRSS") -> int:
    """Return the resident memory of `pid` in bytes; `VmHWM` for its highest so far."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(what):
            return int(line.split()[1]) * 1024
    raise ProcessLookupError(pid)


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


class Starter:
    """Starts commands, bare or behind the proxy, and leaves nothing running behind."""

    def __init__(self, folder: Path, *, proxied: bool) -> None:
        self.folder = folder
        self.proxied = proxied
        self.program = ACP_SPY
        self._started: list[Peer] = []

    def __call__(self, command: list[str], *options: str, **popen) -> Peer:
        capture = None
        if self.proxied:
            capture = self.folder / f"capture-{len(self._started)}.jsonl"
            where = [] if "-o" in options or "--dir" in options else ["-o", str(capture)]
            command = [*self.program, *where, *options, "--", *command]
        peer = Peer(command, capture, **popen)
        self._started.append(peer)
        return peer

    def end(self) -> None:
        for peer in self._started:
            process = peer.process
            if process.poll() is None:
                process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout, process.stderr):
                if pipe:
                    pipe.close()
        self._end_judges()

    def _end_judges(self) -> None:
        """End those that outlive their proxies: the next test has better use for the processor."""
        # A judge is a copy of its proxy, and has its command line; ours name a folder of our own.
        ours = {
            b"".join(os.fsencode(word) + b"\0" for word in peer.process.args)
            for peer in self._started
            if self.proxied and any(str(self.folder) in word for word in peer.process.args)
        }
        for entry in os.listdir("/proc") if ours else ():
            if entry.isdigit():
                with suppress(OSError):  # gone by now
                    if Path(f"/proc/{entry}/cmdline").read_bytes() in ours:
                        os.kill(int(entry), signal.SIGKILL)


@contextmanager
def starter(folder: Path, *, proxied: bool) -> Iterator[Starter]:
    start = Starter(folder, proxied=proxied)
    try:
        yield start
    finally:
        start.end()


def end_of(pid: int) -> None:
    """Kill what a test has left behind on purpose."""
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def is_run_by_trio(pid: int) -> bool:
    """
    Whether trio, which a proxy loads while it carries, has taken over, and has nothing to do.

    It has sockets then; and when it sleeps, too, it has everything else that it needs.
    """
    return any(name.startswith("socket:") for name in open_files(pid)) and is_asleep(pid)


def open_files(pid: int) -> list[str]:
    """Return what a process has open; of one that is gone, as a child of strace soon is, nothing."""
    names = []
    with suppress(OSError):
        for entry in os.listdir(f"/proc/{pid}/fd"):
            with suppress(FileNotFoundError):  # closed since
                names.append(os.readlink(f"/proc/{pid}/fd/{entry}"))
    return names


def without_trio(why):
    """Return what is said when trio cannot be had, which stops nothing."""
    consequence = "conversation and recording go on, findings come when it is over"
    return f"acp-spy: cannot use trio: {why}; {consequence}\n".encode()


def judge_of(peer: Peer | subprocess.Popen, agents: int = 1) -> int:
    """Return the process that judges what a proxy records: its child after the agent, if any."""
    judge = until(lambda: children(peer.pid)[agents:], "the judge is started")[0]
    until(lambda: _is_at_work(judge, peer.pid), "the judge is at work")
    return judge


def _is_at_work(judge: int, proxy: int) -> bool:
    """Whether it has done all that it does before it loads its rules."""
    pipes = sum(name.startswith("pipe:") for name in open_files(judge))
    its_own = 2  # the bell, and the one by which it tells
    return (
        os.getpgid(judge) == judge
        and pipes == its_own
        and niceness(judge) == min(19, niceness(proxy) + 5)
    )


def niceness(pid: int) -> int:
    return os.getpriority(os.PRIO_PROCESS, pid)
