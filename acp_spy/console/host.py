"""What the screens ask of the application."""

from collections.abc import Sequence
from typing import Any

from textual.app import App

from acp_spy.console.reading import Ask


class Host(App[int]):
    """The application, as the screens know it."""

    is_leaving = False

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
