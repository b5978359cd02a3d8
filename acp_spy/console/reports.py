"""The panels with findings and statistics: laid out for the width that they have."""

import io
from collections.abc import Iterator

from rich.console import Console

from acp_spy.console.panes import Line, LinesPane
from acp_spy.console.reading import Findings
from acp_spy.lint.rule import Finding
from acp_spy.view.findings.report import grouped
from acp_spy.view.stats import text as stats_text
from acp_spy.view.stats.model import Stats
from acp_spy.view.style import broken
from acp_spy.wire.inert import inert

_MOST_LINES = 3  # of a finding


class FindingsPane(LinesPane):
    """All findings, alike ones together."""

    def __init__(self, **more: str) -> None:
        super().__init__(**more)
        self._found: Findings | None = None
        self._seqs: list[int] = []  # of each line

    @property
    def seq(self) -> int:
        """The frame of the finding with the cursor; 0 if it has none."""
        return self._seqs[self.cursor] if self.cursor < len(self._seqs) else 0

    def on_resize(self) -> None:
        """Break the lines again."""
        super().on_resize()
        if self._found is not None:
            self.show_findings(self._found)

    def show_findings(self, found: Findings) -> None:
        """Show these findings."""
        self._found = found
        lines: list[Line] = []
        self._seqs = []
        for finding, count in grouped(found.findings):
            lines += _lines(finding, count, self.room)
            self._seqs += [finding.seq] * (len(lines) - len(self._seqs))
        if not lines:
            lines = [[("dim", "nothing found so far")]]
        elif len(found.findings) < found.count:
            which = f"the first {len(found.findings):,} of {found.count:,} are listed"
            lines.append([("dim", which)])
        self.show(lines, keep=True)


def _lines(finding: Finding, count: int, width: int) -> Iterator[Line]:
    level = finding.severity.value
    times = f" ×{count}" if count > 1 else ""
    place = f"frame {finding.seq}" if finding.seq else "at the end"
    yield [
        (level, f"{level} {finding.code}{times}"),
        ("dim", f"  {place}  "),
        ("bold", finding.name),
        ("dim", f"  {finding.must_fix}"),
    ]
    for line in broken(inert(finding.text), width - 2, _MOST_LINES):
        yield [("", f"  {line}")]


class StatsPane(LinesPane):
    """What `acp-spy stats` prints of the capture at `path`."""

    def __init__(self, path: str, **more: str) -> None:
        super().__init__(**more)
        self._path = path
        self._stats: Stats | None = None

    def on_resize(self) -> None:
        """Lay out again."""
        super().on_resize()
        self.show_stats(self._stats)

    def show_stats(self, stats: Stats | None) -> None:
        """Show these statistics; or that they are not there yet."""
        self._stats = stats
        if stats is None:
            self.show([[("dim", "the whole capture is being read for this")]])
            return
        out = Console(file=io.StringIO(), width=max(self.room, 40), color_system=None)
        stats_text.render(self._path, stats.state, stats, out)
        assert isinstance(out.file, io.StringIO)
        _path, *lines = out.file.getvalue().split("\n")  # the title has the path
        self.show([[("", line)] for line in lines], keep=True)
