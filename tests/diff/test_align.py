"""Two lists aligned: what is matched is equal, in order, and nothing equal is left out lightly."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from acp_spy.comparison.align import align, gaps

LISTS = st.lists(st.integers(0, 6), max_size=30)


@given(LISTS, LISTS)
def test_pairs_are_equal_and_rise_on_both_sides(one, other):
    pairs = align(one, other)
    assert all(one[a] == other[b] for a, b in pairs)
    assert all(a < c and b < d for (a, b), (c, d) in itertools.pairwise(pairs))


@given(LISTS)
def test_a_list_is_itself(one):
    assert align(one, one) == [(at, at) for at in range(len(one))]


@given(LISTS, LISTS)
def test_the_gaps_hold_what_has_no_partner(one, other):
    pairs = align(one, other)
    left = [at for here, _ in gaps(pairs, len(one), len(other)) for at in here]
    right = [at for _, there in gaps(pairs, len(one), len(other)) for at in there]
    assert left == sorted(set(range(len(one))) - {a for a, _ in pairs})
    assert right == sorted(set(range(len(other))) - {b for _, b in pairs})


def test_one_more_in_the_middle_is_one_more_in_the_middle():
    assert align("abcabc", "abcxabc") == [(0, 0), (1, 1), (2, 2), (3, 4), (4, 5), (5, 6)]


def test_where_nothing_is_unique_and_much_differs_a_good_match_is_found():
    one, other = [0, 1] * 300, [1, 1, 0] * 200
    assert len(align(one, other)) > 300


def test_lists_in_which_each_match_reveals_one_more_take_no_square():
    """Each level finds one pair, and looks at all that is left once more."""
    looks = 0

    class Word(str):
        __slots__ = ()

        def __hash__(self):
            nonlocal looks
            looks += 1
            return super().__hash__()

    def looks_for(count):
        nonlocal looks
        looks = 0
        one = [Word(each) for k in range(count) for each in (f"a{k}", f"{k + 1}", f"{k}")]
        other = [Word(each) for k in range(count) for each in (f"{k + 1}", f"b{k}", f"{k}")]
        assert len(align(one, other)) > 0.9 * count
        return looks

    assert looks_for(2000) < 5 * looks_for(500)
