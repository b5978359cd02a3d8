"""Whatever the peers say, no rule raises."""

import functools
import random
import re

from hypothesis import given
from hypothesis import strategies as st
from support.changes import changed, examples_of, frames_of
from support.rules import EVERY_BUDGET, checker

from acp_spy.lint.catalogue import CATALOGUE


@functools.cache  # made when a test needs it, not by each worker that collects
def conversations():
    """Return what all rules are about: their own examples."""
    return [conversation for conversation in examples_of(CATALOGUE.values()) if conversation]


def words_in(value):
    """Give the keys and the short texts of a message."""
    if isinstance(value, dict):
        yield from value
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from words_in(item)
    elif isinstance(value, str) and len(value) < 40:
        yield value


def words_of_all():
    found = {word for said in conversations() for _, message in said for word in words_in(message)}
    return st.sampled_from([*sorted(found), "long" * 40])


PYTHON = re.compile(r"\b(True|False|None)\b|[\[{]'")  # not as JSON spells values
words = st.deferred(words_of_all)
numbers = st.sampled_from([-32800, -32603, -32002, -1, 0, 1, 2, 1.5, 1e308, 10**30])
values = st.recursive(
    st.none() | st.booleans() | numbers | words | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=5),
    max_leaves=12,
)


@given(
    st.lists(st.deferred(lambda: st.sampled_from(conversations())), min_size=1, max_size=3),
    st.integers(0, 2**32),
    st.lists(st.tuples(values, words), min_size=1, max_size=12),
)
def test_no_rule_raises(chosen, seed, changes):
    first, *others = chosen
    chance = random.Random(seed)
    more = [said for other in others for said in other]
    said = changed([*first, *chance.sample(more, len(more))], chance, changes)
    linter = checker(budgets=EVERY_BUDGET)
    findings = [finding for frame in frames_of(said) for finding in linter.feed(frame)]
    findings += linter.close()
    assert linter.crashes == []
    for finding in findings:
        assert not PYTHON.search(f"{finding.text}; {finding.hint}")
        for sentence in (finding.text, finding.hint) if "`" not in str(said) else ():
            assert [quoted for quoted in sentence.split("`")[1::2] if len(quoted) > 80] == []
