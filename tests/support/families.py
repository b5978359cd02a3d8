"""One test for a large family of small things."""

import os
from collections.abc import Callable, Iterable
from inspect import signature
from itertools import groupby
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
USUAL_FIXTURE = "_no_captures_in_the_users_folder"  # of conftest.py


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


# Their tests wait for processes: two may be run at a time.
_APART = {"e2e", "faults", "guard", "interop", "pytest_plugin", "test_commands.py", "test_house.py"}
_MOST = 40  # of one family in one item, so that no worker has long to do when the others are done
_HARMLESS = {"request", "tmp_path_factory", "_folders_of_captures", USUAL_FIXTURE}


def merged(items: list[pytest.Item]) -> list[pytest.Item]:
    """
    Make one item of the small ones that a parametrized test without fixtures consists of.

    For the workers of a run of all tests: to set up, run and report an item takes two milliseconds,
    which is more than most of them need. Without workers, each stays by itself.
    """
    result: list[pytest.Item] = []
    for _, family in groupby(items, key=_family):
        members = list(family)
        for some in (members[at : at + _MOST] for at in range(0, len(members), _MOST)):
            result += some if len(some) < 3 else [_one_of(some)]
    return result


def _family(item: pytest.Item) -> object:
    """Return the same for those that can be merged, and for any other itself."""
    names = {
        name.strip()
        for mark in item.iter_markers("parametrize")
        for name in (mark.args[0].split(",") if isinstance(mark.args[0], str) else mark.args[0])
    }
    if item.path.stem.endswith("_captures"):
        names.add("capture")  # by conftest.py
    can_be = (
        type(item) is pytest.Function
        and hasattr(item, "callspec")
        and not item.cls
        and {mark.name for mark in item.iter_markers()} <= {"parametrize", "long"}
        and not any(mark.kwargs.get("indirect") for mark in item.iter_markers("parametrize"))
        and set(item.fixturenames) <= names | _HARMLESS
        and not _APART & set(item.path.relative_to(TESTS).parts)
    )
    return (item.path, item.originalname) if can_be else item


def _one_of(items: list[pytest.Function]) -> pytest.Function:
    def test_all():
        errors, skipped, folder = [], [], os.environ["ACP_SPY_DIR"]
        for number, item in enumerate(items):
            os.environ["ACP_SPY_DIR"] = f"{folder}-{number}"
            given = {**getattr(item.callspec, "funcargs", {}), **item.callspec.params}
            try:
                item.obj(**{name: given[name] for name in signature(item.obj).parameters})
            except pytest.skip.Exception as skip:
                skipped.append(skip)
            except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 - raised below
                error.add_note(f"in {item.nodeid}")
                errors.append(error)
        if errors:
            raise BaseExceptionGroup(f"{len(errors)} of {len(items)} have failed", errors)
        if len(skipped) == len(items):
            raise skipped[0]

    first = items[0]
    one = pytest.Function.from_parent(
        first.parent, name=f"{first.name}, {len(items)} in one", callobj=test_all
    )
    one.own_markers.extend(first.own_markers)
    return one
