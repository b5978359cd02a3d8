"""What a project's budgets find in a capture that is shown without its secrets."""

from collections.abc import Callable, Iterable, Iterator

import msgspec

from acp_spy.capture.records import Record
from acp_spy.lint.budgets import Budgets
from acp_spy.lint.linter import Crash
from acp_spy.lint.rule import Finding
from acp_spy.lint.ruleset import Ruleset

_NO_BUDGETS = Budgets()


class BudgetFindings:
    """
    What the budgets of `ruleset` find in what was sent, with `mask` for its secrets.

    The names that a project expects may have secrets, as the title of a tool call that is a command
    line. They are compared with what was sent: of placeholders nobody knows the numbers beforehand.
    All other rules, `ruleset`, judge what is shown.
    """

    def __init__(self, ruleset: Ruleset, mask: Callable[[str], str]) -> None:
        own = [rule for rule in ruleset.chosen if rule.budgets.set_ones]
        budgets = ruleset.budgets
        self.ruleset = msgspec.structs.replace(ruleset, budgets=_NO_BUDGETS)
        self._is_set = bool(budgets.set_ones)
        self._checker = msgspec.structs.replace(ruleset, rules=tuple(own)).checker()
        self._mask = mask

    def feed(self, record: Record) -> list[Finding]:
        """Return what is found in a record as it was sent."""
        return self._masked(self._checker.feed(record)) if self._is_set else []

    def close(self) -> list[Finding]:
        """Return what is found at the end."""
        return self._masked(self._checker.close()) if self._is_set else []

    def of_all(self, records: Iterable[Record], *, is_whole: bool) -> Iterator[Finding]:
        """Give what is found in all records; at their end, if it `is_whole`."""
        if self._is_set:
            for record in records:
                yield from self.feed(record)
            yield from self.close() if is_whole else []

    @property
    def crashes(self) -> list[Crash]:
        """The rules that raised."""
        return self._checker.crashes

    def _masked(self, found: Iterable[Finding]) -> list[Finding]:
        return [msgspec.structs.replace(each, text=self._mask(each.text)) for each in found]
