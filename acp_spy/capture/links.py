"""Where a path leads, if no link on the way was put there by others: they would choose the file."""

import errno
import os
import stat

from acp_spy.capture.open_flags import CLOEXEC, NOFOLLOW, NONBLOCK

_MOST_LINKS = 40  # as the kernel has it


def real_path(path: str) -> str:
    """
    Return `path` without links. What it names need not exist.

    Raises `PermissionError` for a link of another user in a folder that others can write to, such
    as /tmp: what we write would replace a file that this user has chosen. Many kernels refuse to
    follow such a link, but not to read where it leads.
    """
    if not hasattr(os, "geteuid"):
        return os.path.realpath(path)
    trusted = (os.geteuid(), 0)
    links = 0
    at = os.sep
    whole = path if os.path.isabs(path) else os.path.join(os.getcwd(), path)
    left = whole.split(os.sep)[::-1]
    while left:
        name = left.pop()
        if name in ("", os.curdir):
            continue
        if name == os.pardir:
            at = os.path.dirname(at)
            continue
        found = os.path.join(at, name)
        try:
            status = os.lstat(found)
        except FileNotFoundError:
            status = None
        if status is None or not stat.S_ISLNK(status.st_mode):
            at = found
            continue
        links += 1
        if links > _MOST_LINKS:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)
        if status.st_uid not in trusted and others_can_write_to(at):
            raise PermissionError(
                errno.EPERM,
                f"`{found}` is a link of another user, in a folder that others can write to",
                path,
            )
        to = os.readlink(found)
        if os.path.isabs(to):
            at = os.sep
        left += to.split(os.sep)[::-1]
    return at


def open_unless_of_others(path: str, flags: int) -> int:
    """
    Open a file, which may exist, or a device that is not a pipe; only its owner can read a new one.

    Raises `OSError`, also for a link, a file or a pipe that others may have put there, between the
    look at it and its opening, too.
    """
    target = real_path(path)
    descriptor = os.open(target, flags | NOFOLLOW | NONBLOCK | CLOEXEC, 0o600)
    status = os.fstat(descriptor)
    is_own = not hasattr(os, "geteuid") or status.st_uid in (os.geteuid(), 0)
    if stat.S_ISFIFO(status.st_mode) or (
        not is_own and others_can_write_to(os.path.dirname(target))
    ):
        os.close(descriptor)
        what = "pipe" if stat.S_ISFIFO(status.st_mode) else "file of another user"
        raise PermissionError(errno.EPERM, f"it is a {what}", path)
    return descriptor


def others_can_write_to(folder: str) -> bool:
    """Whether its group, everybody or an owner who is another user can put something there."""
    status = os.stat(folder)
    is_of_other = hasattr(os, "geteuid") and status.st_uid not in (os.geteuid(), 0)
    return is_of_other or bool(status.st_mode & (stat.S_IWGRP | stat.S_IWOTH))


def is_for_everybody(folder: str) -> bool:
    """Whether everybody can put something into `folder`, but replace only their own: as in /tmp."""
    mode = os.stat(folder).st_mode
    return bool(mode & stat.S_ISVTX and mode & stat.S_IWOTH)
