"""
The rows of a capture, stored by the process that makes them and read by the one that shows them.

Three unnamed files, which two processes share: an index with an entry of fixed size for each item
(a row or a fold), the items themselves, and the place of every frame in the capture. So a row is
found at once, wherever it is, and none has to be in memory.
"""

import os
import struct
import tempfile
from typing import Self

import msgspec

_ENTRY = struct.Struct("<QQIIIB3x")
SIZE = _ENTRY.size
_SEVERITY = 28  # where the severity is in an entry
_BLOCK = 4096  # entries
_PLACE = struct.Struct("<Q")
LEVELS = ("", "note", "warning", "error")


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


class Shelf:
    """
    The three files. One process appends; others read what it says is there.

    An item once put can be replaced. `base` is where the items of the current filter begin: what
    was put for the filter before stays until the end.
    """

    def __init__(self, descriptors: tuple[int, int, int]) -> None:
        self.descriptors = descriptors
        self._index, self._items, self._frames = descriptors
        self.base = 0
        self.count = 0  # entries since `base`
        self._end = 0
        self._new_entries: list[bytes] = []
        self._new_items: list[bytes] = []
        self._written = 0
        self._places: list[bytes] = []
        self._first_place = 0

    @classmethod
    def create(cls) -> Self:
        """Return an empty one; its files have no name, and go when they are closed."""
        descriptors = []
        for _ in range(3):
            with tempfile.TemporaryFile() as file:
                descriptors.append(os.dup(file.fileno()))
        first, second, third = descriptors
        return cls((first, second, third))

    def close(self) -> None:
        """Close the files."""
        for descriptor in self.descriptors:
            os.close(descriptor)

    # ------------------------------------------------------------------ to write

    def restart(self, *, empty: bool) -> None:
        """Begin again: for another filter, or `empty`, for another capture."""
        self.flush()
        self.base += self.count
        self.count = self._written = 0
        if empty:
            self.base = self._end = 0
            for descriptor in self.descriptors:
                os.ftruncate(descriptor, 0)

    def append(self, place: int, seq: int, data: bytes, partner: int = 0, level: int = 0) -> int:
        """Put an item; return its number. It can be read after the next `flush`."""
        self._new_entries.append(_ENTRY.pack(place, self._end, len(data), seq, partner, level))
        self._new_items.append(data)
        self._end += len(data)
        self.count += 1
        return self.count - 1

    def note_frame(self, seq: int, place: int) -> None:
        """Remember where a frame is in the capture."""
        if seq != self._first_place + len(self._places):
            self._flush_places()
            self._first_place = seq
        self._places.append(_PLACE.pack(place))

    def flush(self) -> None:
        """Write what was put."""
        self._flush_places()
        if self._new_entries:
            data = b"".join(self._new_items)
            os.pwrite(self._items, data, self._end - len(data))
            os.pwrite(self._index, b"".join(self._new_entries), (self.base + self._written) * SIZE)
            self._written = self.count
            self._new_entries, self._new_items = [], []

    def _flush_places(self) -> None:
        if self._places:
            os.pwrite(self._frames, b"".join(self._places), self._first_place * _PLACE.size)
            self._first_place += len(self._places)
            self._places = []

    def replace(self, number: int, entry: Entry, data: bytes) -> None:
        """Put an item in the place of another."""
        self.flush()
        os.pwrite(self._items, data, self._end)
        self.change(number, msgspec.structs.replace(entry, at=self._end, size=len(data)))
        self._end += len(data)

    def change(self, number: int, entry: Entry) -> None:
        """Put an entry in the place of another."""
        packed = _ENTRY.pack(*msgspec.structs.astuple(entry))
        os.pwrite(self._index, packed, (self.base + number) * SIZE)

    # ------------------------------------------------------------------ to read

    def look_at(self, base: int, count: int) -> None:
        """Set which entries can be read, as the other process has reported."""
        self.base, self.count = base, count

    def entry(self, number: int) -> Entry:
        """Return an entry by its number."""
        data = os.pread(self._index, SIZE, (self.base + number) * SIZE)
        return Entry(*_ENTRY.unpack(data))

    def item(self, entry: Entry) -> bytes:
        """Return what was put."""
        return os.pread(self._items, entry.size, entry.at)

    def place_of(self, seq: int) -> int | None:
        """Return where a frame is in the capture, if that is known."""
        data = os.pread(self._frames, _PLACE.size, seq * _PLACE.size)
        place: int = _PLACE.unpack(data)[0] if len(data) == _PLACE.size else 0
        return place or None

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
            levels = os.pread(self._index, size, (self.base + first) * SIZE)[_SEVERITY::SIZE]
            without = levels.rstrip(b"\0") if back else levels.lstrip(b"\0")
            if without:
                return first + (len(without) - 1 if back else len(levels) - len(without))
            number = first if back else last - 1
