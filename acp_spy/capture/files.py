"""
Captures on disk: create, append, read. The one door of the core to the disk.

A capture is written by a process that may be killed at any moment, and read while it grows. So
a torn last line is normal, and so is a file that has no end yet.
"""

import errno
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from copy import deepcopy
from itertools import chain

import msgspec

from acp_spy.capture.codec import HEADER_START, decode, encode, read_format
from acp_spy.capture.file_names import numbered
from acp_spy.capture.frame_numbers import FrameNumbers
from acp_spy.capture.links import create, open_above, open_folder
from acp_spy.capture.lock import hold, is_held
from acp_spy.capture.open_flags import BINARY, CLOEXEC, NONBLOCK
from acp_spy.capture.opening import to_open
from acp_spy.capture.records import (
    FORMAT,
    Capture,
    Delivery,
    Header,
    HttpExchange,
    Record,
)
from acp_spy.errors import AcpSpyError, file_word
from acp_spy.wire.frame import Frame
from acp_spy.wire.framing import LONGEST_LINE


def write_all(descriptor: int, rest: memoryview) -> None:
    """Write what is left; a full pipe is an error, since without a clock it would be for ever."""
    while rest:
        rest = rest[os.write(descriptor, rest) :]


class CaptureFile:
    """
    A capture that is being written.

    Each `append` reaches the kernel before it returns: what was appended survives the death of
    this process. It raises `OSError` when the disk refuses. As long as it is open, others can see
    that it is being written (see `lock.py`).
    `/dev/fd/N` of an open file is that file, and no new one. `write_rest` writes what did not go
    into it at once, because it is a pipe, or raises `OSError`.
    """

    _lock = -1  # another descriptor of a file that was given to us, if it could be opened again
    _had_name = True  # or else it was given without one, as `tempfile.TemporaryFile` makes it

    def __init__(
        self,
        path: str,
        header: Header,
        write_rest: Callable[[int, memoryview], None] = write_all,
    ) -> None:
        self._size = 0
        self._write_rest = write_rest
        if (given := given_file(path)) is not None:
            # What is behind what was written by who has given it: opened again, it would not be.
            self.path, self._fd = path, os.dup(given)
            self._had_name = os.fstat(given).st_nlink > 0
            self._lock = _lock_given(path)
            try:
                self.append([header])
            except OSError:
                self.close()
                raise
            return
        with open_folder(os.path.dirname(path), make=True) as place:
            self.path, self._fd = _create(path, place.folder)
            try:
                self.append([header])
            except OSError:
                # Leave no empty file behind. One that existed before (a device) is not ours.
                if stat.S_ISREG(os.fstat(self._fd).st_mode):
                    os.unlink(_in(place.folder, self.path), dir_fd=place.folder)
                os.close(self._fd)
                raise

    def append(self, records: Iterable[Record]) -> None:
        """Write `records` to the kernel, one line each."""
        self.append_lines(encode(records))

    def append_lines(self, data: bytes | memoryview, *more: bytes | memoryview) -> None:
        """Write lines that are records already, in parts."""
        size = len(data)
        try:
            if more:  # not joined first: new memory for a huge line costs more than writing it
                size += sum(map(len, more))
                written = os.writev(self._fd, (data, *more))
            else:
                written = os.write(self._fd, data)
        except BlockingIOError:
            written = 0
        self._size += size
        if written < size:  # a file may take less, too
            self._write_rest(self._fd, memoryview(b"".join((data, *more)))[written:])

    @property
    def can_be_followed(self) -> bool:
        """Whether what is written can be read back by somebody else: not from a device or pipe."""
        return stat.S_ISREG(os.fstat(self._fd).st_mode)

    def open_again(self) -> int:
        """
        Open the same file once more, to read it and to append to it, with no part in its lock.

        Raises `OSError` if it is not at its path: whose folder it is may have exchanged it.
        """
        with open_above(self.path, follow=False) as place:
            descriptor = place.open(os.O_RDWR | os.O_APPEND | BINARY | NONBLOCK)
        if not os.path.samestat(os.fstat(descriptor), os.fstat(self._fd)):
            os.close(descriptor)
            raise OSError(errno.ESTALE, "another file is in the place of the capture")
        return descriptor

    def close(self) -> None:
        """Write no more. Readers see that it is not being written."""
        opened = self._fd, self._lock
        self._fd = self._lock = -1  # the numbers may be other files' next
        for descriptor in opened:
            with suppress(OSError):  # what was written has been written
                os.close(descriptor)

    def spoilt_by_others(self) -> str:
        """Return what somebody has done to the file: `deleted`, `shortened`; empty if nothing."""
        status = os.fstat(self._fd)
        if not stat.S_ISREG(status.st_mode):
            return ""
        if self._had_name and not status.st_nlink:
            return "deleted"
        return "shortened" if status.st_size < self._size else ""


def _create(path: str, folder: int | None) -> tuple[str, int]:
    """
    Create `path`, or the first of `path-2`, `path-3`, ... that does not exist yet, in its folder.

    Editors restart agents with the same command line: an existing capture is neither
    overwritten nor a reason to refuse. Something that is no regular file, such as a device or a
    pipe, is written to as it is; a pipe that stays full counts as a disk that is.
    """
    flags = os.O_WRONLY | os.O_APPEND | BINARY | NONBLOCK
    if not os.path.basename(path):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    for name in numbered(path):
        try:
            descriptor = create(_in(folder, name), folder, flags)
        except FileExistsError:
            if _is_special(_in(folder, name), folder):
                # Not before it is needed: most captures are files.
                from acp_spy.capture.pipes import open_special

                with open_above(name) as place:  # what is opened there is looked at again
                    return name, open_special(place, flags)
            continue
        hold(descriptor)  # a new file's only: a device is not ours to lock
        return name, descriptor
    raise AssertionError("unreachable")


def given_file(path: str) -> int | None:
    """Return the descriptor of the regular file that was given to us as `/dev/fd/N`, if it was."""
    number = path.removeprefix("/dev/fd/")
    if number == path or not number.isdecimal():
        return None
    with suppress(OSError, OverflowError, ValueError):  # it is not open
        if stat.S_ISREG(os.fstat(int(number)).st_mode):
            return int(number)
    return None


def _lock_given(path: str) -> int:
    """
    Lock a file that was given to us, and return the descriptor with the lock; -1 if there is none.

    The file is opened again, where that gives a lock of its own: one on what was given would last
    until who has given it closes it, and who has locked it already would lose that lock with us.
    """
    try:
        descriptor = os.open(path, os.O_WRONLY | BINARY | CLOEXEC | NONBLOCK)
    except OSError:  # it may not be opened again: recording goes before listing
        return -1
    hold(descriptor)
    return descriptor


@contextmanager
def new_file(path: str) -> Iterator[tuple[str, int]]:
    """
    Give the path of a new file for a capture, as `CaptureFile` numbers it, and a descriptor of it.

    It is for another process to write, and for us to read. One that is still empty is removed.
    Raises `OSError`.
    """
    with open_folder(os.path.dirname(path), make=True) as place:
        for name in numbered(path):
            with suppress(FileExistsError):
                flags = os.O_RDWR | os.O_APPEND | BINARY
                descriptor = create(_in(place.folder, name), place.folder, flags)
                break
        hold(descriptor)
        try:
            yield name, descriptor
        finally:
            if not os.fstat(descriptor).st_size:
                with suppress(OSError):  # somebody else has removed it
                    os.unlink(_in(place.folder, name), dir_fd=place.folder)
            os.close(descriptor)


def _in(folder: int | None, path: str) -> str:
    return path if folder is None else os.path.basename(path)


def make_folder(path: str) -> None:
    """
    Make a folder that only its owner can enter, and likewise those above it that are new.

    Raises `OSError`, also for a link on the way that others may have put there.
    """
    with open_folder(path, make=True):
        pass


def _is_special(path: str, folder: int | None) -> bool:
    try:
        mode = os.stat(path, dir_fd=folder).st_mode
    except FileNotFoundError:  # a dangling link
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def load(path: str | os.PathLike[str]) -> Capture:
    """Read a whole capture into memory. Raises `AcpSpyError` when it cannot be read."""
    records = read(path)
    header = next(records, Header())
    if not isinstance(header, Header):
        raise TypeError("read() gives the header first")
    return Capture(header, tuple(record for record in records if not isinstance(record, Header)))


def records_of(capture: Capture | str | os.PathLike[str] | Iterable[Record]) -> Iterable[Record]:
    """Return the records of a capture: of one that is loaded, or of a path; records stay so."""
    if isinstance(capture, Capture):
        return (capture.header, *capture.records)
    return read(capture) if isinstance(capture, str | os.PathLike) else capture


def save(capture: Capture, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
    """
    Write a capture to a new file that only you can read.

    Raises `AcpSpyError` when it cannot be written, for a file that exists, unless `overwrite`, and
    for a capture that is still being recorded.
    """
    # Not before it is needed: the proxy loads this module, too.
    from acp_spy.capture.write_file import write_file

    parts = (encode([record]) for record in records_of(capture))
    write_file(os.fspath(path), parts, replace=overwrite)


def read(path: str | os.PathLike[str], form: str = "") -> Iterator[Record]:
    """
    Give the records of a capture one by one, the header first, in constant memory.

    A torn last line, a missing end, unknown fields and unknown types of record are passed over;
    so is the emptiness of a file whose writer was killed before its first line.
    A file of another tool is given as the capture that it could be (see `foreign/`); `form` names
    its format, or is `auto` if it must be one of another tool.
    Raises `AcpSpyError` for what is none of these, or damaged.
    """
    name = os.fspath(path)
    try:
        with open(to_open(name), "rb") as file:
            first_line = file.readline(LONGEST_LINE)
            if form or not _is_capture(first_line):
                # Not before it is needed: the proxy loads this module, too.
                from acp_spy.capture.foreign.read import read_foreign

                yield from read_foreign(name, file, first_line, form)
            else:
                if first_line:
                    _admit(name, first_line)
                lines = _Lines(name)
                for line in chain([first_line] if first_line else [], file):
                    if (record := lines.record_in(line)) is not None:
                        line = b""  # noqa: PLW2901 - it may be huge: hold it no longer
                        yield record
    except OSError as error:
        if form:  # to be converted, so it is no capture
            hint = "give the path of the file to convert"
            raise AcpSpyError(f"cannot read `{name}`: {error.strerror}", hint=hint) from None
        raise unreadable(name, error) from None


def is_capture(path: str | os.PathLike[str]) -> bool:
    """
    Whether the file at `path` is a capture of our own, and no other tool's.

    Raises `AcpSpyError` when it cannot be read.
    """
    name = os.fspath(path)
    try:
        with open(to_open(name), "rb") as file:
            return _is_capture(file.readline(LONGEST_LINE))
    except OSError as error:
        raise unreadable(name, error) from None


def is_cut_off(path: str) -> bool:
    """Whether the last line of a capture is a part of a record, which nobody can read."""
    if not os.path.isfile(path) or not is_capture(path):
        return False
    last = b""
    with suppress(OSError), open(to_open(path), "rb") as file:
        file.seek(-1, os.SEEK_END)
        if file.read() == b"\n":  # as nearly all end
            return False
        file.seek(0)
        for line in file:
            last = line
    with suppress(ValueError):
        decode(last)
        return False
    return bool(last) and not last.endswith(b"\n")


class Follower:
    """
    A capture that grows, read as far as it is.

    It never waits: `take` gives what has come since the last time, and the caller decides
    how long to sleep. A line that is not complete yet is left until it is.
    If it is open already, as `descriptor`, the path is for messages only.
    """

    def __init__(self, path: str | os.PathLike[str], descriptor: int | None = None) -> None:
        self._name = os.fspath(path)
        self._lines = _Lines(self._name)
        self._held: list[bytes] = []  # the start of a line, in pieces: it may be huge
        self.place = 0  # how many bytes have been read
        self.at_end = False  # the last `take` found nothing new, not even a part of a line
        try:
            opened = to_open(self._name) if descriptor is None else descriptor
            self._file = open(opened, "rb", buffering=0)  # noqa: SIM115 - as long as we live
        except OSError as error:
            raise unreadable(self._name, error) from None
        self._had_name = self._has_name()

    def _has_name(self) -> bool:
        return os.fstat(self._file.fileno()).st_nlink > 0

    @property
    def is_deleted(self) -> bool:
        """Whether the file has lost its name: what records it stops then."""
        return self._had_name and not self._has_name()

    @property
    def is_recorded(self) -> bool:
        """Whether it is still being recorded, wherever it was moved."""
        return is_held(self._file.fileno())

    def take(self, most: int = 1 << 20) -> list[Record]:
        """Return the records that are complete now, from at most about `most` bytes."""
        lines = self.take_lines(most)
        return [record for _, line in lines if (record := self.record_in(line))]

    def take_lines(self, most: int = 1 << 20) -> list[tuple[int, bytes]]:
        """
        Return the lines that are complete now, each with the place in the file where it begins.

        `record_in` must be given each of them, in their order.
        """
        try:
            if os.fstat(self._file.fileno()).st_size < self.place:
                raise AcpSpyError(f"cannot follow `{self._name}`: it became shorter")
            self._file.seek(self.place)  # what is appended by the same descriptor moves it
            chunk = self._file.read(most)
        except OSError as error:
            raise unreadable(self._name, error) from None
        place = self.place - sum(map(len, self._held))
        self.place += len(chunk)
        self.at_end = not chunk
        first = chunk.find(b"\n") + 1
        if not first:
            self._held += [chunk] if chunk else []
            return []
        end = chunk.rfind(b"\n") + 1
        line = b"".join((*self._held, chunk[:first]))  # it may be huge: one copy is enough
        self._held = [chunk[end:]] if end < len(chunk) else []
        placed = [(place, line)]
        for each in chunk[first:end].split(b"\n")[:-1]:
            place += len(line)
            line = each + b"\n"
            placed.append((place, line))
        return placed

    def record_in(self, line: bytes) -> Record | None:
        """Return the record of the next line, or `None` for one to be passed over."""
        if not self._lines.number:
            _admit(self._name, line)
        return self._lines.record_in(line)

    def last(self) -> list[Record]:
        """Return the record that lacks its line end alone, if there is one, when no more comes."""
        record = self._lines.record_at_end(b"".join(self._held))
        return [record] if record else []

    def close(self) -> None:
        """Read no more."""
        self._file.close()


def unreadable(name: str, error: OSError) -> AcpSpyError:
    """Return why a capture cannot be read, and what to do."""
    hint = "give the path of a capture, or a name that `acp-spy list` shows"
    if isinstance(error, IsADirectoryError):
        to_list = f"acp-spy list --dir {file_word(name)}"
        hint = f"name a capture; run `{to_list}` to see those in the folder"
    return AcpSpyError(f"cannot read `{name}`: {error.strerror}", hint=hint)


class _Lines:
    """The lines of a capture, read one after the other."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._numbers = FrameNumbers()
        self.number = 0  # of the last line

    def record_in(self, line: bytes) -> Record | None:
        """Return the record of the next line, or `None` for one to be passed over."""
        self.number += 1
        try:
            record = decode(line)
        except ValueError as error:
            if line.endswith(b"\n"):
                raise self._damaged(error) from None
            return None  # torn: the writer was cut off, or is at it
        numbers = self._numbers
        if type(record) is Frame:  # nearly all are
            if record.seq == numbers.last + 1:
                numbers.last = record.seq
                return record
            return msgspec.structs.replace(record, seq=numbers.give(record.seq))
        if numbers.have_changed:
            if isinstance(record, Delivery):
                return msgspec.structs.replace(record, seq=numbers.now(record.seq))
            if isinstance(record, HttpExchange):
                return msgspec.structs.replace(record, request=numbers.now(record.request))
        return record

    def record_at_end(self, line: bytes) -> Record | None:
        """Return the record of a line without its end, which may still come, and then is read."""
        return deepcopy(self).record_in(line) if line else None

    def _damaged(self, error: ValueError) -> AcpSpyError:
        hint = 'add the header that every capture needs; `{"type":"header","format":1}` is enough'
        if self.number > 1:
            to_remove = f"sed {self.number}d {file_word(self._name)} > NEW.jsonl"
            hint = f"run `{to_remove}` to get the file without that line"
        message = f"cannot read `{self._name}`: line {self.number} is not a record: {error}"
        return AcpSpyError(message, hint=hint)


def _is_capture(first_line: bytes) -> bool:
    """Whether a file that begins so is a capture: also one that is empty, or torn in its header."""
    if read_format(first_line) is not None:
        return True
    return not first_line.endswith(b"\n") and HEADER_START.startswith(
        first_line[: len(HEADER_START)]
    )


def _admit(name: str, first_line: bytes) -> None:
    """Refuse what is no capture, and what is one of a format from the future."""
    if not _is_capture(first_line):  # in a file that is followed; others are read as they are
        raise AcpSpyError(
            f"cannot follow `{name}`: it is not a capture, for it does not begin with a `header`",
            hint="follow a file that `acp-spy -- COMMAND` writes",
        )
    format_of_file = read_format(first_line)
    if format_of_file is not None and format_of_file > FORMAT:
        raise AcpSpyError(
            f"cannot read `{name}`: it has format {format_of_file}; this acp-spy reads {FORMAT}",
            hint="update acp-spy: `pip install --upgrade acp-spy`",
        )
