import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_spy.view.stats import quantiles
from acp_spy.view.stats.quantiles import ERROR, EXACT, Quantiles

SHARES = (0.01, 0.5, 0.95, 0.99, 1.0)


def fed(values):
    sketch = Quantiles()
    for value in values:
        sketch.add(value)
    return sketch


def true(values, share):
    """Return the percentile by its definition: the smallest that so many do not exceed."""
    ordered = enumerate(sorted(values), 1)
    return next(value for number, value in ordered if number >= share * len(values) - 1e-9)


@given(values=st.lists(st.floats(0, 1e6), min_size=1, max_size=50))
def test_few_values_give_exact_percentiles(values):
    sketch = fed(values)
    assert sketch.is_exact
    assert [sketch.at(share) for share in SHARES] == [true(values, share) for share in SHARES]


@given(values=st.lists(st.floats(1e-6, 1e8), min_size=11, max_size=200))
def test_many_are_within_the_stated_error(values):
    before, quantiles.EXACT = quantiles.EXACT, 10
    try:
        sketch = fed(values)
    finally:
        quantiles.EXACT = before
    assert not sketch.is_exact
    for share in SHARES:
        assert math.isclose(sketch.at(share), true(values, share), rel_tol=ERROR * 1.000001)


@pytest.mark.parametrize("scale", [0.001, 30.0])
def test_so_are_ten_thousand_of_a_long_tail(scale):
    dice = random.Random(7)
    values = [dice.lognormvariate(0, 2) * scale for _ in range(10_000)]
    sketch = fed(values)
    for share in SHARES:
        expected = true(values, share)
        assert math.isclose(sketch.at(share), expected, rel_tol=ERROR * 1.000001, abs_tol=1e-6)
    assert sketch.max == max(values)


def test_memory_does_not_grow_with_the_stream():
    sketch = fed(10 ** (n / 10_000) / 1e7 for n in range(0, 160_000, 4))  # 1e-7 s to 1e9 s
    assert sketch._values == []
    assert len(sketch._buckets) < 2000
    assert sketch.count == 40_000


def test_the_last_exact_and_the_first_that_is_not():
    assert fed([1.0] * EXACT).is_exact
    assert not fed([1.0] * (EXACT + 1)).is_exact


def test_nothing_has_no_percentile():
    assert Quantiles().at(0.5) is None


@pytest.mark.parametrize("odd", [0.0, -3.0, 1e-9, 1e300, math.inf])
def test_odd_clocks_are_no_reason_to_fail(odd):
    few, many = fed([odd]), fed([odd] * (EXACT + 1))
    expected = min(max(odd, 0.0), 1e9)
    assert few.at(0.5) == few.max == expected
    assert math.isclose(many.at(0.5), expected, rel_tol=ERROR, abs_tol=1e-6)
