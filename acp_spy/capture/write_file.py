"""Write a whole file: it is there when it is complete, and only its owner can read it."""

import errno
import os
import stat
from collections.abc import Iterable
from contextlib import suppress

from acp_spy.capture.file_names import numbered
from acp_spy.capture.links import open_folder, real_path
from acp_spy.capture.open_flags import BINARY, CLOEXEC
from acp_spy.capture.pipes import open_special
from acp_spy.errors import AcpSpyError, file_word

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | BINARY | CLOEXEC


def write_file(
    path: str,
    parts: Iterable[str | bytes],
    *,
    but: str = "",
    replace: bool = True,
    beside: bool = False,
) -> str:
    """
    Write `parts` to `path`, replacing what is there, unless not `replace`; return where they are.

    With `beside`, what is there is kept, and the file is called `path-2` and so on. Raises
    `AcpSpyError` if it cannot be written, if it is the file `but`, and if it is a capture that is
    being recorded.
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
            return path
        return _write(path, parts, replace=replace and not beside, beside=beside)
    except OSError as error:
        raise _cannot_write(path, error, replace=replace) from None


def _write(path: str, parts: Iterable[str | bytes], *, replace: bool, beside: bool) -> str:
    if not beside:
        refuse_running(path)
    above, name = os.path.split(path)
    if replace:
        target = real_path(path)  # a link stays a link
    else:
        target = os.path.join(real_path(above), name)
        if not beside and os.path.lexists(path):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
    with open_folder(os.path.dirname(target)) as folder:
        there = target if folder is None else os.path.basename(target)
        unfinished = _unfinished(there, os.getpid())
        descriptor = os.open(unfinished, _NEW, 0o600, dir_fd=folder)
        try:
            with open(descriptor, "wb") as file:
                file.writelines(map(encoded, parts))
            if not replace:
                there = _claim(there, folder, beside=beside)
            os.replace(unfinished, there, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            os.unlink(unfinished, dir_fd=folder)
            raise
    return target if replace else os.path.join(above, os.path.basename(there))


def _claim(path: str, folder: int | None, *, beside: bool) -> str:
    """Return `path`, or with `beside` one like it, that did not exist: now an empty file does."""
    for name in numbered(path) if beside else (path,):
        try:
            os.close(os.open(name, _NEW, 0o600, dir_fd=folder))
        except FileExistsError:
            if not beside:
                raise
        else:
            return name
    raise AssertionError("unreachable")


def _cannot_write(path: str, error: OSError, *, replace: bool) -> AcpSpyError:
    folder = os.path.dirname(os.path.realpath(path))
    hint = "" if os.path.isdir(folder) else f"run `mkdir -p {file_word(folder)}` first"
    if isinstance(error, PermissionError) and error.errno == errno.EPERM:
        hint = hint or "use a file, or a pipe in a folder that only you can write to"
    if isinstance(error, FileExistsError):
        left = file_word(unfinished_name(path, os.getpid()))
        hint = f"a run that was killed has left a part of it: run `rm {left}`"
        if not replace:
            hint = "choose another name, or pass overwrite=True"
    return AcpSpyError(f"cannot write `{path}`: {error.strerror}", hint=hint)


def unfinished_name(path: str, process: int) -> str:
    """Return where a process writes, by its id, until the file at `path` is complete."""
    return _unfinished(os.path.realpath(path), process)


def _unfinished(target: str, process: int) -> str:
    return f"{target}.{process}.part"


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
