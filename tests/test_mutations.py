"""Single mistakes: some are made in every run, and docs/rules/mutations.md lists all of them."""

import re
from collections import Counter

import pytest

from benchmarks import mutations
from benchmarks.mutating import LEGAL, OPERATORS

MADE = [talk for talk in mutations.talks() if talk.name.startswith("version-")]
ROWS = re.findall(
    r"^\| (?!change |---)(.+?) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \| .*\|$",
    mutations.PAGE.read_text(),
    re.MULTILINE,
)
EVERY_RUN = 12  # one of so many operators is tried
LONG_RUN = 3


def test_the_page_lists_every_operator():
    """`python -m benchmarks.mutations --write` writes it."""
    families = dict.fromkeys(one.family for one in OPERATORS)
    assert [what for what, *_ in ROWS] == [
        one.what for family in families for one in OPERATORS if one.family == family
    ]


def test_the_figures_of_the_page_are_its_totals_and_meet_the_goals():
    legal = {one.what for one in OPERATORS if one.is_legal}
    figures = [(what in legal, *map(int, numbers)) for what, *numbers in ROWS]
    tried, found, one, cascades = (
        sum(row[column] for row in figures if not row[0]) for column in range(1, 5)
    )
    text = mutations.PAGE.read_text()
    assert f"{tried} mistakes: {100 * found / tried:.1f} % were found" in text
    assert f"{100 * one / tried:.1f} % by exactly one rule; {cascades} cascades" in text
    assert found / tried >= 0.98
    assert one / tried >= 0.95
    assert cascades == 0
    assert sum(row[2] for row in figures if row[0]) == 0


def test_there_are_operators_for_every_family_and_both_versions():
    families = Counter(one.family for one in OPERATORS)
    assert set(families) == {"FRM", "RPC", "SCH", "LIF", "CAP", "DIA", LEGAL}
    assert families[LEGAL] >= 10
    assert families.total() >= 60
    assert {one.version for one in OPERATORS} == {0, 1, 2}
    assert len({(one.what, one.version) for one in OPERATORS}) == len(OPERATORS)


def marks_of(number):
    """Return when an operator is tried."""
    return [] if number % EVERY_RUN == 0 else [pytest.mark.long]


@pytest.mark.parametrize("talk", mutations.talks(), ids=lambda talk: talk.name)
def test_a_conversation_is_the_same_after_no_edit(talk):
    assert talk.apply({}) == talk.records


@pytest.mark.parametrize(
    "operator",
    [
        pytest.param(one, marks=marks_of(number), id=one.what)
        for number, one in enumerate(OPERATORS)
        if one.dialect == "auto" and number % LONG_RUN == 0
    ],
)
def test_a_mistake_is_found_and_what_is_allowed_is_not(operator):
    (score,) = mutations.run([operator], MADE, places=1)
    if operator.is_legal:
        assert [one.texts for one in score.tried if one.codes] == []
    else:
        assert [one.texts for one in score.tried if not one.codes] == []
    assert score.cascades == 0
