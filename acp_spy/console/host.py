"""What the screens ask of the application."""

from collections.abc import Sequence
from typing import Any

from rich.segment import Segment
from textual.app import App
from textual.color import Color
from textual.filter import LineFilter

from acp_spy.console.look import has_no_color
from acp_spy.console.reading import Ask


class _Colorless(LineFilter):
    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002
        """Return the same, without any color."""
        return [Segment(text, style and style.without_color, *_) for text, style, *_ in segments]


_COLORLESS = _Colorless()


class Host(App[int]):
    """The application, as the screens know it."""

    is_leaving = False

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Return what is done to each line: with NO_COLOR, Textual would draw shades of gray."""
        return [_COLORLESS] if has_no_color() else super().get_line_filters()

    def exit(self, *args: Any, **options: Any) -> None:
        """Leave the console."""
        self.is_leaving = True
        super().exit(*args, **options)

    def read(self, path: str, filters: tuple[str, ...] = (), *, fold: bool = True) -> int:
        """Have a capture read, or none; return the number of this reading."""
        raise NotImplementedError

    def ask(self, command: Ask) -> None:
        """Ask for a report about what is read."""
        raise NotImplementedError

    def open_capture(self, path: str) -> None:
        """Show a conversation."""
        raise NotImplementedError

    def leave_capture(self) -> None:
        """Go back to the captures."""
        raise NotImplementedError

    def open_page(self, path: str, filters: Sequence[str]) -> None:
        """Open the page of a capture in the browser."""
        raise NotImplementedError
