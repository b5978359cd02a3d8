"""What can be scrolled: lines drawn one by one, with a cursor, a scroll bar and the mouse."""

from collections.abc import Callable, Sequence

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from acp_spy.console.look import cursor_style, strip_of
from acp_spy.view.style import Piece, width_of

Line = Sequence[Piece]
_WHEEL = 3  # lines


class Head(Widget):
    """A few lines that are always seen; what does not fit is cut."""

    DEFAULT_CSS = "Head { height: auto; }"

    class Clicked(Message):
        """A piece of the first line was clicked."""

        def __init__(self, head: "Head", piece: int) -> None:
            super().__init__()
            self.head = head
            self.piece = piece

        @property
        def control(self) -> "Head":
            """What was clicked."""
            return self.head

    def __init__(self, lines: Sequence[Line] = (), style: Style | None = None, **more: str) -> None:
        super().__init__(**more)  # type: ignore[arg-type]
        self._lines = list(lines)
        self._style = style

    def show(self, lines: Sequence[Line]) -> None:
        """Show other lines."""
        if lines == self._lines:
            return
        is_taller = len(lines) != len(self._lines)
        self._lines = list(lines)
        self.refresh(layout=is_taller)

    def get_content_height(self, *_: object) -> int:
        """Return how many lines there are."""
        return len(self._lines)

    def render_line(self, y: int) -> Strip:
        """Draw one line."""
        pieces = self._lines[y] if y < len(self._lines) else ()
        return strip_of(pieces, self.size.width, self._style)

    def on_click(self, event: events.Click) -> None:
        """Say which piece it was."""
        x = event.x
        for at, (_, text) in enumerate(self._lines[0] if self._lines and not event.y else ()):
            x -= width_of(text)
            if x < 0:
                self.post_message(self.Clicked(self, at))
                return


class Pane(Widget, can_focus=True):
    """Something with more lines than fit: the common part."""

    class Opened(Message):
        """A row was chosen by a click."""

    def move(self, rows: int) -> None:
        """Move the cursor."""

    def page(self, pages: int) -> None:
        """Move by whole pages."""
        self.move(pages * max(self.size.height - 1, 1))

    def go_to_edge(self, *, end: bool) -> None:
        """Go to the first row, or to the last."""

    def scroll(self, lines: int) -> None:
        """Move what is seen."""

    def click_line(self, y: int) -> bool:
        """Put the cursor on a line that is seen; return whether it was there already."""
        raise NotImplementedError

    def seen(self) -> tuple[float, float]:
        """Return which part is seen: from and to, between 0 and 1."""
        return 0.0, 1.0

    def jump_to_part(self, part: float) -> None:
        """Show what is at a part of the whole, between 0 and 1."""

    # ------------------------------------------------------------------ drawing

    @property
    def room(self) -> int:
        """How many cells a line has: one is for the cursor, and one for the scroll bar."""
        return max(self.size.width - 2, 1)

    def line(self, y: int) -> tuple[Line, str, bool]:
        """Return the pieces of a line that is seen, its mark, and whether the cursor is on it."""
        raise NotImplementedError

    def render_line(self, y: int) -> Strip:
        """Draw one line."""
        pieces, mark, is_current = self.line(y)
        style = cursor_style(has_focus=self.has_focus) if is_current else None
        body = strip_of([("bold", mark), *pieces], self.room + 1, style)
        return Strip.join([body, Strip([Segment(self._bar(y), Style.null())], 1)])

    def _bar(self, y: int) -> str:
        first, last = self.seen()
        height = self.size.height
        if (first <= 0 and last >= 1) or not height:
            return " "
        thumb = max(round((last - first) * height), 1)
        top = min(round(first * height), height - thumb)
        return "█" if top <= y < top + thumb else "│"

    # ------------------------------------------------------------------ the mouse

    _is_dragged = False

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Scroll with the wheel."""
        event.stop()
        self.scroll(_WHEEL)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Scroll with the wheel."""
        event.stop()
        self.scroll(-_WHEEL)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Choose a row, or take hold of the scroll bar."""
        if event.x >= self.size.width - 1:
            self._is_dragged = True
            self.capture_mouse()
            self._drag_to(event.y)
        elif self.click_line(event.y):
            self.post_message(self.Opened())

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Drag the scroll bar."""
        if self._is_dragged:
            self._drag_to(event.y)

    def on_mouse_up(self, _: events.MouseUp) -> None:
        """Let go of it."""
        if self._is_dragged:
            self._is_dragged = False
            self.release_mouse()

    def _drag_to(self, y: int) -> None:
        self.jump_to_part(min(max(y / max(self.size.height - 1, 1), 0.0), 1.0))


class LinesPane(Pane):
    """Lines that are there already; a line may have something to go to."""

    has_cursor = True  # that is seen

    def __init__(self, **more: str) -> None:
        super().__init__(**more)  # type: ignore[arg-type]
        self.top = self.cursor = 0
        self.count = 0
        self._line: Callable[[int], Line] = lambda _: ()
        self._stays_at_end = False

    def show(self, lines: Sequence[Line], *, at_end: bool = False, keep: bool = False) -> None:
        """Show these lines; from the first, from the last, or where it was."""
        self.show_by(len(lines), lines.__getitem__, at_end=at_end, keep=keep)

    def show_by(
        self,
        count: int,
        line: Callable[[int], Line],
        *,
        at_end: bool = False,
        keep: bool = False,
    ) -> None:
        """Show as many lines; each is made when it is seen."""
        was_at_end = at_end and (not keep or self.cursor >= self.count - 1)
        self.count, self._line = count, line
        if was_at_end:
            self.cursor, self.top = max(count - 1, 0), max(count - (self.size.height or count), 0)
        elif keep:
            self.cursor = min(self.cursor, max(count - 1, 0))
            self.top = min(self.top, max(count - 1, 0))
        else:
            self.cursor = self.top = 0
        self.refresh()

    def on_resize(self) -> None:
        """Keep the cursor on the screen."""
        self.move(0)

    def move(self, rows: int) -> None:
        """Move the cursor."""
        self.cursor = min(max(self.cursor + rows, 0), max(self.count - 1, 0))
        if self.cursor < self.top:
            self.top = self.cursor
        elif self.cursor >= self.top + self.size.height:
            self.top = self.cursor - self.size.height + 1
        self.refresh()

    def go_to_edge(self, *, end: bool) -> None:
        """Go to the first line, or to the last."""
        self.move(self.count if end else -self.count)

    def scroll(self, lines: int) -> None:
        """Move what is seen, and the cursor with it."""
        height = self.size.height
        self.top = min(max(self.top + lines, 0), max(self.count - height, 0))
        self.cursor = min(max(self.cursor, self.top), self.top + max(height - 1, 0))
        self.refresh()

    def click_line(self, y: int) -> bool:
        """Put the cursor on a line."""
        at = self.top + y
        if at >= self.count:
            return False
        was_there, self.cursor = self.cursor == at and self.has_focus, at
        self.refresh()
        return was_there

    def seen(self) -> tuple[float, float]:
        """Return which part is seen."""
        if not self.count:
            return 0.0, 1.0
        return self.top / self.count, (self.top + self.size.height) / self.count

    def jump_to_part(self, part: float) -> None:
        """Show what is at a part of the whole."""
        self.scroll(round(part * max(self.count - self.size.height, 0)) - self.top)

    def line(self, y: int) -> tuple[Line, str, bool]:
        """Return a line that is seen."""
        at = self.top + y
        if at >= self.count:
            return (), " ", False
        is_current = at == self.cursor and self.has_cursor
        return self._line(at), "›" if is_current and self.has_focus else " ", is_current
