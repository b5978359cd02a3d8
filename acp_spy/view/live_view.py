"""A capture that is still being written: records in, lines out, and what may still change."""

from collections.abc import Iterable

from acp_spy.capture.records import Header, Record
from acp_spy.lint.ruleset import Ruleset
from acp_spy.view.filters import RowFilter
from acp_spy.view.folding import Folder, Item
from acp_spy.view.layout import Layout
from acp_spy.view.pending import pending_at_end, pending_so_far
from acp_spy.view.style import Piece, broken, paint
from acp_spy.view.terminal import Terminal
from acp_spy.view.timeline import Timeline
from acp_spy.wire.inert import inert

_RULE = "── "
_LINES = 6  # that a pending request may take: nothing of it is cut off


class LiveView:
    """What is known of a capture so far, as lines for a terminal."""

    def __init__(self, path: str, row_filter: RowFilter, ruleset: Ruleset, layout: Layout) -> None:
        self.timeline = Timeline(ruleset)
        self.terminal = Terminal(layout.width, colour=layout.colour)
        self._path = path
        self._filter = row_filter
        self._fold = layout.fold
        self._folder = Folder()
        self._header = Header()

    def feed(self, records: Iterable[Record]) -> list[str]:
        """Return the lines of what is complete by now."""
        lines: list[str] = []
        for record in records:
            if isinstance(record, Header):
                self._header = record
                lines += self.terminal.head(self._path, record)
            for row in self.timeline.feed(record):
                if self._filter(row):
                    lines += self._lines(self._folder.feed(row) if self._fold else [row])
        return lines

    def flush(self) -> list[str]:
        """Return the lines of what still waits, complete or not."""
        return self._lines(self._folder.close())

    def close(self) -> list[str]:
        """Return the lines of the findings that have no row, and of the diagnosis."""
        lines = list(self.terminal.findings(self.timeline.close()))
        found = self.timeline.diagnosis()
        return [*lines, *(self.terminal.diagnosis(found) if found else [])]

    def unfinished(self, now: float, most: int, *, ended: bool) -> list[str]:
        """Return what may still change: folds that go on, in `most` lines, and what is pending."""
        status = self._status(now, ended=ended)
        waiting = self._lines(self._folder.waiting)
        return [*waiting[-max(most - len(status) + 1, 1) :], *status]

    def _lines(self, items: Iterable[Item]) -> list[str]:
        return [line for item in items for line in self.terminal.lines(item)]

    def _status(self, now: float, *, ended: bool) -> list[str]:
        """Return the lines about pending requests, broken to the width and never cut off."""
        state, exited = self.timeline.state, self.timeline.exited
        is_over = ended or exited is not None
        now = max(self._header.elapsed(now) or 0.0, state.t)
        found = self.timeline.diagnosis(None if is_over else now)
        pending = pending_at_end(state, exited) if is_over else pending_so_far(state, now)
        style = "slow" if pending else "dim"
        lines = []
        if found and found.is_wrong:
            lines += self._below(_RULE, "error", f"{found.words}: {inert(found.text)}")
        for text in pending or ["no request is pending"]:
            lines += self._below(_RULE, style, text)
        return [paint(pieces, colour=self.terminal.colour) for pieces in lines]

    def _below(self, rule: str, style: str, text: str) -> list[list[Piece]]:
        """Return a text behind a rule, broken to the width."""
        first, *rest = broken(text, self.terminal.width - len(rule), _LINES)
        return [
            [("dim", rule), (style, first)],
            *([(style, " " * len(rule) + line)] for line in rest),
        ]
