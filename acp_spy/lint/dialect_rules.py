"""
Which rules run when a conversation is checked against a dialect's own document.

The rules about bytes and lines and about requests and responses apply to every dialect. Shapes,
methods and error codes are checked against the document, and of the rules about order only those
run that the dialect names.
"""

from collections.abc import Iterable

from acp_spy.dialect.declaration import Dialect
from acp_spy.dialect.known import AUTO, documented
from acp_spy.errors import AcpSpyError
from acp_spy.lint.rule import Rule

# These check official ACP's methods and error codes.
_OFFICIAL = frozenset(
    (
        "unknown-method",
        "wrong-message-kind",
        "wrong-direction",
        "reserved-error-code",
        "misused-auth-error",
        "scalar-params",
    )
)
# These check JSON-RPC's envelope, which a dialect may have replaced.
_ENVELOPE = frozenset(("missing-jsonrpc", "invalid-request-id", "unknown-envelope-key"))


def rules_for(rules: Iterable[Rule], dialect: str) -> list[Rule]:
    """Return those of `rules` that run with `dialect`."""
    declared = documented().get(dialect)
    if declared is None:
        return [rule for rule in rules if rule.dialect == AUTO]
    return [rule for rule in rules if _holds(rule, declared)]


def some_rules_for(rules: Iterable[Rule], dialect: str) -> list[Rule]:
    """Return the same; refuse to run no rule at all."""
    rules = list(rules)
    left = rules_for(rules, dialect)
    if rules and not left:
        raise AcpSpyError(
            f"none of the selected rules runs with `--dialect {dialect}`",
            hint="select more rules, such as `DIA`, which check against the dialect's document",
        )
    return left


def _holds(rule: Rule, dialect: Dialect) -> bool:
    if rule.dialect != AUTO or rule.family in ("FRM", "NET", "BUD"):
        return True
    if rule.family == "RPC":
        own = not dialect.has_jsonrpc and rule.name in _ENVELOPE
        return rule.name not in _OFFICIAL and not own
    return rule.name in dialect.rules
