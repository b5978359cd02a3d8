"""
Where real agents are run: with a network, processes and a home of their own.

Nothing is in that network but loopback, and no process outlives the cage. The agents' folder is /home/dev/project, whatever machine this is, so that captures tell nothing of it. The rest of the
file system is there as it is; what is written below /home is gone at the end, but for
/home/dev/lab, which is the lab.
"""

import fcntl
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

from acp_spy.errors import AcpSpyError

from .lab import LAB

TESTS = Path(__file__).parents[1]
HOME = Path("/home/dev")
PROJECT = HOME / "project"
INSIDE = HOME / "lab"
SET_FLAGS, UP_AND_RUNNING = 0x8914, 0x41


def run_inside(*module_and_arguments: str) -> int:
    """Run a module of ours in a new cage; return its exit status."""
    program = shutil.which("unshare")
    if program is None:
        raise AcpSpyError("`unshare` is needed and not there", hint="apt-get install util-linux")
    as_root = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    with tempfile.TemporaryDirectory() as scratch:
        processes = ["--pid", "--fork", "--mount-proc", "--kill-child"]  # none outlives us
        cage = [program, *as_root, "--net", "--mount", *processes]
        trial = subprocess.run([*cage, "true"], capture_output=True, text=True, check=False)
        if trial.returncode:
            raise AcpSpyError(
                f"no network and file system of their own for the agents: {trial.stderr.strip()}",
                hint="run it as root, or allow user namespaces",
            )
        module = [sys.executable, "-m", *module_and_arguments]
        inside = {
            "CAGE": scratch,
            "OUTSIDE": str(_network()),
            "PYTHONPATH": str(TESTS),
            "ACP_SPY_LAB": str(INSIDE),
            "LAB_OUTSIDE": str(LAB),
        }
        done = subprocess.run([*cage, *module], env={**os.environ, **inside}, check=False)
    return done.returncode


def move_in() -> None:
    """Make the new network and home fit to live in. Called inside, once."""
    _assert_inside()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, SET_FLAGS, struct.pack("16sh22x", b"lo", UP_AND_RUNNING))
    scratch = Path(os.environ["CAGE"])
    _mount("-t", "tmpfs", "tmpfs", scratch)
    upper, work, lab = (scratch / name for name in ("upper", "work", "lab"))
    for folder in upper, work, lab:
        folder.mkdir()
    # Before /home is covered: the lab may be below it.
    _mount("--bind", os.environ["LAB_OUTSIDE"], lab)
    options = f"lowerdir=/home,upperdir={upper},workdir={work}"
    _mount("-t", "overlay", "overlay", "-o", options, "/home")
    for folder in PROJECT, INSIDE:
        folder.mkdir(parents=True, exist_ok=True)
    _mount("--bind", lab, INSIDE)


def _mount(*arguments: object) -> None:
    subprocess.run(["mount", *map(str, arguments)], check=True)


def tidy() -> None:
    """Make home and project as if nobody had ever been there."""
    for folder, kept in (HOME, {PROJECT, INSIDE}), (PROJECT, set()):
        for path in set(folder.iterdir()) - kept:
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
    (PROJECT / "notes.txt").write_text("teh notes\nsecond line\n")


def clear() -> None:
    """End whatever runs here besides ourselves: some agents leave processes behind."""
    _assert_inside()
    for process in map(int, filter(str.isdigit, os.listdir("/proc"))):
        if process != os.getpid():
            with suppress(ProcessLookupError, ChildProcessError):  # gone by now
                os.kill(process, signal.SIGKILL)
                os.waitpid(process, 0)  # we are the first here, and so the parent of orphans


def _network() -> int:
    """Return which network we see."""
    return os.stat("/proc/self/ns/net").st_ino


def _assert_inside() -> None:
    if os.getpid() != 1 or str(_network()) == os.environ.get("OUTSIDE", str(_network())):
        raise AcpSpyError("this is no cage", hint="python -m tests.interop")
