import pytest

from acp_spy.units import counted, either, ended, in_span, size, span


def test_one_of_several_words():
    assert [either("ABC"[:count]) for count in (1, 2, 3)] == ["A", "A or B", "A, B or C"]


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0, "0 µs"),
        (0.00034, "340 µs"),
        (0.0009994, "999 µs"),
        (0.0009996, "1.0 ms"),
        (0.0012, "1.2 ms"),
        (0.00996, "10 ms"),
        (0.034, "34 ms"),
        (0.9994, "999 ms"),
        (0.9996, "1.0 s"),
        (2.34, "2.3 s"),
        (59.94, "59.9 s"),
        (59.96, "1 m 00 s"),
        (724, "12 m 04 s"),
        (3599.4, "59 m 59 s"),
        (3599.6, "1 h 00 m"),
        (11100, "3 h 05 m"),
        (86400 * 2 + 3 * 3600, "2 d 03 h"),
        (-0.5, "-500 ms"),
        (0.00295, "3.0 ms"),
        (0.053 - 0.05005, "3.0 ms"),  # the same, but for what floating point loses
        (0.0125, "13 ms"),
        (2.25, "2.3 s"),
    ],
)
def test_a_span_of_time_has_two_or_three_digits(seconds, shown):
    assert span(seconds) == shown


def test_a_clock_that_is_out_of_its_mind_is_no_reason_to_fail():
    assert span(1e300).endswith(" h")


@pytest.mark.parametrize(
    ("octets", "shown"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 kB"),
        (9949, "9.9 kB"),
        (9950, "10 kB"),
        (999_499, "999 kB"),
        (999_500, "1.0 MB"),
        (34_000_000, "34 MB"),
        (5 * 10**15, "5000 TB"),
    ],
)
def test_a_size_has_two_or_three_digits(octets, shown):
    assert size(octets) == shown


def test_a_count_has_its_noun():
    assert counted(1, "frame") == "1 frame"
    assert counted(0, "frame") == "0 frames"
    assert counted(1234, "entry", "entries") == "1,234 entries"


def test_what_took_no_time_came_at_once():
    assert (in_span(0.0), in_span(0.001)) == ("at once", "in 1.0 ms")


def test_an_end_by_a_signal_is_not_a_status():
    assert list(map(ended, (0, 3, -15))) == ["ended", "ended with status 3", "killed by signal 15"]
