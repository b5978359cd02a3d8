"""
The rows of a capture, stored by the process that makes them and read by the one that shows them.

Three unnamed files, which two processes share: an index with an entry of fixed size for each item
(a row or a fold), the items themselves, and of every frame its place in the capture and its item.
So a row is found at once, wherever it is, and none has to be in memory.
"""

import errno
import os
import struct
import tempfile
from collections.abc import Iterator
from typing import Self

import msgspec

from acp_spy.errors import AcpSpyError

_ENTRY = struct.Struct("<QQIIIB3x")
SIZE = _ENTRY.size
_SEVERITY = 28  # where the severity is in an entry
_BLOCK = 4096  # entries
_FRAME = struct.Struct("<QI")  # its place, and 1 + the number of its item
MOST_FRAMES = (1 << 32) - 1  # what an entry has room for
LEVELS = ("", "note", "warning", "error")


def no_room(error: OSError) -> AcpSpyError:
    """Return the error for files that cannot be made or written."""
    return AcpSpyError(
        f"cannot store rows in a temporary file: {error.strerror}",
        hint="free some space, or set TMPDIR to another folder and start the console again",
    )


def _write(descriptor: int, data: bytes, at: int) -> None:
    view = memoryview(data)
    while view:  # a full disk may take a part of it
        written = os.pwrite(descriptor, view, at)
        at, view = at + written, view[written:]


class Entry(msgspec.Struct, frozen=True, array_like=True):
    """
    An item: where it begins in the capture, and where it is stored.

    `seq` is the number of its first frame, or of the last frame before it. `partner` is the frame
    that responds to it, or 0. `level` is the worst severity of its findings, by `LEVELS`.
    """

    place: int
    at: int
    size: int
    seq: int
    partner: int = 0
    level: int = 0


class Region(msgspec.Struct, frozen=True, array_like=True):
    """A part of the shelf: what was put for one filter, `count` entries. The rest is offsets."""

    base: int = 0  # of the entries
    count: int = 0
    frames: int = 0


class Shelf:
    """
    The three files. One process appends; others read what it says is there.

    An item once put can be replaced. What was put for another filter stays until the end.
    """

    def __init__(self, descriptors: tuple[int, int, int]) -> None:
        self.descriptors = descriptors
        self._index, self._items, self._frames = descriptors
        self._base = self._frames_base = 0
        self.count = 0  # entries since then
        self._used = self._frames_used = 0  # by other filters
        self._last_frame = 0
        self._end = 0
        self._new_entries: list[bytes] = []
        self._new_items: list[bytes] = []
        self._written = 0
        self._new_frames: list[bytes] = []
        self._first_frame = 0

    @classmethod
    def create(cls) -> Self:
        """Return an empty one; its files have no name, and go when they are closed."""
        descriptors = []
        try:
            for _ in range(3):
                with tempfile.TemporaryFile() as file:
                    descriptors.append(os.dup(file.fileno()))
        except OSError as error:
            raise no_room(error) from None
        first, second, third = descriptors
        return cls((first, second, third))

    def close(self) -> None:
        """Close the files."""
        for descriptor in self.descriptors:
            os.close(descriptor)

    # ------------------------------------------------------------------ to write

    @property
    def region(self) -> Region:
        """What is put for the current filter."""
        return Region(self._base, self.count, self._frames_base)

    def restart(self, *, empty: bool) -> None:
        """Begin again: for another filter, or `empty`, for another capture."""
        if empty:
            self._new_entries, self._new_items, self._new_frames = [], [], []
            self._base = self._frames_base = self._used = self._frames_used = self._end = 0
            self.count = 0
            for descriptor in self.descriptors:
                os.ftruncate(descriptor, 0)
        self._leave()
        self._base, self._frames_base = self._used, self._frames_used
        self.count = self._written = self._last_frame = 0

    def return_to(self, region: Region) -> None:
        """Go back to what was put for another filter, all of it."""
        self._leave()
        self.look_at(region)
        self._written, self._last_frame = region.count, 0

    def _leave(self) -> None:
        self.flush()
        self._used = max(self._used, self._base + self.count)
        self._frames_used = max(self._frames_used, self._frames_base + self._last_frame + 1)

    def append(self, place: int, seq: int, data: bytes, partner: int = 0, level: int = 0) -> int:
        """Put an item; return its number. It can be read after the next `flush`."""
        self._new_entries.append(_ENTRY.pack(place, self._end, len(data), seq, partner, level))
        self._new_items.append(data)
        self._end += len(data)
        self.count += 1
        return self.count - 1

    def note_frame(self, seq: int, place: int, item: int) -> None:
        """Remember where a frame is in the capture, and the number of its item; -1 for none."""
        if seq != self._first_frame + len(self._new_frames):
            self._flush_frames()
            self._first_frame = seq
        self._new_frames.append(_FRAME.pack(place, item + 1))
        self._last_frame = max(self._last_frame, seq)

    def flush(self) -> None:
        """Write what was put. Raises `OSError` if that is not possible."""
        self._flush_frames()
        if self._new_entries:
            data = b"".join(self._new_items)
            _write(self._items, data, self._end - len(data))
            index = b"".join(self._new_entries)
            _write(self._index, index, (self._base + self._written) * SIZE)
            self._written = self.count
            self._new_entries, self._new_items = [], []

    def _flush_frames(self) -> None:
        if self._new_frames:
            at = (self._frames_base + self._first_frame) * _FRAME.size
            _write(self._frames, b"".join(self._new_frames), at)
            self._first_frame += len(self._new_frames)
            self._new_frames = []

    def replace(self, number: int, entry: Entry, data: bytes) -> None:
        """Put an item in the place of another."""
        self.flush()
        _write(self._items, data, self._end)
        self.change(number, msgspec.structs.replace(entry, at=self._end, size=len(data)))
        self._end += len(data)

    def change(self, number: int, entry: Entry) -> None:
        """Put an entry in the place of another."""
        packed = _ENTRY.pack(*msgspec.structs.astuple(entry))
        _write(self._index, packed, (self._base + number) * SIZE)

    # ------------------------------------------------------------------ to read

    def look_at(self, region: Region) -> None:
        """Set which entries can be read, as the other process has reported."""
        self._base, self.count, self._frames_base = region.base, region.count, region.frames

    def entry(self, number: int) -> Entry:
        """Return an entry by its number."""
        data = os.pread(self._index, SIZE, (self._base + number) * SIZE)
        return Entry(*_ENTRY.unpack(data))

    def item(self, entry: Entry) -> bytes:
        """Return what was put."""
        return os.pread(self._items, entry.size, entry.at)

    def place_of(self, seq: int) -> int | None:
        """Return where a frame is in the capture, if that is known."""
        place, _ = self._frame(seq)
        return place or None

    def item_of(self, seq: int) -> int | None:
        """Return the number of the item that has a frame; none, if a filter hides it."""
        _, number = self._frame(seq)
        return number - 1 if number else None

    def _frame(self, seq: int) -> tuple[int, int]:
        data = os.pread(self._frames, _FRAME.size, (self._frames_base + seq) * _FRAME.size)
        place, item = _FRAME.unpack(data) if len(data) == _FRAME.size else (0, 0)
        return place, item

    def frame_at(self, place: int, first: int, last: int) -> int | None:
        """Return which frame, from `first` to `last`, is at a place of the capture."""
        for start, stop in self._noted(first, last):
            for at in range(start, stop + 1, _BLOCK):
                for seq, (found, _) in self._block(at, min(at + _BLOCK - 1, stop)):
                    if found == place:
                        return seq
        return None

    def frames_of(self, number: int, first: int, last: int, *, back: bool = False) -> Iterator[int]:
        """Give the frames from `first` to `last` that an item has, or the other way round."""
        parts = self._noted(first, last)
        for start, stop in reversed(parts) if back else parts:
            yield from self._frames_in(number, start, stop, back=back)

    def _noted(self, first: int, last: int) -> list[tuple[int, int]]:
        """Return the parts of a range of frames that were noted: a few may be billions apart."""
        if not hasattr(os, "SEEK_DATA"):
            return [(first, last)] if first <= last else []
        parts = []
        at, end = ((self._frames_base + seq) * _FRAME.size for seq in (first, last + 1))
        while at < end:
            try:
                start = os.lseek(self._frames, at, os.SEEK_DATA)
                at = os.lseek(self._frames, start, os.SEEK_HOLE)
            except OSError as error:
                if error.errno != errno.ENXIO:  # not "nothing follows": the system cannot say it
                    return [(first, last)]
                break
            if start < end:
                frames = start // _FRAME.size, (min(at, end) - 1) // _FRAME.size
                parts.append((frames[0] - self._frames_base, frames[1] - self._frames_base))
        return parts

    def _frames_in(self, number: int, first: int, last: int, *, back: bool) -> Iterator[int]:
        at = last if back else first
        while first <= at <= last:
            start = max(at - _BLOCK + 1, first) if back else at
            stop = at if back else min(at + _BLOCK - 1, last)
            found = [seq for seq, (_, item) in self._block(start, stop) if item == number + 1]
            yield from reversed(found) if back else found
            at = start - 1 if back else stop + 1

    def _block(self, first: int, last: int) -> Iterator[tuple[int, tuple[int, int]]]:
        """Give the frames from `first` to `last`, each with its place and its item, plus 1."""
        size = (last - first + 1) * _FRAME.size
        data = os.pread(self._frames, size, (self._frames_base + first) * _FRAME.size)
        return enumerate(_FRAME.iter_unpack(data[: len(data) // _FRAME.size * _FRAME.size]), first)

    def find_place(self, place: int) -> int:
        """Return the number of the last item that begins at `place` or before; -1 without one."""
        return self._bisect(place, by_place=True)

    def find_frame(self, seq: int) -> int:
        """Return the number of the last item whose first frame is `seq` or before; -1 if none."""
        found = self._bisect(seq, by_place=False)
        if found < 0:
            return found
        # Behind it may be others that have no frame, and so its number.
        return self._bisect(self.entry(found).seq - 1, by_place=False) + 1

    def _bisect(self, wanted: int, *, by_place: bool) -> int:
        low, high = 0, self.count
        while low < high:
            middle = (low + high) // 2
            entry = self.entry(middle)
            if (entry.place if by_place else entry.seq) <= wanted:
                low = middle + 1
            else:
                high = middle
        return low - 1

    def next_finding(self, number: int, *, back: bool = False) -> int | None:
        """Return the next item after `number` that has a finding, or the one before."""
        while True:
            first = max(number - _BLOCK, 0) if back else number + 1
            last = number if back else min(number + 1 + _BLOCK, self.count)
            if first >= last:
                return None
            size = (last - first) * SIZE
            levels = os.pread(self._index, size, (self._base + first) * SIZE)[_SEVERITY::SIZE]
            without = levels.rstrip(b"\0") if back else levels.lstrip(b"\0")
            if without:
                return first + (len(without) - 1 if back else len(levels) - len(without))
            number = first if back else last - 1
