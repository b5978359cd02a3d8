"""The examples of this part: each bad one has its mistake and no other, each good one has none."""

import pytest
from support.rules import rules_with

from acp_spy.capture.transcript import parse
from acp_spy.lint.ruleset import check

RULES = rules_with("LIF1")

by_name = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)


@by_name
def test_a_bad_example_has_one_finding_by_all_the_rules_of_this_part(rule):
    assert [finding.code for finding in check(parse(rule.bad), RULES)] == [rule.code]


@by_name
def test_a_good_example_has_none(rule):
    assert check(parse(rule.good), RULES) == []


def test_names_are_those_of_the_modules_and_codes_are_in_order():
    codes = [rule.code for rule in RULES]
    assert codes == sorted(set(codes))
    assert {code[:4] for code in codes} == {"LIF1"}
