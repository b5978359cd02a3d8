"""How a conversation is judged: the rules that are asked, the specification, the dialect."""

from collections.abc import Collection

import msgspec

from acp_spy.lint.by_document import some_asked
from acp_spy.lint.catalogue import CATALOGUE
from acp_spy.lint.engine import Linter
from acp_spy.lint.model import Rule
from acp_spy.lint.select import select
from acp_spy.lint.settings import Settings


class Judging(msgspec.Struct, frozen=True):
    """All that a linter is made of; a capture that is read twice needs two of the same."""

    rules: Collection[Rule]
    spec: str = "auto"
    dialect: str = "auto"

    def linter(self) -> Linter:
        """Return a new linter, which has seen nothing yet."""
        return Linter(self.rules, self.spec, self.dialect)


BY_ALL = Judging(CATALOGUE.values())  # which are loaded by the first linter
BY_NONE = Judging(())


def judging_by(settings: Settings) -> Judging:
    """Return what `settings` ask for. Raises `AcpSpyError` if they leave no rule to ask."""
    rules = select(CATALOGUE.values(), settings.select, settings.ignore, settings.severity)
    return Judging(tuple(some_asked(rules, settings.dialect)), settings.spec, settings.dialect)
