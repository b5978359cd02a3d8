"""
Which captures a folder holds, the newest first.

A capture is a regular file whose first line is a header that we can read, whatever the file is
called. Everything else in the folder is somebody else's: it is neither shown nor touched.
"""

import os
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TypeVar

import msgspec

from acp_spy.capture.codec import decode, read_format
from acp_spy.capture.links import open_folder
from acp_spy.capture.lock import is_held
from acp_spy.capture.open_flags import CLOEXEC
from acp_spy.capture.opening import FoundPath, open_file, without_links
from acp_spy.capture.records import FORMAT, Header
from acp_spy.errors import AcpSpyError

Found = TypeVar("Found")

_LONGEST_HEADER = 4 * 1024 * 1024  # a command line has at most 2 MiB on Linux
_LAST_SECOND = datetime(9999, 12, 31, tzinfo=UTC).timestamp()


class Entry(msgspec.Struct, frozen=True):
    """A capture in a folder, as far as its first line and its directory entry show."""

    path: str
    header: Header
    started: datetime  # UTC; the time of the last write where the header does not have it
    written: float  # when it was last written to, in seconds since the epoch
    size: int
    running: bool  # somebody writes it at this moment

    @property
    def name(self) -> str:
        """The file's name."""
        return os.path.basename(self.path)


def captures(folder: str, opened: int | None = None) -> list[Entry]:
    """
    Return the captures in `folder`, the newest first; none when there is no such folder.

    If it is `opened`, its path may lead elsewhere by now: that is not asked.
    """

    def look(descriptor: int | None) -> list[Entry]:
        found = _files_in(folder, descriptor)
        return [entry for path in found if (entry := look_at(path, descriptor))]

    entries = look(opened) if opened is not None else _in_folder(folder, look)
    return sorted(entries, key=lambda entry: (entry.started, entry.path), reverse=True)


def files_in(folder: str) -> list[FoundPath]:
    """
    Return the paths of the regular files in `folder`; none when there is no such folder.

    Raises `AcpSpyError` if it cannot be read, also for a link that others may have put there.
    """
    return _in_folder(folder, lambda opened: _files_in(folder, opened))


def _in_folder(folder: str, look: Callable[[int | None], list[Found]]) -> list[Found]:
    """Return what `look` finds in the folder, which is open then; nothing if there is none."""
    try:
        with open_folder(folder) as place:
            return look(place.folder)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise AcpSpyError(
            f"cannot read the folder `{folder}`: {error.strerror}",
            hint="set `ACP_SPY_DIR` to use another capture folder",
        ) from None


def _is_file(entry: "os.DirEntry[str]") -> bool:
    return entry.is_file(follow_symlinks=False)


def _files_in(folder: str, opened: int | None) -> list[FoundPath]:
    if opened is None:
        with os.scandir(folder) as found:
            return [FoundPath(entry.path) for entry in found if _is_file(entry)]
    readable = os.open(os.curdir, os.O_RDONLY | CLOEXEC, dir_fd=opened)
    try:
        with os.scandir(readable) as found:
            names = [entry.name for entry in found if _is_file(entry)]
    finally:
        os.close(readable)
    return [FoundPath(os.path.join(folder, name)) for name in names]


def newest(folder: str) -> Entry:
    """Return the capture in `folder` that was begun last. Raises `AcpSpyError` if there is none."""
    entries = captures(folder)
    if not entries:
        raise AcpSpyError(
            f"there are no captures in `{folder}` yet",
            hint="record one with `acp-spy -- COMMAND` or `acp-spy demo`, or name one",
        )
    return entries[0]


def is_running(capture: object) -> bool:
    """Whether the capture at a path, or a link to it, is being recorded; what is loaded is not."""
    if not isinstance(capture, str | os.PathLike):
        return False
    entry = look_at(without_links(os.fspath(capture)))
    return entry is not None and entry.running


def look_at(path: str, folder: int | None = None) -> Entry | None:
    """
    Return the entry of the capture at `path`; `None` for what is no capture of ours.

    In an open `folder`, it is looked up by its name there.
    """
    try:
        descriptor = open_file(path if folder is None else os.path.basename(path), folder)
    except OSError:  # gone by now, no regular file, or not ours to read
        return None
    try:
        status = os.fstat(descriptor)
        header = _header(descriptor)
        if header is None:
            return None
        return Entry(
            path=path,
            header=header,
            started=_time_of(header.started, status.st_mtime),
            written=status.st_mtime,
            size=status.st_size,
            running=is_held(descriptor),
        )
    except OSError:
        return None
    finally:
        os.close(descriptor)


def _header(descriptor: int) -> Header | None:
    start = os.read(descriptor, 4096)
    if b"\n" not in start and start.startswith(b"{"):
        start += os.read(descriptor, _LONGEST_HEADER)
    line, end, _ = start.partition(b"\n")
    announced = read_format(line) if end else None
    if announced is None or announced > FORMAT:
        return None
    try:
        header = decode(line)
    except ValueError:
        return None
    return header if isinstance(header, Header) else None


def _time_of(started: str, written: float) -> datetime:
    try:
        time = datetime.fromisoformat(started)
        return time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return datetime.fromtimestamp(min(max(written, 0.0), _LAST_SECOND), UTC)
