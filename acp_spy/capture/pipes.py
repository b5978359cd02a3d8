"""Whether a named pipe or socket may be written to: others could have put it there to read it."""

import errno
import os
import stat

from acp_spy.capture.links import others_can_write_to


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
