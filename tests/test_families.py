import pytest
from support.families import for_each


def test_all_that_fail_are_named_and_why():
    @for_each([1, 2, 3], lambda number: f"number {number}")
    def test_is_one(number):
        assert number == 1, "is not one"

    assert test_is_one.__name__ == "test_is_one"
    with pytest.raises(AssertionError) as failure:
        test_is_one()
    told = str(failure.value)
    assert "number 1" not in told
    assert "number 2: is not one" in told
    assert "number 3: is not one" in told
