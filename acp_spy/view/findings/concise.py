"""
One line per mistake, for `grep` and for editors, which jump to the line of the file.

    run.jsonl:14: error RPC007 what was seen (agent must fix, frame 12)
"""

from collections.abc import Iterable, Iterator

from acp_spy.view.findings.report import Report
from acp_spy.wire.inert import inert


def render(reports: Iterable[Report]) -> Iterator[str]:
    """Give the lines; in parentheses who must fix it, the frame, where else, and what follows."""
    for report in reports:
        for mistake in report.mistakes:
            found = mistake.first
            line = report.lines.get(found.seq)  # of another tool's file it is not known
            place = f"{report.name}:{line}" if line else report.name
            about = [found.must_fix, *([f"frame {found.seq}"] if found.seq else [])]
            about += [mistake.others] if mistake.others else []
            about += [f"{mistake.following} more follow"] if mistake.following else []
            text = f"{found.severity.value} {found.code} {found.text} ({', '.join(about)})"
            yield inert(f"{place}: {text}") + "\n"
