"""The styles of `view`, and lines of pieces, as Textual draws them."""

import os
from collections.abc import Sequence
from functools import cache

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from acp_spy.view.style import CODES, Piece, cut, width_of

_WORDS = {"1": "bold", "2": "dim", "3": "italic", "4": "underline", "9": "strike"}
_COLORS = dict(
    zip(
        map(str, range(31, 37)),
        ("red", "green", "yellow", "blue", "magenta", "cyan"),
        strict=True,
    )
)

_FAINT = Style(bgcolor="rgb(45,45,45)")


def has_no_color() -> bool:
    """Whether nothing may have a color."""
    return bool(os.environ.get("NO_COLOR"))


@cache
def style_of(name: str) -> Style:
    """Return a style of `view` by its name."""
    codes = CODES[name].split(";") if name else []
    if has_no_color():
        codes = [code for code in codes if code not in _COLORS]
    return Style.parse(" ".join(_WORDS.get(code) or _COLORS[code] for code in codes) or "none")


def cursor_style(*, has_focus: bool) -> Style:
    """Return the style of the row with the cursor."""
    if has_no_color():
        return Style(reverse=True) if has_focus else Style(bold=True)
    return Style(bgcolor="rgb(40,60,90)", bold=True) if has_focus else _FAINT


def strip_of(pieces: Sequence[Piece], width: int, style: Style | None = None) -> Strip:
    """Return a line of exactly this width; `style` is that of all of it."""
    shown = cut(pieces, width)
    segments = [Segment(text, style_of(name)) for name, text in shown if text]
    used = sum(width_of(text) for _, text in shown)
    segments.append(Segment(" " * max(width - used, 0), Style.null()))
    strip = Strip(segments, width)
    return strip.apply_style(style) if style else strip
