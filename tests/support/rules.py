"""Small rules for tests that do not care for the catalogue."""

from acp_spy.lint.budgets import Budgets
from acp_spy.lint.catalogue import CATALOGUE
from acp_spy.lint.linter import Checker
from acp_spy.lint.rule import Rule, Severity, rule
from acp_spy.lint.ruleset import Ruleset

# With these, the rules run that run only if something is expected.
EVERY_BUDGET = Budgets(
    max_duration={"session/prompt": 0.001, "initialize": 0.001},
    max_turn=0.001,
    max_first_update=0.001,
    expect_tool=("expected", "ed*"),
    forbid_tool=("forbidden", "e*"),
    expect_stop=("end_turn",),
)


def a_rule(check, *on, code="TST001", name="test-rule", severity=Severity.ERROR, **more) -> Rule:
    """Return a rule that asks `check` about the topics `on`; every frame, if none are given."""
    declared = {"summary": "A test has spoken", "bad": "", "good": "", **more}
    return rule(code=code, name=name, severity=severity, on=on or ("frame",), **declared)(check)


def rules_with(*beginnings) -> tuple[Rule, ...]:
    """Return the rules of the catalogue whose codes begin so: `FRM`, `LIF1`."""
    return tuple(rule for code, rule in CATALOGUE.items() if code.startswith(beginnings))


def checker(rules=None, **how) -> Checker:
    """Return what judges by `rules`, or by the whole catalogue."""
    return Ruleset(tuple(CATALOGUE.values() if rules is None else rules), **how).checker()
