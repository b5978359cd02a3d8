"""
A Python that lacks what another platform lacks, as far as one can be made of this one.

What is not ours (the standard library, rich, typer) is imported whole before anything is taken
away: it has ways of its own on every platform, and those are not what is tested.
"""

import json
import subprocess
import sys
from pathlib import Path

from support.processes import DEADLINE

# Loaded by the commands later, or by their libraries; they must not see half a platform.
_NOT_OURS = """
import collections.abc, contextlib, ctypes, datetime, difflib, fractions, gzip, hashlib, html, inspect
import io, itertools, json, os, random, re, select, selectors, shlex, shutil, signal, stat, subprocess
import sys, tempfile, textwrap, threading, time, tomllib, traceback, urllib.parse, uuid, xml.etree
import msgspec, platformdirs, rich.console, rich.live, rich.text, typer, typer.core, typer.main
import typer.rich_utils, zoneinfo
app = typer.Typer()
@app.command()
def nothing(some: list[str], more: float = 1.0): pass
typer.main.get_command(app)(["x"], standalone_mode=False)
"""

# What Windows has of each; the rest of what POSIX has is taken away.
_WITHOUT_POSIX = """
POSIX = ("fcntl", "termios", "tty", "pty", "resource", "pwd", "grp", "syslog", "readline", "posix")
class NotHere:
    def find_spec(self, name, path=None, target=None):
        if name in POSIX:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
for name in POSIX:
    sys.modules.pop(name, None)
sys.meta_path.insert(0, NotHere())
for module, names in {
    os: "fork forkpty killpg getpgid getpgrp setpgid setsid getsid getuid geteuid getgid getegid getppid_ "
        "fchmod fchown chown lchown mkfifo nice pidfd_open wait waitid wait3 wait4 set_blocking get_blocking "
        "pread pwrite preadv pwritev readv writev uname statvfs fstatvfs sysconf ctermid openpty environb "
        "posix_spawn posix_spawnp register_at_fork getpriority setpriority sched_yield tcgetpgrp pipe2 "
        "O_CLOEXEC O_NONBLOCK O_NOCTTY O_NOFOLLOW O_DIRECTORY O_SYNC O_DSYNC",
    signal: "SIGHUP SIGQUIT SIGKILL SIGSTOP SIGPIPE SIGCHLD SIGUSR1 SIGUSR2 SIGALRM SIGVTALRM SIGCONT "
        "SIGTSTP SIGTTIN SIGTTOU SIGTRAP SIGBUS SIGSYS SIGXFSZ SIGWINCH pthread_sigmask pthread_kill "
        "sigwait sigwaitinfo sigtimedwait setitimer alarm pause ITIMER_REAL ITIMER_VIRTUAL",
    select: "poll epoll POLLIN POLLOUT POLLERR POLLHUP POLLNVAL",
}.items():
    for name in names.split():
        if hasattr(module, name):
            delattr(module, name)
# From Python 3.12 on `shutil.which` looks at `sys.platform`, and then asks Windows.
shutil._winapi = type("", (), {"NeedCurrentDirectoryForExePath": staticmethod(lambda _: True)})
# From Python 3.13 on it is what `subprocess` starts most programs by.
subprocess._USE_POSIX_SPAWN = False
sys.platform = "win32"
"""

# macOS is POSIX, but has no /proc, and not what only Linux has.
_WITHOUT_LINUX = """
import builtins, types
import trio
# Which has ways of its own on every platform: it keeps what it has here.
trio._core._io_epoll.select = types.SimpleNamespace(**vars(select))
def hidden(function):
    def look(path, *args, **options):
        if isinstance(path, str) and path.startswith("/proc"):
            raise FileNotFoundError(2, "No such file or directory", path)
        return function(path, *args, **options)
    return look
builtins.open = hidden(open)
os.open, os.listdir, os.stat = hidden(os.open), hidden(os.listdir), hidden(os.stat)
import fcntl
for module, names in {
    os: "pidfd_open posix_fadvise sched_getaffinity memfd_create eventfd",
    signal: "sigwaitinfo sigtimedwait",
    select: "epoll",
    fcntl: "F_SETPIPE_SZ F_GETPIPE_SZ",
}.items():
    for name in names.split():
        if hasattr(module, name):
            delattr(module, name)
sys.platform = "darwin"
"""

_RUN_ALL = """
import contextlib
from acp_spy.cli.entry import run
for words in json.loads(sys.argv[1]):
    with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO(), "utf-8")) as out:
        status = run(words)
    print(json.dumps([words, status, out.buffer.getvalue().decode(errors="replace")]), flush=True)
"""


def without_posix(*lines: list[str], cwd: Path, env: dict[str, str]) -> tuple[list, str]:
    """Run command lines, one after the other; return words, status and stdout of each; stderr."""
    code = _NOT_OURS + _WITHOUT_POSIX + _RUN_ALL
    done = subprocess.run(
        [sys.executable, "-c", code, json.dumps(lines)],
        capture_output=True,
        text=True,
        cwd=cwd,
        env=env,
        timeout=DEADLINE,
        check=False,
    )
    return [json.loads(line) for line in done.stdout.splitlines()], done.stderr


def without_linux(*words: str) -> list[str]:
    """Return a command line that runs acp-spy with `words` as it would on macOS."""
    code = f"import sys, os, signal, select\n{_WITHOUT_LINUX}\nfrom acp_spy.__main__ import main\nmain()"
    return [sys.executable, "-c", code, *words]
