"""docs/reliability.md names tests that exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs/reliability.md"


def promises():
    """Return what is said to hold each promise, row by row of the tables of promises."""
    rows, is_promise = [], False
    for line in PAGE.read_text().splitlines():
        if not line.startswith("| "):
            is_promise = False
        elif line.startswith("| promise "):
            is_promise = True
        elif is_promise and not line.startswith("| ---"):
            promise, held_by, _ = line[2:].split(" | ", 2)
            rows.append(pytest.param(held_by, id=promise[:60]))
    return rows


def names(held_by):
    """Give path and name of each test; one without a path is in the file named before it."""
    path = ""
    for word in re.findall(r"`([^`]+)`", held_by):
        if word.startswith(("tests/", "scripts/")):
            path, _, name = word.partition("::")
            yield path, name
        elif word.startswith("test_"):
            yield path, word


@pytest.mark.parametrize("held_by", promises())
def test_each_promise_has_tests_that_exist(held_by):
    found = list(names(held_by))
    assert found
    for path, name in found:
        assert (ROOT / path).exists(), path
        if name:
            assert f"def {name}(" in (ROOT / path).read_text(), f"{path}::{name}"
