"""
The settings file itself: changed whole or not at all, with the former one kept beside it.

A change that is taken back while nobody else has changed the file gives back the former bytes.
"""

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from itertools import takewhile
from typing import Any

import msgspec

from acp_spy.capture.file_names import numbered
from acp_spy.capture.files import make_folder
from acp_spy.capture.links import real_path
from acp_spy.editors.edit import CannotEdit, entry_in, put, remove
from acp_spy.editors.editor import starts_acp_spy

_BOM = "\ufeff"
_BACKUP = ".before-acp-spy"


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
        self.path = real_path(os.fspath(path))
        self._keys = keys
        self._raw = _read(self.path)
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
        if self._raw is None:
            make_folder(os.path.dirname(self.path))
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
        self._refuse_if_kept_from_writing()
        before: Any = None  # the entry, when acp-spy was not in it yet
        for backup in self._backups():
            former = _read(backup) or b""
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
                    os.unlink(backup)
                    return Change(self.path, "restored")
        if put("", self._keys, name, entry).encode() == self._raw:
            os.unlink(self.path)
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
            os.unlink(backup)
            raise
        return Change(self.path, "changed", backup)

    def _encoded(self, text: str) -> bytes:
        had_bom = self._raw is not None and self._raw.startswith(_BOM.encode())
        return ((_BOM if had_bom else "") + text).encode()

    def _backups(self) -> Iterator[str]:
        return takewhile(os.path.lexists, numbered(self.path + _BACKUP))

    def _refuse_if_kept_from_writing(self) -> None:
        mode = os.stat(self.path).st_mode
        if not mode & 0o222 or not os.access(self.path, os.W_OK):
            raise CannotEdit("it is read-only")

    def _keep(self) -> str:
        """Write the settings as they are to a new file; return its path."""
        assert self._raw is not None
        path = next(name for name in numbered(self.path + _BACKUP) if not os.path.lexists(name))
        # Others cannot open it before it has the mode of the file.
        with open(path, "xb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
            _set_mode(file.fileno(), stat.S_IMODE(os.stat(self.path).st_mode))
            file.write(self._raw)
        return path

    def _write(self, data: bytes) -> None:
        """Put a new file in the place of the old one, with its mode and owner."""
        descriptor, new = tempfile.mkstemp(prefix=".acp-spy-", dir=os.path.dirname(self.path))
        try:
            with open(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
                self._make_alike(file.fileno())
            if _read(self.path) != self._raw:
                raise CannotEdit("another program changed it at the same time")
            os.replace(new, self.path)
        except BaseException:
            os.unlink(new)
            raise

    def _make_alike(self, descriptor: int) -> None:
        if self._raw is None:  # only its owner can read it, whatever the umask is
            return
        former = os.stat(self.path)
        _set_mode(descriptor, stat.S_IMODE(former.st_mode))
        if hasattr(os, "fchown"):
            with suppress(PermissionError):
                os.fchown(descriptor, former.st_uid, former.st_gid)


def _set_mode(descriptor: int, mode: int) -> None:
    if hasattr(os, "fchmod"):  # on Windows a file is its folder's: who may read it is inherited
        os.fchmod(descriptor, mode)


def _read(path: str) -> bytes | None:
    """Return what is in the file, or `None` if there is none."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise CannotEdit("it is not a regular file")
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def _decoded(raw: bytes | None) -> str:
    try:
        return (raw or b"").decode().removeprefix(_BOM)
    except UnicodeDecodeError:
        raise CannotEdit("it is not UTF-8") from None
