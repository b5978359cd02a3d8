"""
How a capture is opened to be read.

The user may name a link or a pipe. A file that was found in a folder is another matter: others may
be able to write to that folder. After it was found, they can exchange it for a link to a private
file of the reader, or for a pipe that nobody writes to. So it is opened as what it was found to be.
They can exchange the folder for a link, too: it is not followed if it is another user's.
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Self

from acp_spy.capture.links import open_above
from acp_spy.capture.lock import open_to_look

# What they say of a link (Linux and macOS, FreeBSD) and of a socket.
_NOT_A_FILE = (errno.ELOOP, errno.EMLINK, errno.ENXIO, errno.EOPNOTSUPP)


class FoundPath(str):
    """
    The path of a regular file that was found in a folder, and not named by the user.

    It is a type, so that wherever such a path is opened, no link is followed. While the `folder` is
    open in which it was found, it is opened there: its path may lead elsewhere by now.
    """

    __slots__ = ("folder",)

    folder: int | None

    def __new__(cls, path: str, folder: int | None = None) -> Self:
        """Return the path, with the folder beside it."""
        found = super().__new__(cls, path)
        found.folder = folder
        return found


def to_open(path: str) -> str | int:
    """Return what `open` takes to read the file: the path if it was named, or else a descriptor."""
    return open_file(path) if isinstance(path, FoundPath) else path


def status_of(path: str) -> os.stat_result:
    """Return the status of the file; of a path that was found, no link is followed."""
    if not isinstance(path, FoundPath):
        return os.stat(path)
    with _in_folder(path) as (name, folder):
        return os.stat(name, dir_fd=folder, follow_symlinks=False)


def size_of(path: str) -> int | None:
    """Return how many bytes a regular file has; nothing for all else, and what is gone."""
    try:
        status = status_of(path)
    except OSError:
        return None
    return status.st_size if stat.S_ISREG(status.st_mode) else None


def without_links(path: str) -> str:
    """Return where the file is that a path names; a path that was found is no link."""
    return path if isinstance(path, FoundPath) else os.path.realpath(path)


def open_file(path: str, folder: int | None = None) -> int:
    """
    Open a regular file, in an open `folder`, to read it.

    Raises `OSError`, also for what is no regular file: no link is followed, no pipe waited for.
    """
    if folder is None and isinstance(path, FoundPath):
        with _in_folder(path) as (name, above):
            return open_file(name, above)
    try:
        descriptor = open_to_look(path, folder)
    except OSError as error:
        raise _not_a_file(path) if error.errno in _NOT_A_FILE else error from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise _not_a_file(path)
    return descriptor


@contextmanager
def _in_folder(path: FoundPath) -> Iterator[tuple[str, int | None]]:
    if path.folder is not None:
        yield os.path.basename(path), path.folder
        return
    with open_above(path, follow=False) as place:
        yield place.name, place.folder


def _not_a_file(path: str) -> OSError:
    return OSError(errno.EINVAL, "it is not a regular file", path)
