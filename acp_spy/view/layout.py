"""How wide what is shown may be, in colours or not, folded or not; and what the terminal allows."""

import os
import sys

import msgspec

_NARROWEST = 20  # columns: indented text must fit
_MOST_DIGITS = 5


class Layout(msgspec.Struct, frozen=True):
    """How rows are laid out; `raw` shows frames as they were sent."""

    width: int = 80
    colour: bool = False
    fold: bool = True
    raw: bool = False


def layout_of_terminal(*, plain: bool = False, fold: bool = True, raw: bool = False) -> Layout:
    """Return a layout as wide and, unless it is `plain`, as colourful as stdout can be."""
    return Layout(
        max(terminal_size().columns, _NARROWEST),
        colour=not plain and is_terminal() and not is_dumb() and not os.environ.get("NO_COLOR"),
        fold=fold,
        raw=raw,
    )


# By hand, as rich does it: its console takes a tenth of the time that a command needs to start.


def terminal_size() -> os.terminal_size:
    """Return the columns and lines that there are: as the environment says, or the terminal."""
    found = os.terminal_size((80, 25))
    for descriptor in (0, 1, 2):  # stdout may be a pipe to a pager
        try:
            found = os.get_terminal_size(descriptor)
        except OSError:
            continue
        break
    columns, lines = (os.environ.get(name, "") for name in ("COLUMNS", "LINES"))
    return os.terminal_size(
        (_count(columns) or found.columns or 80, _count(lines) or found.lines or 25)
    )


def _count(text: str) -> int:
    """Return a number of columns or lines; 0 if it is none, or if no terminal is so large."""
    return int(text) if text.isdecimal() and len(text) <= _MOST_DIGITS else 0


def is_terminal() -> bool:
    """Whether stdout is a terminal, or is to be taken for one."""
    return bool(os.environ.get("FORCE_COLOR")) or sys.stdout.isatty()


def is_dumb() -> bool:
    """Whether the terminal knows neither colours nor a cursor."""
    return os.environ.get("TERM", "").lower() in ("dumb", "unknown")
