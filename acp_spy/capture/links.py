"""Where a path leads, if no link on the way was put there by others: they would choose the file."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from acp_spy.capture.open_flags import CLOEXEC, NOFOLLOW

_MOST_LINKS = 40  # as the kernel has it
# A folder on the way need not be readable.
_FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | getattr(os, "O_DIRECTORY", 0) | CLOEXEC
_NO_LINKS: int = getattr(os, "O_NOFOLLOW_ANY", 0)  # on macOS: in the whole path


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


@contextmanager
def open_folder(path: str, *, make: bool = False) -> Iterator[int | None]:
    """
    Give the folder at `path`, which `real_path` has returned, to be used as a `dir_fd`.

    Who owns a folder on the way can exchange it for a link at any time. Raises `OSError` if that
    was done; if it is done later, what is done in the open folder is done there all the same.
    With `make`, it is made if it is missing, for its owner alone, and likewise those above it.
    Where folders cannot be opened, it is nothing, and names must be paths.
    """
    if os.open not in os.supports_dir_fd:
        if make:
            os.makedirs(path, exist_ok=True)
        yield None
        return
    folder = _open(path, make=make)
    try:
        yield folder
    finally:
        os.close(folder)


def _open(path: str, *, make: bool) -> int:
    try:
        return _open_existing(path)
    except FileNotFoundError:
        if not make:
            raise
    above = _open(os.path.dirname(path), make=make)
    try:
        name = os.path.basename(path)
        with suppress(FileExistsError):  # another proxy was faster, or opening will say what it is
            os.mkdir(name, 0o700, dir_fd=above)
        return os.open(name, _FOLDER | NOFOLLOW, dir_fd=above)
    finally:
        os.close(above)


def _open_existing(path: str) -> int:
    if _NO_LINKS:
        return os.open(path, _FOLDER | _NO_LINKS)
    at = os.open(os.sep, _FOLDER)
    for name in filter(None, path.split(os.sep)):
        above = at
        try:
            at = os.open(name, _FOLDER | NOFOLLOW, dir_fd=above)
        finally:
            os.close(above)
    return at


def others_can_write_to(folder: str) -> bool:
    """Whether its group, everybody or an owner who is another user can put something there."""
    status = os.stat(folder)
    is_of_other = hasattr(os, "geteuid") and status.st_uid not in (os.geteuid(), 0)
    return is_of_other or bool(status.st_mode & (stat.S_IWGRP | stat.S_IWOTH))


def is_for_everybody(folder: str) -> bool:
    """Whether everybody can put something into `folder`, but replace only their own: as in /tmp."""
    mode = os.stat(folder).st_mode
    return bool(mode & stat.S_ISVTX and mode & stat.S_IWOTH)
