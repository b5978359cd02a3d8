import errno
import os
import tempfile
from pathlib import Path

import pytest
from fuzz.loop import LONGEST, limit
from support.fake_agent import open_descriptors

from acp_spy.console.document import Document
from acp_spy.console.reading import Failed, Show, Work
from acp_spy.console.shelf import MOST_FRAMES, Region, Shelf
from acp_spy.errors import AcpSpyError

CODEX, VIBE = (
    Path(__file__).parents[2] / "recordings" / f"{name}.jsonl" for name in ("codex", "vibe")
)


@pytest.fixture
def shelf():
    shelf = Shelf.create()
    yield shelf
    shelf.close()


def test_an_item_is_found_by_its_number_place_and_frame(shelf):
    for number in range(5):
        assert shelf.append(number * 100, number + 1, b"item %d" % number) == number
        shelf.note_frame(number + 1, number * 100 + 7, number)
    shelf.flush()
    assert shelf.item(shelf.entry(3)) == b"item 3"
    assert [shelf.find_place(place) for place in (0, 99, 100, 450)] == [0, 0, 1, 4]
    assert [shelf.find_frame(seq) for seq in (0, 1, 5, 9)] == [-1, 0, 4, 4]
    assert [shelf.place_of(seq) for seq in (1, 5, 6)] == [7, 407, None]


def test_an_item_can_be_replaced_and_a_new_filter_begins_behind(shelf):
    shelf.append(0, 1, b"first")
    shelf.flush()
    entry = shelf.entry(0)
    shelf.replace(0, entry, b"another, longer")
    assert shelf.item(shelf.entry(0)) == b"another, longer"
    shelf.restart(empty=False)
    shelf.append(50, 2, b"second")
    shelf.flush()
    second = shelf.region
    assert (second.base, second.count) == (1, 1)
    assert shelf.item(shelf.entry(0)) == b"second"
    shelf.return_to(Region(0, 1))
    assert shelf.item(shelf.entry(0)) == b"another, longer"
    shelf.restart(empty=False)
    shelf.append(90, 3, b"third")
    shelf.flush()
    assert shelf.item(shelf.entry(0)) == b"third"
    shelf.look_at(second)
    assert shelf.item(shelf.entry(0)) == b"second"


@pytest.mark.parametrize("count", [8, 9000])
def test_the_frames_of_an_item_are_known_whatever_is_in_between(shelf, count):
    for seq in range(1, count + 1):
        shelf.note_frame(seq, seq * 10, seq % 2 if seq % 4 else -1)
    shelf.flush()
    odd, even = list(range(1, count + 1, 2)), list(range(2, count + 1, 4))
    assert list(shelf.frames_of(1, 1, count)) == odd
    assert list(shelf.frames_of(0, 1, count, back=True)) == even[::-1]
    assert [shelf.item_of(seq) for seq in (1, 2, 4, count + 1)] == [1, 0, None, None]
    before = shelf.region
    shelf.restart(empty=False)
    assert shelf.item_of(2) is None  # it was an item of the filter before
    shelf.note_frame(2, 20, 5)
    shelf.flush()
    assert shelf.item_of(2) == 5
    shelf.return_to(before)
    assert shelf.item_of(2) == 0


def test_frames_whose_numbers_are_far_apart_are_found_at_once(shelf):
    """A capture of two frames can have this; the numbers in between were looked at one by one."""
    numbers = [1, 5000, 3_000_000_000, MOST_FRAMES]
    for seq in numbers:
        shelf.note_frame(seq, seq, 0)
    shelf.flush()
    with limit(LONGEST):
        assert list(shelf.frames_of(0, 1, MOST_FRAMES)) == numbers
        assert list(shelf.frames_of(0, 2, MOST_FRAMES - 1, back=True)) == [3_000_000_000, 5000]
        assert list(shelf.frames_of(0, 6000, 7000)) == []
        assert list(shelf.frames_of(0, 8, 7)) == []


def test_frames_are_found_where_the_system_cannot_say_which_parts_of_a_file_are_empty(
    shelf, monkeypatch
):
    def refuse(*_):
        raise OSError(errno.EINVAL, "Invalid argument")

    for seq in (1, 2, 5000):
        shelf.note_frame(seq, seq, 0)
    shelf.flush()
    monkeypatch.setattr(os, "lseek", refuse)
    assert list(shelf.frames_of(0, 1, 5000)) == [1, 2, 5000]
    assert list(shelf.frames_of(0, 8, 7)) == []


def test_a_capture_that_became_a_pipe_is_not_waited_for(shelf, tmp_path):
    os.mkfifo(tmp_path / "a.jsonl")
    before = open_descriptors()
    with pytest.raises(OSError, match="it is not a regular file"):
        Document(str(tmp_path / "a.jsonl"), shelf)
    assert open_descriptors() == before


def test_a_full_disk_is_an_error_with_a_hint(shelf, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(tempfile, "TemporaryFile", full)
    with pytest.raises(AcpSpyError, match="No space left on device") as raised:
        Shelf.create()
    assert "TMPDIR" in raised.value.hint
    written = os.pwrite
    monkeypatch.setattr(os, "pwrite", lambda file, data, at: written(file, data[:3], at))
    shelf.append(0, 1, b"in several parts")
    shelf.flush()
    assert shelf.item(shelf.entry(0)) == b"in several parts"
    work = Work(shelf)
    assert work.obey(Show(7, os.fsencode(CODEX))) == []
    monkeypatch.setattr(os, "pwrite", full)
    said = [each for _ in range(3) for each in work.step(1.0)]
    assert [type(each) for each in said] == [Failed]
    assert said[0].message == "cannot store rows in a temporary file: No space left on device"
    monkeypatch.setattr(os, "pwrite", written)
    work.obey(Show(8, os.fsencode(VIBE)))  # now there is room
    work.step(2.0)
    assert shelf.count
    work.close()


@pytest.mark.parametrize("last", [6, 9000])
def test_the_next_finding_is_found_however_far_it_is(shelf, last):
    for number in range(last + 1):
        shelf.append(number, number, b"", level=3 if number in (2, last) else 0)
    shelf.flush()
    assert [shelf.next_finding(at) for at in (-1, 2, last)] == [2, last, None]
    assert [shelf.next_finding(at, back=True) for at in (last + 1, last, 2)] == [last, 2, None]
