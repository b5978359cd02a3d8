"""
The settings file itself: changed whole or not at all, with the former one kept beside it.

A change that is taken back while nobody else has changed the file gives back the former bytes.
"""

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import takewhile
from secrets import token_hex
from typing import Any

import msgspec

from acp_spy.capture.file_names import numbered
from acp_spy.capture.links import create, open_above
from acp_spy.capture.open_flags import BINARY, CLOEXEC, NOFOLLOW, NONBLOCK
from acp_spy.editors.edit import CannotEdit, entry_in, put, remove
from acp_spy.editors.editor import starts_acp_spy

_BOM = "\ufeff"
_BACKUP = ".before-acp-spy"
_ACL = "system.posix_acl_access"


class Change(msgspec.Struct, frozen=True):
    """What was done to the file at `path`: `same` if nothing; `backup` is where the former is."""

    path: str
    what: str  # created, changed, same, restored, unwrapped, removed
    backup: str = ""


class Settings:
    """
    The settings at `path`; a link is followed, unless others may have put it there.

    What keeps them from being read or changed is a `CannotEdit`, or an `OSError`.
    """

    def __init__(self, path: str, keys: tuple[str, ...]) -> None:
        self._keys = keys
        self._raw: bytes | None = None
        self._access: _Access | None = None  # of the file that had these bytes
        try:
            with open_above(os.fspath(path)) as place:
                self.path, self._folder = place.path, place.folder
                self._raw, self._access = self._read(self.path)
        except FileNotFoundError:  # there is no such folder yet
            self.path = os.path.abspath(path)
        self._folder = None  # but while they are changed
        self._text = _decoded(self._raw)

    def entry(self, name: str) -> Any:
        """Return the entry called `name`, or `None`."""
        return entry_in(self._text, self._keys, name)

    def entries(self) -> dict[str, Any]:
        """Return the entries of all agents, by name."""
        agents = entry_in(self._text, self._keys[:-1], self._keys[-1])
        return agents if isinstance(agents, dict) else {}

    def put(self, name: str, entry: Any) -> Change:
        """Put an entry in, or replace it; keep the former settings beside the file."""
        changed = put(self._text, self._keys, name, entry)
        if changed == self._text:
            return Change(self.path, "same")
        with self._open_folder(make=self._raw is None):
            if self._raw is None:
                self._write(changed.encode())
                return Change(self.path, "created")
            self._refuse_if_kept_from_writing()
            return self._replace(changed)

    def remove(self, name: str, own: Any = None, *, was_added: bool = False) -> Change:
        """
        Take an entry out; as if it had never been there, if nothing else has changed.

        It becomes `own` again, unless acp-spy has added it: by its name (`was_added`), or because
        a backup does not have it.
        """
        entry = self.entry(name)
        if self._raw is None or entry is None:
            return Change(self.path, "same")
        with self._open_folder():
            return self._remove(name, entry, own, was_added=was_added)

    def _remove(self, name: str, entry: Any, own: Any, *, was_added: bool) -> Change:
        self._refuse_if_kept_from_writing()
        before: Any = None  # the entry, when acp-spy was not in it yet
        for backup in self._backups():
            former = self._backup_in(backup)
            if former is None:  # it proves nothing; the next may be a backup
                continue
            with suppress(CannotEdit):
                text = _decoded(former)
                earlier = entry_in(text, self._keys, name)
                if earlier is not None and starts_acp_spy(earlier):
                    continue  # of a later time, when acp-spy was in it: nothing is undone by that
                if earlier is None:
                    was_added = True
                else:
                    before = earlier
                if put(text, self._keys, name, entry) == self._text:
                    self._write(former)
                    self._unlink(backup)
                    return Change(self.path, "restored")
        if put("", self._keys, name, entry).encode() == self._raw:
            self._unlink(self.path)
            return Change(self.path, "removed")
        # Without proof that acp-spy has added it, it may be the user's own agent: that stays.
        if own is not None and (before is not None or not was_added):
            if not own.get("args", True) and "args" not in (before or own):
                del own["args"]
            changed = self._replace(put(self._text, self._keys, name, own))
            return Change(changed.path, "unwrapped", changed.backup)
        return self._replace(remove(self._text, self._keys, name))

    def _replace(self, text: str) -> Change:
        backup = self._keep()
        try:
            self._write(self._encoded(text))
        except BaseException:
            if self._read(self.path)[0] == self._raw:  # else a Ctrl-C came when it was changed
                self._unlink(backup)
            raise
        return Change(self.path, "changed", backup)

    def _encoded(self, text: str) -> bytes:
        had_bom = self._raw is not None and self._raw.startswith(_BOM.encode())
        return ((_BOM if had_bom else "") + text).encode()

    def _backups(self) -> Iterator[str]:
        return takewhile(self._exists, numbered(self.path + _BACKUP))

    def _backup_in(self, path: str) -> bytes | None:
        """Return what is in a backup; nothing if somebody has put there what cannot be read."""
        with suppress(CannotEdit, OSError):
            return self._read(path)[0]
        return None

    @contextmanager
    def _open_folder(self, *, make: bool = False) -> Iterator[None]:
        """Keep the folder open: others may exchange it for a link to one of the user's own."""
        with open_above(self.path, make=make, follow=False) as place:
            self._folder = place.folder
            try:
                yield
            finally:
                self._folder = None

    def _there(self, path: str) -> str:
        """Return how a file in the folder is named to the system."""
        return path if self._folder is None else os.path.basename(path)

    def _exists(self, path: str) -> bool:
        try:
            os.stat(self._there(path), dir_fd=self._folder, follow_symlinks=False)
        except FileNotFoundError:
            return False
        return True

    def _read(self, path: str) -> tuple["bytes | None", "_Access | None"]:
        """Return what is in a file, which is no link, and who has access, if there is one."""
        flags = os.O_RDONLY | BINARY | CLOEXEC | NOFOLLOW | NONBLOCK  # no pipe is waited for
        try:
            descriptor = os.open(self._there(path), flags, dir_fd=self._folder)
        except FileNotFoundError:
            return None, None
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise CannotEdit("it is not a regular file")
            with open(descriptor, "rb", closefd=False) as file:
                return file.read(), _Access(status, _acl_of(descriptor))
        finally:
            os.close(descriptor)

    def _new(self, path: str) -> int:
        """Return a new file, which others cannot open."""
        return create(self._there(path), self._folder)

    def _unlink(self, path: str) -> None:
        os.unlink(self._there(path), dir_fd=self._folder)

    def _refuse_if_kept_from_writing(self) -> None:
        self._refuse_if_changed()  # before a copy is made: it may be of another file
        is_writable = os.access(self._there(self.path), os.W_OK, dir_fd=self._folder)
        if not self._mode & 0o222 or not is_writable:
            raise CannotEdit("it is read-only")

    def _refuse_if_changed(self) -> None:
        raw, access = self._read(self.path)
        if raw != self._raw:
            raise CannotEdit("another program changed it at the same time")
        self._access = access

    @property
    def _mode(self) -> int:
        """Who may read, write and run it; it does not run as its owner, even if the old one did."""
        return self._access.status.st_mode & 0o777 if self._access else 0o600

    def _keep(self) -> str:
        """Write the settings as they are to a new file; return its path."""
        assert self._raw is not None
        path = next(name for name in numbered(self.path + _BACKUP) if not self._exists(name))
        self._put_file(path, self._raw)
        return path

    def _write(self, data: bytes) -> None:
        """Put a new file in the place of the old one, with its mode and owner."""
        self._put_file(self.path, data, self._refuse_if_changed)

    def _put_file(self, path: str, data: bytes, check: Callable[[], None] = lambda: None) -> None:
        """Put a file there, whole or not at all: a part of a backup would be taken for one."""
        new = os.path.join(os.path.dirname(self.path), f".acp-spy-{token_hex(8)}")
        descriptor = self._new(new)
        try:
            with open(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
                self._make_alike(file.fileno())
            check()
            names = (self._there(new), self._there(path))
            os.replace(*names, src_dir_fd=self._folder, dst_dir_fd=self._folder)
        except BaseException:
            with suppress(FileNotFoundError):  # a Ctrl-C came when it had its name already
                self._unlink(new)
            raise

    def _make_alike(self, descriptor: int) -> None:
        """Give those access to a new file who have it to the old one, and nobody else."""
        if self._access is None or not hasattr(os, "fchown"):
            return  # only its owner can read it; on Windows a file is its folder's
        status, acl = self._access.status, self._access.acl
        with suppress(OSError, AttributeError):  # what its folder gives to new files
            os.removexattr(descriptor, _ACL)
        with suppress(PermissionError):
            os.fchown(descriptor, status.st_uid, status.st_gid)
        mode, new = self._mode, os.fstat(descriptor)
        if new.st_uid != status.st_uid:
            # It is ours now, and names the programs that our editor starts. Another user has said
            # who may change it: those still may read it, as before, but no more than that.
            mode &= 0o744
        if new.st_gid != status.st_gid:  # the rest is about another group
            os.fchmod(descriptor, mode & stat.S_IRWXU)
            return
        if acl:  # before it is set, the bits of the group would be what the group has
            os.fchmod(descriptor, mode & stat.S_IRWXU)
            os.setxattr(descriptor, _ACL, acl)
        os.fchmod(descriptor, mode)  # with a list: what anybody in it may have at most


class _Access(msgspec.Struct, frozen=True):
    """Who has access to a file: its mode and owner, and the list of others, as Linux has it."""

    status: os.stat_result
    acl: bytes


def _acl_of(descriptor: int) -> bytes:
    with suppress(OSError, AttributeError):  # there is none, or not on this system
        return os.getxattr(descriptor, _ACL)
    return b""


def _decoded(raw: bytes | None) -> str:
    try:
        return (raw or b"").decode().removeprefix(_BOM)
    except UnicodeDecodeError:
        raise CannotEdit("it is not UTF-8") from None
