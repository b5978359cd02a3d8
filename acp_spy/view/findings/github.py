"""Workflow commands: what GitHub Actions shows as annotations, at the frame's line."""

from collections.abc import Iterable, Iterator

from acp_spy.lint.rule import Severity
from acp_spy.view.findings.report import Report
from acp_spy.wire.inert import inert

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def render(reports: Iterable[Report]) -> Iterator[str]:
    """Give one command for each mistake."""
    for report in reports:
        for mistake in report.mistakes:
            found = mistake.first
            place = f"frame {found.seq}, " if found.seq else ""
            lines = [f"{found.text} ({place}{found.must_fix})"]
            lines += [mistake.others] if mistake.others else []
            lines += [mistake.follows] if mistake.follows else []
            lines += [f"hint: {found.hint}"] if found.hint else []
            where = f"file={_property(report.name)},line={report.line_of(found.seq)}"
            title = _property(f"{found.code} {found.name}")
            text = "%0A".join(_data(line) for line in lines)
            yield f"::{_COMMANDS[found.severity]} {where},title={title}::{text}\n"


def _data(text: str) -> str:
    """Escape what would end the command; line ends are shown as such, as is all that acts."""
    return inert(text).replace("%", "%25")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
