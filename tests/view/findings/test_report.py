import pytest
from support.reports import finding, report

from acp_spy.lint.rule import Severity
from acp_spy.wire.frame import Peer


def mistakes(*found):
    made = report("", ())
    made.add(found)
    return made.mistakes


def others(*found):
    (mistake,) = mistakes(*found)
    return mistake.others


@pytest.mark.parametrize(
    ("seqs", "shown"),
    [
        ([3], ""),
        ([3, 7], "2 times, also in frame 7"),
        ([3, 7, 9], "3 times, also in frames 7, 9"),
        ([3, 3, 3], "3 times, all in this frame"),
        ([3, 3, 7, 7], "4 times, also in frame 7"),
        ([1, 2, 3, 4, 5], "5 times, also in frames 2, 3, 4, 5"),
        ([1, 2, 3, 4, 5, 5], "6 times, also in frames 2, 3, 4, 5"),
        ([1, 2, 3, 4, 5, 6], "6 times, also in frames 2, 3, 4, 5, ..."),
        (range(1, 1001), "1000 times, also in frames 2, 3, 4, 5, ..."),
    ],
)
def test_a_mistake_made_again_is_one_mistake(seqs, shown):
    assert others(*(finding(seq, "RPC007") for seq in seqs)) == shown


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("`toolu_7f3a` has no title", "`toolu_91bc` has no title"),
        ("answered after 3.25 s", "answered after 12 s"),
    ],
)
def test_a_mistake_with_another_value_is_the_same_mistake(one, other):
    found = finding(1, "RPC007", one), finding(2, "RPC007", other)
    assert others(*found) == "2 times, with other values, also in frame 2"


def test_a_mistake_in_another_item_of_a_list_is_the_same_mistake():
    found = (finding(1, "RPC007", path=f"/params/prompt/{item}/type") for item in range(3))
    assert others(*found) == "3 times, all in this frame"


@pytest.mark.parametrize(
    "other",
    [
        finding(2, "SCH001", severity=Severity.ERROR),
        finding(2, "RPC007", "`session/load` was not answered"),
        finding(2, "RPC007", path="/id"),
        finding(2, "RPC007", severity=Severity.NOTE),
        finding(2, "RPC007", blame=Peer.CLIENT),
    ],
)
def test_another_mistake_is_another_mistake(other):
    assert len(mistakes(finding(1, "RPC007"), other)) == 2


def test_mistakes_are_in_the_order_of_their_frames():
    found = [finding(5, "RPC007"), finding(2, "SCH001"), finding(5, "LIF003")]
    assert [mistake.first.code for mistake in mistakes(*found)] == ["SCH001", "RPC007", "LIF003"]


@pytest.mark.parametrize(
    ("fail_on", "failing"),
    [
        (Severity.ERROR, ["RPC007"]),
        (Severity.WARNING, ["RPC007", "SCH001"]),
        (Severity.NOTE, ["RPC007", "SCH001", "LIF003"]),
        (None, []),
    ],
)
def test_what_is_bad_enough_fails(fail_on, failing):
    found = [finding(1, code) for code in ("RPC007", "SCH001", "LIF003")]
    made = report("", (), fail_on=fail_on)
    assert not made.failed
    made.add(found)
    assert [each.code for each in found if made.fails(each)] == failing
    assert made.failed == bool(failing)
