import pytest

from acp_spy.view.stats.longest import Longest
from acp_spy.view.stats.model import LargeFrame
from acp_spy.view.stats.traffic import SPANS, Course, SenderTally
from acp_spy.wire.frame import Frame, Peer


def frame(seq, t=0.0, size=1, sender=Peer.AGENT):
    return Frame(seq, t, sender, b"x" * size)


def test_the_largest_frames_are_kept_the_first_of_equal_ones():
    tally = SenderTally()
    for seq, size in enumerate([5, 9, 5, 1, 9, 7, 5, 5], 1):
        tally.add(frame(seq, size=size))
    told = tally.result()
    assert (told.frames, told.bytes) == (8, 46)
    assert told.largest == tuple(
        LargeFrame(seq, size) for seq, size in [(2, 9), (5, 9), (6, 7), (1, 5), (3, 5)]
    )


def test_the_longest_of_few_are_all():
    longest = Longest(3)
    longest.add(1, {})
    longest.add(1, {})  # things that cannot be compared
    assert longest.things() == [{}, {}]


@pytest.mark.parametrize("seconds", [0.01, 1, 50, 100_000])
def test_the_course_has_at_least_half_of_its_spans_and_every_byte(seconds):
    course = Course()
    for number in range(1001):
        course.add(frame(number, number / 1000 * seconds, 3))
        course.add(frame(number, number / 1000 * seconds, 1, Peer.CLIENT))
    told = course.result()
    assert sum(told.agent) == 3003
    assert sum(told.client) == 1001
    assert len(told.agent) == len(told.client)
    assert seconds < 0.032 or SPANS / 2 <= len(told.agent) <= SPANS
    assert (
        (len(told.agent) - 1) * told.span <= seconds * 1.001 <= len(told.agent) * told.span * 1.001
    )


def test_bytes_stand_where_they_came():
    course = Course()
    for t in (0.0, 10.0, 31.0):
        course.add(frame(1, t, int(t) + 1))
    told = course.result()
    found = {n * told.span: amount for n, amount in enumerate(told.agent) if amount}
    assert list(found.values()) == [1, 11, 32]
    assert [round(t) for t in found] == [0, 10, 31]


def test_the_course_goes_on_to_the_end_of_the_capture():
    course = Course()
    course.add(frame(1, 0.2))
    told = course.result(36.6)
    assert sum(told.agent) == 1
    assert (len(told.agent) - 1) * told.span <= 36.6 < len(told.agent) * told.span
    assert told.agent[0] == 1


@pytest.mark.parametrize("t", [-5.0, 1e29, 1e308])
def test_odd_clocks_are_no_reason_to_fail(t):
    course = Course()
    course.add(frame(1, 1.0))
    course.add(frame(2, t, 7))
    assert sum(course.result().agent) == 8
