"""Which capture a command is to read: a file, what comes on stdin, or the next recording."""

import os
import re
import stat
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache, partial

from acp_spy.capture.folder import captures, files_in, look_at
from acp_spy.capture.locate import find_capture
from acp_spy.capture.opening import FoundPath
from acp_spy.cli.console import write
from acp_spy.errors import AcpSpyError

STDIN = "-"
_STDIN_PATH = "/dev/stdin"
_SAME = {_STDIN_PATH: "/dev/fd/0"}
_DESCRIPTOR = re.compile(r"/(?:dev|proc/self)/fd/([0-9]{1,4})")
_PAUSE = 0.05  # seconds between two looks


def find_input(
    named: str | None = None, *, may_be_empty: bool = False, is_followed: bool = False
) -> str:
    """
    Return the path of the capture that is meant, as `find_capture` does; `-` is stdin.

    A pipe is spooled, unless it `is_followed`: then the caller refuses it. A pipe that replaced a
    file which was found in a folder is not opened.
    """
    path = spool_stdin() if named == STDIN else named
    if path and not is_followed and not isinstance(path, FoundPath) and is_pipe(path):
        path = _spool_pipe(path)
    return find_capture(path, may_be_empty=may_be_empty)


def is_pipe(path: str) -> bool:
    """Whether it is a pipe, which can be read only once."""
    try:
        return stat.S_ISFIFO(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False


def is_stdin(named: str) -> bool:
    """Whether it is what comes on stdin; not a file that happens to come there, too."""
    descriptor = _DESCRIPTOR.fullmatch(_SAME.get(named, named))
    if named == STDIN or (descriptor and not int(descriptor[1])):
        return True
    with suppress(OSError):
        return is_pipe(named) and os.path.samestat(os.stat(named), os.fstat(0))
    return False


def refuse_pipe(named: str, use: str) -> None:
    """Refuse what can be read only once, for a use that reads it whenever somebody asks."""
    if not is_pipe(named):
        return
    raise AcpSpyError(
        f"cannot {use} `{named}`: it is a pipe, and read only once",
        hint="give the path of a file",
    )


def _spool_pipe(path: str) -> str:
    """
    Return the path of what comes by a pipe, when it has come to its end.

    On Linux that of a descriptor stays the same: the spool takes its place.
    """
    import atexit

    spools = ExitStack()
    atexit.register(spools.close)
    try:
        with open(path, "rb") as pipe:
            spool = spools.enter_context(spooled(iter(partial(pipe.read, 1 << 20), b"")))
    except OSError as error:
        raise AcpSpyError(f"cannot read `{path}`: {error.strerror}") from None
    of_path, of_spool = map(_DESCRIPTOR.fullmatch, (_SAME.get(path, path), spool))
    if not of_path or not of_spool:
        return spool
    os.dup2(int(of_spool[1]), int(of_path[1]))
    return path


def running_or_newest(folder: str) -> str:
    """Return the path of the newest capture in `folder` that is being recorded, or the newest."""
    running = (entry.path for entry in captures(folder) if entry.running)
    return next(running, None) or find_input()


def next_recording(folder: str) -> str:
    """
    Return the path of the newest capture in `folder` that is being written, or of the next.

    The folder itself need not be there yet: the first recording makes it.
    """
    known = captures(folder)
    for entry in known:
        if entry.running:
            return entry.path
    write(f"waiting for a recording in {folder}; press Ctrl-C to stop\n")
    old = {entry.path for entry in known}
    while True:
        # Those that were no captures before are looked at, too: one may be in its first moments.
        for path in files_in(folder):
            if path not in old and look_at(path) is not None:
                return path
        time.sleep(_PAUSE)


@cache
def spool_stdin() -> str:
    """
    Return the path of what comes on stdin, when it has come to its end.

    It is spooled, because what judges or shows a capture reads it more than once. On Linux its path
    is `/dev/stdin`, which people know: the spool replaces the pipe, and is opened again by that
    name each time. Elsewhere the path is that of the spool.
    """
    import atexit
    import shutil
    import tempfile

    if sys.stdin is None:
        raise _no_input("it is closed")
    if sys.stdin.isatty():
        raise _no_input("it is a terminal")
    opens_anew = sys.platform == "linux"
    if opens_anew and os.path.isfile(_STDIN_PATH):
        return _STDIN_PATH
    try:
        if opens_anew:  # so the spool needs no name, and is gone even if we are killed
            with tempfile.TemporaryFile() as spool:
                shutil.copyfileobj(sys.stdin.buffer, spool)
                spool.flush()
                os.dup2(spool.fileno(), sys.stdin.fileno())
            return _STDIN_PATH
        descriptor, name = tempfile.mkstemp(prefix="acp-spy-")
        atexit.register(os.unlink, name)
        with open(descriptor, "wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
    except OSError as error:
        raise AcpSpyError(f"cannot read the capture from stdin: {error.strerror}") from None
    return name


@contextmanager
def spooled(parts: Iterable[bytes]) -> Iterator[str]:
    """
    Give the path of a file with `parts`, for those who read a capture more than once.

    On Linux it has no name of its own, so it is gone even if we are killed.
    """
    from tempfile import NamedTemporaryFile, TemporaryFile

    opens_anew = sys.platform == "linux"
    make = TemporaryFile if opens_anew else NamedTemporaryFile
    with ExitStack() as stack:
        try:
            file = stack.enter_context(make())
            file.writelines(parts)
            file.flush()
        except OSError as error:
            raise AcpSpyError(
                f"cannot write a temporary file: {error.strerror}",
                hint="make room for it, or set `TMPDIR` to a folder that has some",
            ) from None
        yield f"/dev/fd/{file.fileno()}" if opens_anew else file.name


def _no_input(why: str) -> AcpSpyError:
    return AcpSpyError(
        f"cannot read the capture from stdin: {why}",
        hint="pipe the capture in, redirect it with `<`, or give its path instead of `-`",
    )
