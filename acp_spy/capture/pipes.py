"""Whether a named pipe or socket may be written to: others could have put it there to read it."""

import errno
import os
import stat

from acp_spy.capture.links import open_folder, others_can_write_to, real_path
from acp_spy.capture.open_flags import CLOEXEC, NOFOLLOW, NONBLOCK


def open_special(path: str, flags: int) -> int:
    """
    Open the device, pipe or socket at `path` to write to it.

    Raises `PermissionError` if others may have put it there, and if it is a file by now: who was
    told that a device is here has not been asked whether a file may be changed.
    """
    real_path(path)  # raises
    refuse_others_pipe(path)
    descriptor = os.open(path, flags)
    try:
        refuse_others_pipe(path, descriptor)
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise PermissionError(errno.EPERM, "it was replaced by a file at the same time", path)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def open_to_append(path: str) -> int:
    """
    Open a file to add to it, which may be new, or what `open_special` opens.

    Raises `OSError`, also for a file of another user in a folder that others can write to, and for
    what takes the place of the file before it is open.
    """
    flags = os.O_WRONLY | os.O_APPEND | CLOEXEC
    if os.path.exists(path) and not stat.S_ISREG(os.stat(path).st_mode):
        return open_special(path, flags)
    target = real_path(path)
    flags |= os.O_CREAT | NOFOLLOW | NONBLOCK
    with open_folder(os.path.dirname(target)) as folder:
        name = target if folder is None else os.path.basename(target)
        descriptor = os.open(name, flags, 0o600, dir_fd=folder)
    status = os.fstat(descriptor)
    is_others = status.st_uid not in (os.geteuid(), 0)
    if not stat.S_ISREG(status.st_mode) or (
        is_others and others_can_write_to(os.path.dirname(target))
    ):
        os.close(descriptor)
        raise PermissionError(errno.EPERM, "another user has put it there", path)
    return descriptor


def refuse_others_pipe(path: str, descriptor: int | None = None) -> None:
    """
    Raise `PermissionError` if `path` is a pipe or socket that somebody else may read.

    That is one of another user, or in a folder that others may write to: they could have replaced
    it. A pipe without a name, as /dev/stdout often is, was given to us. With `descriptor`, what is
    open is looked at: it may have been replaced since it was looked at by name.
    """
    status = os.stat(path) if descriptor is None else os.fstat(descriptor)
    if not stat.S_ISFIFO(status.st_mode) and not stat.S_ISSOCK(status.st_mode):
        return
    target = os.path.realpath(path)
    if not os.path.lexists(target):  # `/proc/1/fd/pipe:[2]`
        return
    if status.st_uid != os.geteuid():
        raise PermissionError(errno.EPERM, "it is a pipe of another user", path)
    if others_can_write_to(os.path.dirname(target)):
        raise PermissionError(
            errno.EPERM, "it is a pipe in a folder that others can write to", path
        )
