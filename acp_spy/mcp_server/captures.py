"""
The captures that the server may read, each without its secrets.

An agent names captures, and may be told to by what it has read. So a name leads to a file in the
folders that the user has chosen, or to one of the files that the user has named, and nowhere else.
"""

import os
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress

from acp_spy.capture.files import read, unreadable
from acp_spy.capture.folder import Entry, captures, is_running, look_at, newest
from acp_spy.capture.locate import find_in_folder, refuse_empty
from acp_spy.capture.opening import status_of
from acp_spy.capture.records import Record
from acp_spy.errors import AcpSpyError
from acp_spy.secrets.redactor import Masked, Redactor

_MOST_TO_KEEP = 5_000_000  # bytes of a capture whose records are kept for the next question
_KEPT = 2  # captures
_UNREAD = "\ufffd"


class MaskedCapture(Masked):
    """
    A capture without its secrets; one that is not large is read once.

    `shown_path` is its path as an answer may have it, `now` the time while it is being recorded.
    """

    def __init__(self, path: str, size: int) -> None:
        self.path = path
        self.running = is_running(path)  # asked first: what ends after this may be read in part
        self.now = time.time() if self.running else None
        super().__init__(lambda: read(path))
        is_small = size <= _MOST_TO_KEEP
        self._records = list(super().__call__()) if is_small else None
        self.shown_path = self.redactor.text(str(path))  # as plain text, whatever its type

    def __call__(self) -> Iterator[Record]:
        """Give the records from the beginning."""
        return super().__call__() if self._records is None else iter(self._records)


class Captures:
    """The captures in `folder`, where new ones are put, and those at `paths`: files or folders."""

    def __init__(self, folder: str, paths: Sequence[str] = ()) -> None:
        self.folder = folder
        self._folders = [folder, *filter(os.path.isdir, paths)]
        self._files = [path for path in paths if not os.path.isdir(path)]
        self._kept: dict[tuple[str, int, int], MaskedCapture] = {}

    def entries(self) -> list[Entry]:
        """Return all captures, the newest first."""
        entries = {entry.path: entry for folder in self._folders for entry in captures(folder)}
        named = (look_at(os.path.realpath(path)) for path in self._files)
        entries |= {entry.path: entry for entry in named if entry}
        return sorted(entries.values(), key=lambda entry: (entry.started, entry.path), reverse=True)

    def open(self, named: str) -> MaskedCapture:
        """Return the capture that is meant, as `find` does, without its secrets."""
        path = self.find(named)
        try:
            status = status_of(path)
        except OSError as error:
            raise unreadable(path, error) from None
        key = (path, status.st_size, status.st_mtime_ns)
        opened = self._kept.pop(key, None)
        # What is recorded at this moment has no end yet, even if nothing has come.
        if opened is None or opened.running:
            opened = MaskedCapture(path, status.st_size)
        self._kept[key] = opened
        for old in list(self._kept)[:-_KEPT]:
            del self._kept[old]
        return opened

    def masked(self, text: str) -> str:
        """Return what is said about a call: without secrets, those of captures in use included."""
        text = Redactor().text(text)
        for capture in self._kept.values():
            text = capture.redactor.text(text)
        return text

    def find(self, named: str) -> str:
        """
        Return the path of the capture that is meant: by name, or by a path in one of the folders.

        Without a name it is the newest that is being recorded, or else the newest. Raises
        `AcpSpyError` for any other file.
        """
        if not named:
            entries = self.entries() or [newest(self.folder)]  # which raises
            return next((entry.path for entry in entries if entry.running), entries[0].path)
        path = self._path_of(named)
        refuse_empty(path)
        return path

    def _path_of(self, named: str) -> str:
        for path in self._files:
            name = os.path.basename(path)
            if named in (path, name, name.removesuffix(".jsonl")) or _is_same(named, path):
                return path
        above, name = os.path.split(named)
        is_outside = True
        for folder in self._folders:
            if above and not _is_same(above, folder):
                continue
            is_outside = False
            if name and (path := find_in_folder(name, folder)):
                return path
        if _UNREAD in named and (path := self._path_as_listed(named)):
            return path
        raise AcpSpyError(
            f"cannot read `{named}`: "
            + ("it is not in the capture folder" if is_outside else "No such file or directory"),
            hint="use a name that `list_captures` shows"
            + ("; the user can allow others: `acp-spy mcp PATH`" if is_outside else ""),
        )

    def _path_as_listed(self, named: str) -> str:
        """
        Return the path of a capture whose path or name is not UTF-8; empty if there is none.

        It is listed with halves of characters, which come back as U+FFFD: no message has them.
        """
        wanted = _as_read(named)
        found = [
            each.path
            for each in self.entries()
            if wanted in map(_as_read, (each.path, each.name, each.name.removesuffix(".jsonl")))
        ]
        if len(found) > 1:
            raise AcpSpyError(
                f"`{named}` matches {len(found)} captures whose names are not UTF-8",
                hint="the user can rename them",
            )
        return found[0] if found else ""


def _as_read(path: str) -> str:
    """Return a path as it is read in a request; one half may be several of them in UTF-8."""
    return re.sub(f"[\ud800-\udfff{_UNREAD}]+", _UNREAD, path)


def _is_same(path: str, other: str) -> bool:
    try:
        return os.path.realpath(path) == os.path.realpath(other)
    except ValueError:  # no path at all: it has a zero byte, or what is not Unicode
        return False


def redactor_for(path: str) -> Redactor:
    """Return one that knows the secrets of the capture at `path`."""
    redactor = Redactor()
    with suppress(AcpSpyError):  # damaged: what was read until then counts
        redactor.learn_all(read(path))
    return redactor
