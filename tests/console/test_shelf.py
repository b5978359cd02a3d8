import pytest

from acp_spy.console.shelf import Shelf


@pytest.fixture
def shelf():
    shelf = Shelf.create()
    yield shelf
    shelf.close()


def test_an_item_is_found_by_its_number_place_and_frame(shelf):
    for number in range(5):
        assert shelf.append(number * 100, number + 1, b"item %d" % number) == number
        shelf.note_frame(number + 1, number * 100 + 7)
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
    assert (shelf.base, shelf.count) == (1, 1)
    assert shelf.item(shelf.entry(0)) == b"second"
    shelf.look_at(0, 1)
    assert shelf.item(shelf.entry(0)) == b"another, longer"


@pytest.mark.parametrize("last", [6, 9000])
def test_the_next_finding_is_found_however_far_it_is(shelf, last):
    for number in range(last + 1):
        shelf.append(number, number, b"", level=3 if number in (2, last) else 0)
    shelf.flush()
    assert [shelf.next_finding(at) for at in (-1, 2, last)] == [2, last, None]
    assert [shelf.next_finding(at, back=True) for at in (last + 1, last, 2)] == [last, 2, None]
