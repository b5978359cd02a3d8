"""Diffs of what is long: they say the same, and take no longer than they must."""

import random
import re
from difflib import unified_diff

import pytest
from fuzz.loop import LONGEST, limit

from acp_spy.cli import line_diff as module
from acp_spy.cli.line_diff import line_diff


def patched(before, diff):
    """Return the lines that a diff makes of others, and see that it was made of these."""
    made, at = [], 0
    for line in diff[2:]:
        if place := re.match(r"@@ -(\d+)(?:,(\d+))? ", line):
            start = int(place[1]) - (place[2] != "0")
            made += before[at:start]
            at = start
        elif line[0] == "+":
            made.append(line[1:])
        else:
            assert before[at] == line[1:]
            made += [before[at]] * (line[0] == " ")
            at += 1
    return made + before[at:]


@pytest.mark.parametrize("seed", range(200))
def test_a_long_diff_makes_one_of_the_other(seed, monkeypatch):
    monkeypatch.setattr(module, "_LONGEST", 0)
    chance = random.Random(seed)
    before = [chance.choice("abcdef") for _ in range(chance.randrange(120))]
    after = [*before]
    for _ in range(chance.randrange(8)):
        place = chance.randrange(len(after) + 1)
        after[place : place + chance.randrange(50)] = chance.choices("abcx", k=chance.randrange(50))
    assert patched(before, [*line_diff(before, after, "a", "b")]) == after


@pytest.mark.parametrize("places", [[10], [0, 40, 99], [20, 24, 31], [5, 12, 50, 57]])
@pytest.mark.parametrize("new", [["x"], ["x", "y", "z"], []])
def test_a_long_diff_of_few_changes_is_as_any_other(places, new, monkeypatch):
    monkeypatch.setattr(module, "_LONGEST", 0)
    before = [f"line {number}" for number in range(100)]
    after = [each for at, line in enumerate(before) for each in (new if at in places else [line])]
    expected = [*unified_diff(before, after, "a", "b", lineterm="")]
    assert [*line_diff(before, after, "a", "b")] == expected


def test_many_changes_in_lines_that_come_again_take_no_long_time():
    """To look for the longest run would take minutes."""
    before = [f"{number % 501 % 207}" for number in range(100_000)]
    after = [f"new {line}" if at % 97 == 0 else line for at, line in enumerate(before)]
    with limit(LONGEST):
        made = [*line_diff(before, after, "a", "b")]
    assert sum(line.startswith("+new") for line in made) == 1031
