"""What is said of rules that raised: that is a bug of ours, and no clean bill for the capture."""

from collections.abc import Iterable

from acp_spy.cli.console import BUG, FINE, write
from acp_spy.lint.linter import Crash


def tell_bugs(crashes: Iterable[Crash], path: str) -> int:
    """Tell of each rule that raised once, on stderr; return the exit status that it calls for."""
    by_rule: dict[str, Crash] = {}
    for crash in crashes:
        by_rule.setdefault(crash.code, crash)
    for code, crash in by_rule.items():
        write(
            f"a bug in acp-spy: rule {code} raised {crash.error} at frame {crash.seq} of `{path}`\n"
            "hint: please report it; what that rule would have found is not known\n"
        )
    return BUG if by_rule else FINE
