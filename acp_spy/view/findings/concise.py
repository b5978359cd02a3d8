"""One line a mistake, for `grep` and for editors: `run.jsonl:14: error RPC007 what was seen`."""

from collections.abc import Iterable, Iterator

from acp_spy.view.findings.report import Report
from acp_spy.wire.inert import inert


def render(reports: Iterable[Report]) -> Iterator[str]:
    """Give the lines; the number after the path is the frame's, not the line's."""
    for report in reports:
        for mistake in report.mistakes:
            found = mistake.first
            line = f"{report.path}:{found.seq}: {found.severity.value} {found.code} {found.text}"
            yield inert(line + (f" ({mistake.others})" if mistake.others else "")) + "\n"
