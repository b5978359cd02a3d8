"""A capture that is still being written: records in, lines out, and what may still change."""

from collections.abc import Iterable
from datetime import datetime

from acp_spy.capture.records import Header, Record
from acp_spy.conversation.state import Conversation
from acp_spy.lint.ruleset import Ruleset
from acp_spy.view.filters import RowFilter
from acp_spy.view.folding import Folder, Item
from acp_spy.view.layout import Layout
from acp_spy.view.style import Piece, cut, paint
from acp_spy.view.terminal import Terminal
from acp_spy.view.timeline import Timeline
from acp_spy.wire.inert import inert

_MOST_PENDING = 3


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
        """Return the lines of the findings that have no row."""
        return list(self.terminal.findings(self.timeline.close()))

    def unfinished(self, now: float, most: int, *, ended: bool) -> list[str]:
        """Return what may still change: `most` lines of folds that go on, and what is pending."""
        waiting = self._lines(self._folder.waiting)
        return [*waiting[-most:], self._status(now, ended=ended)]

    def _lines(self, items: Iterable[Item]) -> list[str]:
        return [line for item in items for line in self.terminal.lines(item)]

    def _status(self, now: float, *, ended: bool) -> str:
        state = self.timeline.state
        pending = pending_requests(state, state.t if ended else self._elapsed(now))
        style = "slow" if pending else "dim"
        pieces: list[Piece] = [("dim", "── "), (style, inert(pending) or "nobody owes an answer")]
        return paint(cut(pieces, self.terminal.width), colour=self.terminal.colour)

    def _elapsed(self, now: float) -> float:
        """Return the time on the capture's clock."""
        last = self.timeline.state.t
        try:
            return max(now - datetime.fromisoformat(self._header.started).timestamp(), last)
        except ValueError:
            return last


def pending_requests(state: Conversation, now: float) -> str:
    """Return which requests wait for whom, and for how long: the oldest first."""
    pending = sorted(state.pending.values(), key=lambda exchange: exchange.t)
    parts = [
        f"{exchange.sender.other.value} owes `{exchange.method}` {max(now - exchange.t, 0):.1f} s"
        for exchange in pending[:_MOST_PENDING]
    ]
    if len(pending) > _MOST_PENDING:
        parts.append(f"{len(pending) - _MOST_PENDING} more")
    return ", ".join(parts)
