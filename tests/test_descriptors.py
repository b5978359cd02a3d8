"""Tests that leave much open are named, and not the one that happens to come last."""

from support.descriptors import Descriptors


def test_too_many_descriptors_are_told_once_with_those_who_left_them():
    descriptors = Descriptors(10, most=20)
    assert descriptors.look("test_a", 12) == ""
    assert descriptors.look("test_b", 19) == ""
    assert descriptors.look("test_c", 18) == ""
    assert descriptors.look("test_d", 21) == (
        "tests have left 21 descriptors open, some of them:\n7 by test_b\n3 by test_d\n2 by test_a"
    )
    assert descriptors.look("test_e", 22) == ""
