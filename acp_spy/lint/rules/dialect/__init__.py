"""Family DIA: other tongues that call themselves ACP."""

from acp_spy.lint.model import Rule
from acp_spy.lint.rules.dialect.foreign_dialect import foreign_dialect
from acp_spy.lint.rules.dialect.undocumented_envelope import undocumented_envelope
from acp_spy.lint.rules.dialect.undocumented_method import undocumented_method
from acp_spy.lint.rules.dialect.undocumented_shape import undocumented_shape

RULES: tuple[Rule, ...] = (
    foreign_dialect,
    undocumented_method,
    undocumented_shape,
    undocumented_envelope,
)
