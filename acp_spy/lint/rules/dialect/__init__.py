"""Family DIA: other tongues that call themselves ACP."""

from acp_spy.lint.model import Rule
from acp_spy.lint.rules.dialect.foreign_dialect import foreign_dialect

RULES: tuple[Rule, ...] = (foreign_dialect,)
