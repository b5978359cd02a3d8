"""Judge a whole capture at once."""

from collections.abc import Iterable

from acp_spy.capture.records import Record
from acp_spy.lint.catalogue import CATALOGUE
from acp_spy.lint.engine import Linter
from acp_spy.lint.model import Finding, Rule


def check(
    records: Iterable[Record],
    rules: Iterable[Rule] | None = None,
    spec: str = "auto",
    dialect: str = "auto",
) -> list[Finding]:
    """
    Return the findings in `records`, in the order of their discovery.

    A rule that raises is a bug of ours, and raises here.
    """
    linter = Linter(CATALOGUE.values() if rules is None else rules, spec, dialect)
    findings = [finding for record in records for finding in linter.feed(record)]
    findings += linter.close()
    if linter.crashes:
        crash = linter.crashes[0]
        raise RuntimeError(f"rule {crash.code} raised at frame {crash.seq}: {crash.error}")
    return findings
