"""What is read once."""

from acp_spy.conversation.readings import Readings


def test_a_list_is_read_once_until_there_is_another():
    calls = []

    def count(names):
        calls.append(names)
        return len(names)

    readings, first, second = Readings(), ["a"], ["a"]
    assert [readings.of(count, each) for each in (first, first, second, second)] == [1, 1, 1, 1]
    assert [id(each) for each in calls] == [id(first), id(second)]


def test_each_reader_of_a_list_has_its_own_result():
    readings, names = Readings(), ["b", "a"]
    for _ in range(2):
        assert (readings.of(len, names), readings.of(sorted, names)) == (2, ["a", "b"])


def test_what_was_read_makes_no_state_different():
    asked, fresh = Readings(), Readings()
    asked.of(len, [])
    assert asked == fresh
