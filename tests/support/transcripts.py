"""Conversations in arrow notation, judged."""

from acp_spy.capture.transcript import parse
from acp_spy.lint.catalogue import CATALOGUE
from acp_spy.lint.rule import Finding
from acp_spy.lint.ruleset import check
from acp_spy.lint.select import select


def lint(transcript: str, *words: str, spec: str = "auto", dialect: str = "auto") -> list[Finding]:
    """Return what the rules that `words` name find in `transcript`; all rules, if none are."""
    return check(parse(transcript), select(CATALOGUE.values(), words), spec, dialect)
