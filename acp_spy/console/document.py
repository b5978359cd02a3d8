"""
A capture as rows, from anywhere to anywhere: what is read is on the shelf, the rest is in the file.

A row is named by its place: where its record begins in the capture. As far as the reader has come,
the rows are its items. Behind that, in a large capture, every record is a row of its own, made from
its line alone: so the end of a gigabyte can be seen before it is read.
"""

import os
from collections.abc import Generator, Iterator
from contextlib import suppress

import msgspec

from acp_spy.capture.codec import FINDING_START, HEADER_START, decode
from acp_spy.capture.opening import open_file
from acp_spy.capture.records import Header, Record
from acp_spy.console.reader import Status
from acp_spy.console.shelf import Entry, Shelf
from acp_spy.console.stored import restore
from acp_spy.errors import AcpSpyError
from acp_spy.units import size as spell_size
from acp_spy.view.folding import Fold, Item
from acp_spy.view.terminal import Margin
from acp_spy.view.timeline import Row, Timeline
from acp_spy.wire.frame import Frame

_AHEAD = 2_000_000  # bytes that the reader may lag behind before unread rows are shown
_LONGEST = 1_000_000  # bytes of a line that is looked at
_BLOCK = 64 * 1024
_START = 512  # bytes of the header, which say when it was recorded
_MOST_KEPT = 2000
_STEP = 1 << 20  # bytes that are searched at a time
_ROUGH = Margin()
_NOTHING = Header()


class Shown(msgspec.Struct, frozen=True):
    """A row or fold, and what is known around it."""

    place: int
    item: Item
    margin: Margin = _ROUGH
    number: int = -1  # among the items; -1 if it is not read yet
    partner: int = 0

    @property
    def row(self) -> Row:
        """Its first row."""
        return self.item.first if isinstance(self.item, Fold) else self.item

    @property
    def last(self) -> Row:
        """Its last row."""
        return self.item.last if isinstance(self.item, Fold) else self.item


class Document:
    """The capture at `path`, as far as `shelf` has it."""

    def __init__(self, path: str, shelf: Shelf) -> None:
        self.path = path
        self._shelf = shelf
        self._file = open_file(path)
        try:
            self._size = os.fstat(self._file).st_size
            self._start = os.pread(self._file, _START, 0)
        except OSError:
            os.close(self._file)
            raise
        self.status = Status()
        self.is_filtered = False
        self._kept: dict[tuple[int, int], Shown] = {}
        self._rough: dict[int, Shown] = {}

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)

    def update(self, status: Status) -> None:
        """Take what the reader says."""
        if status.run != self.status.run:
            self._kept.clear()
        self.status = status
        self._shelf.look_at(status.region)
        self._size = os.fstat(self._file).st_size

    # ------------------------------------------------------------------ which rows there are

    @property
    def end(self) -> int:
        """Where the part ends that can be shown."""
        return self._size if self._has_more else max(self.status.done, 1)

    @property
    def _has_more(self) -> bool:
        """Whether unread rows are shown."""
        if self.is_filtered or self.status.is_read:
            return False
        if not self.status.run:  # the reader has not begun
            return True
        return self._size - self.status.done > _AHEAD

    def is_unread(self, place: int) -> bool:
        """Whether the row at a place is made from its line alone."""
        return place >= self.status.done and self._has_more

    def find(self, place: int) -> int | None:
        """Return the place of the row at `place`, or of the last one before it, if there is one."""
        if place >= self.status.done and self._has_more:
            return self._line_at(max(place, self.status.done))
        number = self._number(place)
        return self._place(number) if number >= 0 else None

    def first(self) -> int | None:
        """Return the place of the first row."""
        if self.status.items:
            return self._place(0)
        return self._skip(self.status.done) if self._has_more else None

    def last(self) -> int | None:
        """Return the place of the last row."""
        if self._has_more:
            return self._line_at(self._size - 1)
        return self._place(self.status.items - 1) if self.status.items else None

    def after(self, place: int) -> int | None:
        """Return the place of the next row."""
        if place < self.status.done:
            number = self._number(place) + 1
            if number < self.status.items:
                return self._place(number)
            return self._skip(self.status.done) if self._has_more else None
        line_end = self._line_end(place)
        return None if line_end is None else self._skip(line_end)

    def before(self, place: int) -> int | None:
        """Return the place of the row before."""
        if place > self.status.done:
            found = self._line_at(place - 1)
            if found is not None and found >= self.status.done:
                return found
            place = self.status.done + 1
            number = self.status.items - 1
        else:
            number = self._number(place) - 1 if place < self.status.done else self.status.items - 1
        return self._place(number) if number >= 0 else None

    def move(self, place: int, count: int) -> int:
        """Return the place of the row so many rows further, or back; the last one before an end."""
        step = self.after if count > 0 else self.before
        for _ in range(abs(count)):
            found = step(place)
            if found is None:
                break
            place = found
        return place

    def _number(self, place: int) -> int:
        """Return the number of the item at `place`, or of the last one before it."""
        for at in range(len(self.status.waiting) - 1, -1, -1):
            if self.status.waiting[at].place <= place:
                return self.status.entries + at
        return self._shelf.find_place(place)

    def _place(self, number: int) -> int:
        entries = self.status.entries
        if number >= entries:
            return self.status.waiting[number - entries].place
        return self._shelf.entry(number).place

    # ------------------------------------------------------------------ what a row shows

    def show(self, place: int) -> Shown:
        """Return the row at a place that `find` and its neighbors have given."""
        if place >= self.status.done:
            return self._rough_row(place)
        number = self._number(place)
        entries = self.status.entries
        if number >= entries:
            waiting = self.status.waiting[number - entries]
            item, margin = restore(waiting.data)
            return Shown(waiting.place, item, margin, number, waiting.partner)
        entry = self._shelf.entry(number)
        key = number, entry.at
        shown = self._kept.get(key)
        if shown is None or shown.partner != entry.partner:
            shown = self._kept[key] = self._restored(entry, number)
            while len(self._kept) > _MOST_KEPT:
                del self._kept[next(iter(self._kept))]
        return shown

    def _restored(self, entry: Entry, number: int) -> Shown:
        item, margin = restore(self._shelf.item(entry))
        return Shown(entry.place, item, margin, number, entry.partner)

    def number_of(self, place: int) -> int:
        """Return the number of the item at a place; that of the last one, if it is not read yet."""
        return self._number(place) if place < self.status.done else self.status.items - 1

    def level_of(self, number: int) -> int:
        """Return the worst severity in an item."""
        entries = self.status.entries
        if number >= entries:
            return self.status.waiting[number - entries].level
        return self._shelf.entry(number).level

    def next_finding(self, place: int | None, *, back: bool = False) -> int | None:
        """Return the place of the next row with a finding, or of the one before; of all if None."""
        status = self.status
        if place is None:
            number = status.items if back else -1
        else:
            number = self.number_of(place) + (back and place >= status.done)
        if back:
            for at in range(min(number, status.items) - 1, status.entries - 1, -1):
                if self.level_of(at):
                    return self._place(at)
            found = self._shelf.next_finding(min(number, status.entries), back=True)
        else:
            found = self._shelf.next_finding(number) if number < status.entries else None
            start = max(number + 1, status.entries)
            waiting = (at for at in range(start, status.items) if self.level_of(at))
            found = next(waiting, None) if found is None else found
        return None if found is None else self._place(found)

    def place_of_frame(self, seq: int) -> int | None:
        """Return the place of the row with this frame, or of the last one before it."""
        if not self.status.items or seq < 1 or seq > self.status.frames:
            return None
        of_frame = self._shelf.item_of(seq)
        if of_frame is not None and of_frame < self.status.items:
            return self._place(of_frame)
        number = max(self._shelf.find_frame(seq), 0)
        if not self.status.entries or self._shelf.entry(number).seq < seq:
            before = [each for each in self.status.waiting if each.seq <= seq]
            for each in before:  # behind it may be others that have no frame, and so its number
                if each.seq == before[-1].seq:
                    return each.place
        return self._place(number)

    def frames_of(self, shown: Shown) -> Iterator[int]:
        """Give the frames of a row or fold; not those of other sessions in between."""
        first, last = shown.row.seq, shown.last.seq
        if first is None or last is None:
            return iter(())
        if shown.number < 0:
            return iter((first,))
        return self._shelf.frames_of(shown.number, first, last)

    def frame_beside(self, shown: Shown, seq: int, *, back: bool) -> int:
        """Return the next frame of a row or fold after `seq`, or before; `seq` at its end."""
        first, last = (shown.row.seq or 0), (shown.last.seq or 0)
        if shown.number < 0:
            return seq
        first, last = (first, seq - 1) if back else (seq + 1, last)
        return next(self._shelf.frames_of(shown.number, first, last, back=back), seq)

    def check(self) -> None:
        """Raise `AcpSpyError` if the capture is not any more what was read."""
        here, there = os.fstat(self._file), None
        with suppress(OSError):
            there = os.lstat(self.path)
        reason = ""
        if here.st_size < self.status.done:
            reason = "it became shorter"
        elif os.pread(self._file, len(self._start), 0) != self._start:
            reason = "it was overwritten"
        elif there is None or (here.st_dev, here.st_ino) != (there.st_dev, there.st_ino):
            reason = "it was replaced" if there else "it was removed"
        if reason:
            raise AcpSpyError(
                f"cannot read `{self.path}` on: {reason}", hint="go back with q, and open it again"
            )

    # ------------------------------------------------------------------ the file itself

    def record_of_frame(self, seq: int) -> Frame | None:
        """Return a frame by its number."""
        place = self._shelf.place_of(seq)
        record = None if place is None else self.record(place)
        return record if isinstance(record, Frame) else None

    def record(self, place: int) -> Record | None:
        """Return the record that begins at a place; `None` for one that is not whole."""
        line_end = self._line_end(place, whole=True)
        if line_end is None:
            return None
        try:
            record = decode(os.pread(self._file, line_end - place, place))
        except ValueError:
            return None
        if isinstance(record, Frame) and self._shelf.place_of(record.seq) not in (None, place):
            # Its number had come before: it was given another when it was read.
            seq = self._shelf.frame_at(place, record.seq + 1, self.status.frames)
            record = msgspec.structs.replace(record, seq=seq or record.seq)
        return record

    def bytes_between(self, first: int, last: int) -> bytes:
        """Return the bytes of the file from one place to another."""
        return os.pread(self._file, max(last - first, 0), first)

    def stored(self, first: int, last: int) -> bytes:
        """Return what is stored of the items from one number to another."""
        entries = self.status.entries
        on_shelf = range(first, min(last, entries))
        waiting = self.status.waiting[max(first - entries, 0) : max(last - entries, 0)]
        items = [self._shelf.item(self._shelf.entry(number)) for number in on_shelf]
        return b"\n".join([*items, *(each.data for each in waiting)])

    def place_of_number(self, number: int) -> int:
        """Return the place of an item by its number."""
        return self._place(number)

    def _line_end(self, place: int, *, whole: bool = False) -> int | None:
        """Return where the line that begins at `place` ends; `None` if it has no end yet."""
        at, block = place, _BLOCK
        while True:
            data = os.pread(self._file, block, at)
            found = data.find(b"\n")
            if found >= 0:
                return at + found + 1
            at += len(data)
            if not data:
                return at if whole and at > place else None
            block = min(2 * block, 8 * 1024 * 1024)

    def _line_at(self, place: int) -> int | None:
        """Return where the row's line begins that has the byte at `place`, or one before it."""
        start = self._line_start(place)
        while self._is_passed_over(start):
            if start <= self.status.done:
                return None
            start = self._line_start(start - 1)
        return start

    def _line_start(self, place: int) -> int:
        """Return where the line begins that has the byte at `place`."""
        at, block = place, 4096
        while at > 0:
            first = max(at - block, 0)
            found = os.pread(self._file, at - first, first).rfind(b"\n")
            if found >= 0:
                return first + found + 1
            at, block = first, min(2 * block, 8 * 1024 * 1024)
        return 0

    def _skip(self, place: int) -> int | None:
        """Return the place of the first line from here on that is a row."""
        while place < self._size:
            if not self._is_passed_over(place):
                return place if self._line_end(place) is not None else None
            line_end = self._line_end(place)
            if line_end is None:
                return None
            place = line_end
        return None

    def _is_passed_over(self, place: int) -> bool:
        start = os.pread(self._file, 32, place)
        return start.startswith((FINDING_START, HEADER_START)) or not start

    def _rough_row(self, place: int) -> Shown:
        """Return the row of a record that is not read yet: what its line says by itself."""
        shown = self._rough.get(place)
        if shown is None:
            shown = self._rough[place] = Shown(place, self._rough_item(place))
            while len(self._rough) > _MOST_KEPT:
                del self._rough[next(iter(self._rough))]
        return shown

    def _rough_item(self, place: int) -> Row:
        line_end = self._line_end(place) or place
        length = line_end - place
        if length <= _LONGEST:
            try:
                record = decode(os.pread(self._file, length, place))
            except ValueError:
                record = None
            for row in Timeline(None).feed(record) if record is not None else ():
                return row
        return Row("noise", 0.0, f"a record of {spell_size(length)}, not read yet", _NOTHING)


def search(
    document: Document, words: str, place: int | None, *, back: bool = False
) -> Iterator[int | None]:
    """
    Look for `words` in what rows show and in what was sent, from `place` on or back, or in all.

    Gives `None` after each piece of the work, and the place in the end, if they are found.
    """
    needle = words.lower().encode()
    is_all = place is None
    if place is None:
        place = document.end if back else 0
    if back and document.is_unread(place):
        if (yield from _search_unread_back(document, needle, place)):
            return
        place = document.status.done
    number, items = document.number_of(place), document.status.items
    number = -1 if is_all and not back else number + (place >= document.status.done and back)
    step = 256
    while (number > 0) if back else (number + 1 < items):
        first = max(number - step, 0) if back else number + 1
        last = number if back else min(number + 1 + step, items)
        found = _found(document, needle, first, last, back=back)
        if found is not None:
            yield found
            return
        yield None
        number = first if back else last - 1
    if not back and document.is_unread(document.end - 1):
        yield from _search_unread(document, needle, place)


def _search_unread(document: Document, needle: bytes, place: int) -> Iterator[int | None]:
    """Look for words in the lines that are not read yet, behind `place`."""
    at = max(document.after(place) or document.end, document.status.done)
    while at < document.end:
        data = document.bytes_between(at, at + _STEP + len(needle))
        found = data.lower().find(needle)
        if found >= 0:
            yield document.find(at + found)
            return
        yield None
        at += _STEP


def _search_unread_back(
    document: Document, needle: bytes, place: int
) -> Generator[int | None, None, bool]:
    """Look for words in the lines that are not read yet, before `place`; return if they are."""
    last = place
    while last > document.status.done:
        first = max(last - _STEP, document.status.done)
        found = document.bytes_between(first, min(last + len(needle), place)).lower().rfind(needle)
        if found >= 0:
            yield document.find(first + found)
            return True
        yield None
        last = first
    return False


def _found(document: Document, needle: bytes, first: int, last: int, *, back: bool) -> int | None:
    """Return the place of the first item in a range that has the words, by halves."""
    if not _has(document, needle, first, last):
        return None
    if last - first == 1:
        return document.place_of_number(first)
    middle = (first + last) // 2
    halves = [(first, middle), (middle, last)]
    for start, end in reversed(halves) if back else halves:
        found = _found(document, needle, start, end, back=back)
        if found is not None:
            return found
    return None


def _has(document: Document, needle: bytes, first: int, last: int) -> bool:
    if needle in document.stored(first, last).lower():
        return True
    start = document.place_of_number(first)
    stop = document.place_of_number(last) if last < document.status.items else document.status.done
    return needle in document.bytes_between(start, stop).lower()
