"""Whether a named pipe or socket may be written to: others could have put it there to read it."""

import errno
import os
import stat
from contextlib import suppress

from acp_spy.capture.links import Place, create, open_above
from acp_spy.capture.open_flags import NONBLOCK


def open_special(place: Place, flags: int) -> int:
    """
    Open the device, pipe or socket at `place` to write to it.

    Raises `PermissionError` if others may have put it there, and if it is a file by now: who was
    told that a device is here has not been asked whether a file may be changed.
    """
    if status := place.status():
        refuse_others_pipe(place, status)  # before it is opened: that may wait for a reader
    descriptor = place.open(flags)
    try:
        status = os.fstat(descriptor)
        refuse_others_pipe(place, status)  # what is open counts: it may have been replaced
        if stat.S_ISREG(status.st_mode):
            raise PermissionError(
                errno.EPERM, "it was replaced by a file at the same time", place.path
            )
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def open_to_append(path: str) -> int:
    """
    Open a file to add to it, which may be new, or what `open_special` opens.

    Raises `OSError`, also for a file of another user, or one with two names, in a folder that
    others can write to, and for what takes the place of the file before it is open.
    """
    flags = os.O_WRONLY | os.O_APPEND
    with open_above(path) as place:
        status = place.status()
        if status and not stat.S_ISREG(status.st_mode):
            return open_special(place, flags)
        if not status:
            with suppress(FileExistsError):
                return create(place.name, place.folder, flags)
        descriptor = place.open(flags | NONBLOCK)
        status = os.fstat(descriptor)
        # A second name of a file of ours can be theirs as well.
        is_theirs = status.st_uid not in (os.geteuid(), 0) or status.st_nlink > 1
        is_others = is_theirs and not place.is_descriptor and place.is_others
        if not stat.S_ISREG(status.st_mode) or is_others:
            os.close(descriptor)
            raise PermissionError(errno.EPERM, "another user may have put it there", path)
        return descriptor


def refuse_others_pipe(place: Place, status: os.stat_result) -> None:
    """
    Raise `PermissionError` if what has this `status` is a pipe that somebody else may read.

    That is a pipe or socket of another user, or in a folder that others may write to: they could
    have replaced it. One that is open already, as /dev/stdout often is, was given to us.
    """
    if not stat.S_ISFIFO(status.st_mode) and not stat.S_ISSOCK(status.st_mode):
        return
    if place.is_descriptor:
        return
    if status.st_uid != os.geteuid():
        raise PermissionError(errno.EPERM, "it is a pipe of another user", place.path)
    if place.is_others:
        raise PermissionError(
            errno.EPERM, "it is a pipe in a folder that others can write to", place.path
        )
