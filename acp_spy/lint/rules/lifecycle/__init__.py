"""Family LIF: order, ids and time."""

from acp_spy.lint.model import Rule
from acp_spy.lint.rules.lifecycle import draft, talk, work

RULES: tuple[Rule, ...] = (*talk.RULES, *work.RULES, *draft.RULES)
