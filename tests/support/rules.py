"""Small rules for tests that do not care for the catalogue."""

from acp_spy.lint.model import Rule, Severity, rule


def a_rule(check, *on, code="TST001", name="test-rule", severity=Severity.ERROR, **more) -> Rule:
    """Return a rule that asks `check` about the topics `on`; every frame, if none are given."""
    declared = {"summary": "A test has spoken", "bad": "", "good": "", **more}
    return rule(code=code, name=name, severity=severity, on=on or ("frame",), **declared)(check)
