"""
Which rules are run when a conversation is judged by a dialect's own document.

Those about bytes and lines, and about requests and their answers, hold wherever there are such.
Shapes, methods and error codes are the document's business, and so is the order of things, but for
the rules that the dialect names.
"""

from collections.abc import Iterable

from acp_spy.dialect.declaration import Dialect
from acp_spy.dialect.known import AUTO, documented
from acp_spy.errors import AcpSpyError
from acp_spy.lint.rule import Finding, Remark, Rule, Severity

# By official ACP's methods and error codes.
_OFFICIAL = frozenset(
    (
        "unknown-method",
        "wrong-kind",
        "wrong-direction",
        "reserved-error-code",
        "misused-auth-error",
        "scalar-params",
    )
)
# By JSON-RPC's envelope, which a dialect may have replaced by its own.
_ENVELOPE = frozenset(("missing-jsonrpc", "bad-request-id", "unknown-envelope-key"))


class FollowOns:
    """
    What follows from a message that is not by the document is no second mistake.

    A session that was opened in other words has been opened, though nobody can tell. So from the
    first such message on nothing is said about the order of things.
    """

    def __init__(self) -> None:
        self._is_lost = False

    def note(self, rule: Rule, remark: Remark) -> None:
        """Take in a remark, by the severity that it has of itself."""
        if rule.family == "DIA" and rule.own_severity_of(remark) is Severity.ERROR:
            self._is_lost = True

    def leave_out(self, found: list[Finding]) -> list[Finding]:
        """Return what is found in a frame, or in the end, as far as it can be relied on."""
        if not self._is_lost:
            return found
        return [finding for finding in found if not finding.code.startswith(("LIF", "CAP"))]


def rules_for(rules: Iterable[Rule], dialect: str) -> list[Rule]:
    """Return those of `rules` that have something to say when `dialect` is what is judged by."""
    declared = documented().get(dialect)
    if declared is None:
        return [rule for rule in rules if rule.dialect == AUTO]
    return [rule for rule in rules if _holds(rule, declared)]


def some_rules_for(rules: Iterable[Rule], dialect: str) -> list[Rule]:
    """Return the same; refuse to ask nobody."""
    rules = list(rules)
    left = rules_for(rules, dialect)
    if rules and not left:
        raise AcpSpyError(
            f"none of the selected rules runs with `--dialect {dialect}`",
            hint="select more rules, such as `DIA`, which check against the dialect's document",
        )
    return left


def _holds(rule: Rule, dialect: Dialect) -> bool:
    if rule.dialect != AUTO or rule.family == "FRM":
        return True
    if rule.family == "RPC":
        own = not dialect.has_jsonrpc and rule.name in _ENVELOPE
        return rule.name not in _OFFICIAL and not own
    return rule.name in dialect.rules
