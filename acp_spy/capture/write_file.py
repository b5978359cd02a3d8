"""Write a whole file: it is there when it is complete, and only its owner can read it."""

import errno
import os
import stat
from collections.abc import Iterable
from contextlib import suppress

from acp_spy.capture.links import real_path
from acp_spy.capture.open_flags import BINARY, CLOEXEC
from acp_spy.capture.pipes import open_special
from acp_spy.errors import AcpSpyError, file_word


def write_file(
    path: str, parts: Iterable[str | bytes], *, but: str = "", replace: bool = True
) -> None:
    """
    Write `parts` to `path`, replacing what is there, unless not `replace`.

    Raises `AcpSpyError` if it cannot be written, if it is the file `but`, and if it is a capture
    that is being recorded.
    """
    try:
        if but and os.path.exists(path) and os.path.samefile(path, but):
            raise AcpSpyError(
                f"cannot write `{path}`: it is the capture itself", hint="give a new name"
            )
        if os.path.exists(path) and not stat.S_ISREG(os.stat(path).st_mode):
            # A device or a pipe; its reader may have closed it, as `head` does.
            special = open_special(path, os.O_WRONLY | BINARY | CLOEXEC)
            with suppress(BrokenPipeError), open(special, "wb") as file:
                file.writelines(map(encoded, parts))
            return
        refuse_running(path)
        target = real_path(path)  # a link stays a link
        unfinished = unfinished_name(target, os.getpid()) if replace else path
        new = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        descriptor = os.open(unfinished, new | BINARY | CLOEXEC, 0o600)
        try:
            with open(descriptor, "wb") as file:
                file.writelines(map(encoded, parts))
            if replace:
                os.replace(unfinished, target)
        except BaseException:
            os.unlink(unfinished)
            raise
    except OSError as error:
        folder = os.path.dirname(os.path.realpath(path))
        hint = "" if os.path.isdir(folder) else f"run `mkdir -p {file_word(folder)}` first"
        if isinstance(error, PermissionError) and error.errno == errno.EPERM:
            hint = hint or "use a file, or a pipe in a folder that only you can write to"
        if isinstance(error, FileExistsError):
            left = file_word(unfinished_name(path, os.getpid()))
            hint = f"a run that was killed has left a part of it: run `rm {left}`"
            if not replace:
                hint = "choose another name, or pass overwrite=True"
        raise AcpSpyError(f"cannot write `{path}`: {error.strerror}", hint=hint) from None


def unfinished_name(path: str, process: int) -> str:
    """Return where a process writes, by its id, until the file at `path` is complete."""
    return f"{os.path.realpath(path)}.{process}.part"


def refuse_running(path: str) -> None:
    """Raise `AcpSpyError` if `path` is being recorded: the rest of it would go nowhere."""
    from acp_spy.capture.folder import is_running  # not light, and not every command writes a file

    if is_running(path):
        raise AcpSpyError(
            f"cannot write `{path}`: it is a capture that is being recorded",
            hint=f"give a new name; to look at it, run `acp-spy view -f {file_word(path)}`",
        )


def encoded(part: str | bytes) -> bytes:
    """Return `part` as it is written."""
    return part if isinstance(part, bytes) else part.encode(errors="backslashreplace")
