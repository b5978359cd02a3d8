"""One test for a large family of small things."""

from collections.abc import Callable, Iterable


def for_each(family: Iterable, name: Callable[[object], object]) -> Callable:
    """
    Make a test of one thing a test of all of `family`, which says which ones fail and why.

    For hundreds of things that take no time: a test for each would be collected by each worker, set
    up and reported, which takes longer than what it tries.
    """

    def make(test):
        def test_all():
            wrong = {}
            for each in family:
                try:
                    test(each)
                except AssertionError as error:
                    wrong[str(name(each))] = str(error)
            assert not wrong, "\n".join(f"{each}: {why}" for each, why in wrong.items())

        test_all.__name__, test_all.__qualname__ = test.__name__, test.__qualname__
        test_all.__doc__, test_all.__module__ = test.__doc__, test.__module__
        return test_all

    return make
