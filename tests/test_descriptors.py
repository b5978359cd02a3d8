"""Tests that leave much open are named, and not the one that happens to come last."""

from support.descriptors import Descriptors


def test_too_many_descriptors_are_told_once_with_those_who_left_them():
    counts = iter([10, 12, 19, 18, 99, 21, 22])
    descriptors = Descriptors(20, lambda: next(counts))
    assert [descriptors.look(name) for name in ("test_a", "test_b", "test_c")] == ["", "", ""]
    # 99 were open before garbage was collected.
    assert descriptors.look("test_d") == (
        "tests have left 21 descriptors open, some of them:\n7 by test_b\n3 by test_d\n2 by test_a"
    )
    assert descriptors.look("test_e") == ""
