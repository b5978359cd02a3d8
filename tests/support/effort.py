"""How much a test tries: a little in every run, much with `--long`."""

from collections.abc import Iterable

import pytest

is_long = False  # set from the option, before tests are collected


def examples(number: int) -> int:
    """Return how many examples hypothesis tries: half of `number` in a usual run, else twice that."""
    return number * 2 if is_long else -(-number // 2)


def some_of(family: Iterable, *usual) -> list:
    """Return parameters for the whole family: `usual` in every run, the rest with `--long`."""
    if not is_long:
        return [*usual]
    rest = [pytest.param(one, marks=pytest.mark.long) for one in family if one not in usual]
    return [*usual, *rest]
