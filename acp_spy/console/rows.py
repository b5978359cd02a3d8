"""The rows of a conversation: only those that are seen exist."""

from textual.message import Message

from acp_spy.console.document import Document, Shown
from acp_spy.console.panes import Line, Pane
from acp_spy.view.terminal import Terminal

_MOST_LINES = 40  # of one item


class RowsPane(Pane):
    """The rows of a document, from `top` on; the cursor is on one of them."""

    class Moved(Message):
        """The cursor is on another row."""

    def __init__(self, document: Document, **more: str) -> None:
        super().__init__(**more)  # type: ignore[arg-type]
        self.document = document
        self.top = 0  # the place of the first row that is seen
        self._hidden = 0  # lines of it that are above
        self.cursor = 0
        self.follows = False
        self.marks: set[int] = set()
        self._terminal = Terminal()
        self._seen: list[tuple[int, int, Line]] | None = None  # place, number of line, pieces

    # ------------------------------------------------------------------ what changes

    def update(self) -> None:
        """Show what is new; what is seen stays where it is, unless the end is followed."""
        document = self.document
        if self.follows:
            self.go_to_edge(end=True)
            return
        top, cursor = document.find(self.top), document.find(self.cursor)
        first = document.first()
        if first is None:
            self.top = self.cursor = 0
        else:
            self._hidden = self._hidden if top == self.top else 0
            self.top = first if top is None else top
            self._put_cursor(first if cursor is None else cursor)
        self._redraw()

    def on_resize(self) -> None:
        """Lay out again."""
        self._terminal.resize(self.room)
        place = self.document.find(self.cursor)
        if self.follows or place is None:
            self.go_to_edge(end=self.follows)
        else:
            self.go_to(place)

    def _redraw(self) -> None:
        self._seen = None
        self.refresh()

    def _put_cursor(self, place: int) -> None:
        has_moved, self.cursor = place != self.cursor, place
        if has_moved:
            self.post_message(self.Moved())

    @property
    def current(self) -> Shown | None:
        """The row with the cursor."""
        place = self.document.find(self.cursor)
        return None if place is None else self.document.show(place)

    # ------------------------------------------------------------------ moving

    def move(self, rows: int) -> None:
        """Move the cursor by rows."""
        place = self.document.find(self.cursor)
        if place is not None:
            self.follows = False
            self.go_to(self.document.move(place, rows))

    def page(self, pages: int) -> None:
        """Move by what is seen."""
        place = self.document.find(self.cursor)
        if place is None:
            return
        self.follows = False
        seen = len({each for each, _, _ in self._layout()})
        self.go_to(self.document.move(place, pages * max(seen - 1, 1)))

    def go_to_edge(self, *, end: bool) -> None:
        """Go to the first row, or to the last."""
        place = self.document.last() if end else self.document.first()
        if place is None:
            self._redraw()
            return
        self.follows = self.follows and end
        self._put_cursor(place)
        self.top, self._hidden = place, 0
        if end:
            self._fill_upwards(place)
        self._redraw()

    def go_to(self, place: int) -> None:
        """Put the cursor on a row, and show it."""
        self._put_cursor(place)
        if place < self.top or (place == self.top and self._hidden):
            self.top, self._hidden = place, 0
        else:
            self._seen = None
            lines = [line for line in self._layout() if line[0] == place]
            if len(lines) < self._height_of(place):
                self._fill_upwards(place)
        self._redraw()

    def go_to_middle(self, place: int) -> None:
        """Put the cursor on a row that may be far away, with some rows above it."""
        if any(place == each for each, _, _ in self._layout()):
            self.go_to(place)
            return
        self._put_cursor(place)
        self.top, self._hidden = self.document.move(place, -self.size.height // 3), 0
        if place not in [each for each, _, _ in self._relayout()]:
            self.top = place
        self._redraw()

    def _relayout(self) -> list[tuple[int, int, Line]]:
        self._seen = None
        return self._layout()

    def _fill_upwards(self, place: int) -> None:
        """Let the row at `place` be the last that is seen whole."""
        self.top, left = place, self.size.height - self._height_of(place)
        while left > 0:
            above = self.document.before(self.top)
            if above is None:
                self._hidden = 0
                return
            self.top = above
            left -= self._height_of(above)
        self._hidden = max(-left, 0) if self.top != place else 0

    def scroll(self, lines: int) -> None:
        """Move what is seen; the cursor stays on the screen."""
        self.follows = False
        hidden = self._hidden + lines
        while hidden < 0:
            above = self.document.before(self.top)
            if above is None:
                hidden = 0
                break
            self.top = above
            hidden += self._height_of(above)
        while hidden >= (height := self._height_of(self.top)):
            below = self.document.after(self.top)
            if below is None:
                hidden = max(height - 1, 0)
                break
            hidden -= height
            self.top = below
        self._hidden = hidden
        last = self.document.last()
        if lines > 0 and last is not None and len(self._relayout()) < self.size.height:
            self._fill_upwards(last)  # no emptiness below the last row
        places = [place for place, _, _ in self._relayout()]
        if places and self.cursor not in places:
            self._put_cursor(places[0] if self.cursor < places[0] else places[-1])
        self._redraw()

    def click_line(self, y: int) -> bool:
        """Put the cursor on the row of a line."""
        lines = self._layout()
        if y >= len(lines):
            return False
        place = lines[y][0]
        was_there = place == self.cursor and self.has_focus
        self.follows = False
        self._put_cursor(place)
        self._redraw()
        return was_there

    def mark(self) -> None:
        """Mark the row with the cursor, or remove its mark; go to the next."""
        self.marks ^= {self.cursor}
        self.move(1)
        self._redraw()

    # ------------------------------------------------------------------ drawing

    def _lines_of(self, place: int) -> list[Line]:
        shown = self.document.show(place)
        return self._terminal.pieces(shown.item, shown.margin)[:_MOST_LINES]

    def _height_of(self, place: int) -> int:
        return len(self._lines_of(place))

    def _layout(self) -> list[tuple[int, int, Line]]:
        """Return the lines that are seen."""
        if self._seen is not None:
            return self._seen
        lines: list[tuple[int, int, Line]] = []
        place = self.document.find(self.top)
        if place is None:
            place = self.document.first()
        hidden, height = self._hidden, self.size.height
        while place is not None and len(lines) < height:
            pieces = self._lines_of(place)
            lines += [(place, at, line) for at, line in enumerate(pieces) if at >= hidden]
            hidden = 0
            place = self.document.after(place)
        self._seen = lines[:height]
        return self._seen

    def line(self, y: int) -> tuple[Line, str, bool]:
        """Return a line that is seen."""
        lines = self._layout()
        if y >= len(lines):
            return (), " ", False
        place, at, pieces = lines[y]
        is_current = place == self.cursor
        mark = "›" if is_current and not at else "*" if place in self.marks and not at else " "
        return pieces, mark, is_current and not at

    def seen(self) -> tuple[float, float]:
        """Return which part of the capture is seen."""
        lines, end = self._layout(), self.document.end
        if not lines:
            return 0.0, 1.0
        first, last = self.document.first(), self.document.last()
        starts = 0.0 if lines[0][0] == first and not self._hidden else lines[0][0] / end
        ends = 1.0 if lines[-1][0] == last else lines[-1][0] / end
        return min(starts, 0.999), max(ends, starts)

    def jump_to_part(self, part: float) -> None:
        """Show what is at a part of the capture."""
        self.follows = False
        if part >= 1:
            self.go_to_edge(end=True)
            return
        place = self.document.find(int(part * self.document.end))
        if place is None:
            place = self.document.first()
        if place is not None:
            self.top, self._hidden = place, 0
            self._put_cursor(place)
            self._redraw()
