"""
Where a path leads, if no link on the way was put there by others: they would choose the file.

Others can exchange a folder or a link at any moment. So a path is walked once: each name is opened
from the folder before, what is open is looked at, and what is done is done in the folder that is
open at the end. Nothing is looked up by its path again.
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import msgspec

from acp_spy.capture.open_flags import BINARY, CLOEXEC, NOFOLLOW

_MOST_LINKS = 40  # as the kernel has it
_PATH: int = getattr(os, "O_PATH", 0)
# A folder on the way need not be readable.
_SEARCH: int = _PATH or getattr(os, "O_SEARCH", os.O_RDONLY)
_FOLDER = _SEARCH | getattr(os, "O_DIRECTORY", 0) | CLOEXEC
# What they say of a link that is to be opened as a folder: Linux, macOS, FreeBSD.
_IS_LINK = (errno.ENOTDIR, errno.ELOOP, errno.EMLINK)


class Place(msgspec.Struct, frozen=True):
    """
    A name in an open folder, and its path without links, for messages.

    Where folders cannot be opened, `folder` is nothing, and the name is a path.
    """

    folder: int | None
    name: str
    path: str
    is_descriptor: bool = False  # of a process, by its number: that is followed, and is no name

    def status(self) -> os.stat_result | None:
        """Return the status of what is there, if something is; a link is not followed."""
        try:
            return os.stat(self.name, dir_fd=self.folder, follow_symlinks=self.is_descriptor)
        except FileNotFoundError:
            return None

    def open(self, flags: int) -> int:
        """Open what is there. Raises `OSError` for a link."""
        flags |= CLOEXEC if self.is_descriptor else CLOEXEC | NOFOLLOW
        return os.open(self.name, flags, dir_fd=self.folder)

    @property
    def is_others(self) -> bool:
        """Whether others can put something there."""
        return others_can_write_to(
            os.path.dirname(self.path) if self.folder is None else self.folder
        )


def create(name: str, folder: int | None, flags: int = 0) -> int:
    """
    Open a new file, which its owner alone can read and write, whatever the umask is.

    It is opened to write, or, if `flags` say so, to read and write.
    """
    flags |= (flags & os.O_RDWR or os.O_WRONLY) | os.O_CREAT | os.O_EXCL | BINARY | CLOEXEC
    descriptor = os.open(name, flags, 0o600, dir_fd=folder)
    if hasattr(os, "fchmod"):  # on Windows a file is its folder's: who may read it is inherited
        with suppress(OSError):  # a file system that has no modes
            os.fchmod(descriptor, 0o600)
    return descriptor


@contextmanager
def open_folder(path: str, *, make: bool = False) -> Iterator[Place]:
    """
    Open the folder at `path`; it has no name in another.

    With `make`, it is made if it is missing, for its owner alone, and likewise those above it, but
    not those that a link leads to: they may be on a disk that is not there.
    Raises `PermissionError` for a link of another user in a folder that others can write to, such
    as /tmp: what we write would replace a file that this user has chosen. Many kernels refuse to
    follow such a link, but not to read where it leads.
    """
    if os.open not in os.supports_dir_fd:
        if make:
            os.makedirs(path or os.curdir, exist_ok=True)
        yield Place(None, "", os.path.realpath(path))
        return
    walk = _Walk(path, make=make)
    try:
        walk.to_folder()
        yield Place(walk.at, "", walk.path)
    finally:
        os.close(walk.at)


@contextmanager
def open_above(path: str, *, make: bool = False, follow: bool = True) -> Iterator[Place]:
    """
    Open the folder, as `open_folder` does, in which `path` is, whether it exists or not.

    What it is called there is no link at that moment, unless not `follow`. Raises
    `IsADirectoryError` for a path that ends with a slash.
    """
    if not os.path.basename(path):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if os.open not in os.supports_dir_fd:
        above, name = os.path.split(path)
        real = os.path.realpath(path) if follow else os.path.join(os.path.realpath(above), name)
        if make:
            os.makedirs(os.path.dirname(real), exist_ok=True)
        yield Place(None, real, real)
        return
    walk = _Walk(path, make=make)
    try:
        name = walk.to_name(follow=follow)
        whole = os.path.join(walk.path, name)
        yield Place(walk.at, name, whole, is_descriptor=walk.is_descriptor(name))
    finally:
        os.close(walk.at)


class _Walk:
    """A way from folder to folder. The one that it has come to is open."""

    def __init__(self, path: str, *, make: bool) -> None:
        self._whole = path
        self._make = make
        self._left = _names(path)
        self._links = 0
        self._of_link = len(self._left)  # so many are left when the last name of a link is walked
        # We may not be allowed to go through the folders above the one that we are in.
        start = os.sep if os.path.isabs(path) else os.curdir
        self.at = os.open(start, _FOLDER)
        self.path = start
        if start == os.curdir:
            with suppress(OSError):  # it is gone; opening something there will say so
                self.path = os.getcwd()

    def to_folder(self) -> None:
        while self._left:
            self._step(self._left.pop())

    def to_name(self, *, follow: bool) -> str:
        while self._left:
            name = self._left.pop()
            if self._left or name == os.pardir:
                self._step(name)
            elif not follow or self.is_descriptor(name) or not self._follow(name):
                return name
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), self._whole)

    def is_descriptor(self, name: str) -> bool:
        """Whether it is one here: on Linux a link, but not one that can be read and walked."""
        if not name.isdecimal():
            return False
        is_of_process = self.path.startswith("/proc/") and self.path.count(os.sep) == 3
        return self.path == "/dev/fd" or (is_of_process and self.path.endswith("/fd"))

    def _step(self, name: str) -> None:
        """Go into a folder, or where a link says."""
        if name == os.pardir:
            self._enter(os.open(name, _FOLDER, dir_fd=self.at), os.path.dirname(self.path))
            return
        below = os.path.join(self.path, name)
        if self.is_descriptor(name):
            self._enter(os.open(name, _FOLDER, dir_fd=self.at), below)
            return
        try:
            found = self._open(name)
        except FileNotFoundError:
            if not self._make or len(self._left) >= self._of_link:
                raise
            # Whatever the umask is: what is made next must get in. Another may be faster; if that
            # is no folder, opening says so.
            before = os.umask(0o077)
            try:
                with suppress(FileExistsError):
                    os.mkdir(name, 0o700, dir_fd=self.at)
            finally:
                os.umask(before)
            found = self._open(name)
        except OSError as error:
            if error.errno not in _IS_LINK or not self._follow(name):
                raise
            return
        self._enter(found, below)

    def _open(self, name: str) -> int:
        return os.open(name, _FOLDER | NOFOLLOW, dir_fd=self.at)

    def _enter(self, folder: int, path: str) -> None:
        os.close(self.at)
        self.at, self.path = folder, path

    def _follow(self, name: str) -> bool:
        """Put where a link leads before what is left; false if there is no link."""
        owner, to = self._read_link(name)
        if not to:
            return False
        self._links += 1
        if self._links > _MOST_LINKS:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), self._whole)
        if owner not in (os.geteuid(), 0) and others_can_write_to(self.at):
            link = os.path.join(self.path, name)
            raise PermissionError(
                errno.EPERM,
                f"`{link}` is a link of another user, in a folder that others can write to",
                self._whole,
            )
        if os.path.isabs(to):
            self._enter(os.open(os.sep, _FOLDER), os.sep)
        self._of_link = min(self._of_link, len(self._left))
        self._left += _names(to)
        return True

    def _read_link(self, name: str) -> tuple[int, str]:
        """Return the owner of a link, and where it leads: nowhere, if there is none."""
        if _PATH:
            try:
                link = os.open(name, _PATH | NOFOLLOW | CLOEXEC, dir_fd=self.at)
            except FileNotFoundError:
                return 0, ""
            try:
                status = os.fstat(link)
                is_link = stat.S_ISLNK(status.st_mode)
                return status.st_uid, os.readlink("", dir_fd=link) if is_link else ""
            finally:
                os.close(link)
        # A link itself cannot be opened: it must be the same before and after it is read.
        try:
            status = os.stat(name, dir_fd=self.at, follow_symlinks=False)
        except FileNotFoundError:
            return 0, ""
        if not stat.S_ISLNK(status.st_mode):
            return 0, ""
        to = os.readlink(name, dir_fd=self.at)
        after = os.stat(name, dir_fd=self.at, follow_symlinks=False)
        if (after.st_ino, after.st_ctime_ns) != (status.st_ino, status.st_ctime_ns):
            raise OSError(errno.ELOOP, "a link was exchanged at the same time", self._whole)
        return status.st_uid, to


def _names(path: str) -> list[str]:
    """Return the names to walk, the last one first."""
    return [name for name in reversed(path.split(os.sep)) if name not in ("", os.curdir)]


def names_descriptor(path: str) -> bool:
    """Whether it names a descriptor that was given to us, as /dev/stdout does, and no file."""
    return path in ("/dev/stdout", "/dev/stderr") or path.startswith(("/dev/fd/", "/proc/self/fd/"))


def others_can_write_to(folder: str | int) -> bool:
    """Whether its group, everybody or an owner who is another user can put something there."""
    status = os.stat(folder)
    is_of_other = hasattr(os, "geteuid") and status.st_uid not in (os.geteuid(), 0)
    return is_of_other or bool(status.st_mode & (stat.S_IWGRP | stat.S_IWOTH))


def is_ours_alone(path: str) -> bool:
    """
    Whether nobody else can exchange the folder at `path`, nor what is in it: then paths are safe.

    A path with a link in it is none. Above the folder, others may write where they can replace only
    their own, as in /tmp.
    """
    return _is_ours(path, also_below=False)


def keeps_ours(path: str) -> bool:
    """Whether nobody else can exchange what we put into the folder at `path`, as in /tmp."""
    return _is_ours(path, also_below=True)


def _is_ours(path: str, *, also_below: bool) -> bool:
    if os.open not in os.supports_dir_fd or not os.path.isabs(path):
        return False
    left = _names(path)
    at = os.open(os.sep, _FOLDER)
    # Whose the root is can exchange everything: in a user namespace, a user who is unknown there.
    trusted = (os.geteuid(), 0, os.fstat(at).st_uid)
    try:
        while True:
            status = os.fstat(at)
            is_shared = bool(status.st_mode & (stat.S_IWGRP | stat.S_IWOTH))
            may_be_shared = _is_sticky(status) and (left or also_below)
            if status.st_uid not in trusted or (is_shared and not may_be_shared):
                return False
            if not left:
                return True
            below = os.open(left.pop(), _FOLDER | NOFOLLOW, dir_fd=at)
            os.close(at)
            at = below
    except OSError:  # a link, or gone, or we may not enter it
        return False
    finally:
        os.close(at)


def _is_sticky(status: os.stat_result) -> bool:
    return bool(status.st_mode & stat.S_ISVTX)


def is_for_others_too(folder: str) -> bool:
    """Whether others can put something into `folder`, but replace only their own: as in /tmp."""
    status = os.stat(folder)
    return _is_sticky(status) and bool(status.st_mode & (stat.S_IWGRP | stat.S_IWOTH))
