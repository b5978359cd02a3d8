"""How a conversation is judged: the rules that are run, the specification, the dialect."""

import os
from collections.abc import Iterable

import msgspec

from acp_spy.capture.files import records_of
from acp_spy.capture.folder import is_running
from acp_spy.capture.records import Capture, Record
from acp_spy.conversation.tracker import Tracker
from acp_spy.dialect.known import AUTO
from acp_spy.lint.budgets import Budgets
from acp_spy.lint.catalogue import CATALOGUE
from acp_spy.lint.dialect_rules import some_rules_for
from acp_spy.lint.linter import Checker, Linter
from acp_spy.lint.rule import Finding, Rule
from acp_spy.lint.select import select
from acp_spy.lint.settings import Settings


class Ruleset(msgspec.Struct, frozen=True):
    """
    All that a linter is made of; a capture that is read twice needs two of the same.

    Without `rules` it is those of the catalogue that run by default.
    """

    rules: tuple[Rule, ...] | None = None
    spec: str = AUTO
    dialect: str = AUTO
    budgets: Budgets = Budgets()

    @property
    def chosen(self) -> tuple[Rule, ...]:
        """The rules that judge."""
        return tuple(select(CATALOGUE.values())) if self.rules is None else self.rules

    def checker(self) -> Checker:
        """Return a new linter and a new tracker, which have seen nothing yet."""
        linter = Linter(self.chosen, self.spec, self.dialect, self.budgets)
        return Checker(linter, Tracker(self.dialect, only_steps=linter.only_steps))


ALL_RULES = Ruleset()


def ruleset_for(settings: Settings) -> Ruleset:
    """Return what `settings` ask for. Raises `AcpSpyError` if they leave no rule to run."""
    rules = select(CATALOGUE.values(), settings.select, settings.ignore, settings.severity)
    rules = some_rules_for(rules, settings.dialect)
    return Ruleset(tuple(rules), settings.spec, settings.dialect, settings.budgets)


def check(
    capture: Capture | str | os.PathLike[str] | Iterable[Record],
    rules: Iterable[Rule] | None = None,
    spec: str = AUTO,
    dialect: str = AUTO,
    budgets: Budgets = Budgets(),  # noqa: B008 - it is frozen
) -> list[Finding]:
    """
    Return the findings in a capture, in the order of their discovery.

    It is a path, what `load` gave, or any records. The end is not checked while the capture at a
    path is being recorded: what is not answered yet may still be.

    A rule that raises is a bug of ours, and raises here.
    """
    ruleset = Ruleset(None if rules is None else tuple(rules), spec, dialect, budgets)
    running = is_running(capture)  # asked first: what ends after this may have been read in part
    return findings_in(records_of(capture), ruleset, is_whole=not running)


def findings_in(
    records: Iterable[Record], ruleset: Ruleset, *, is_whole: bool = True
) -> list[Finding]:
    """Return what `ruleset` finds in records; their end is checked if it `is_whole`."""
    checker = ruleset.checker()
    findings = [finding for record in records for finding in checker.feed(record)]
    findings += checker.close() if is_whole else []
    for crash in checker.crashes:
        raise RuntimeError(f"rule {crash.code} raised at frame {crash.seq}: {crash.error}")
    return findings
