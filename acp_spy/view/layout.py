"""How rows are laid out as text: how wide, in colours or not, folded or not."""

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from rich.console import Console


class Layout(msgspec.Struct, frozen=True):
    """How rows are laid out; `raw` shows frames as they were sent."""

    width: int = 80
    colour: bool = False
    fold: bool = True
    raw: bool = False

    @classmethod
    def of(
        cls, console: "Console", *, plain: bool = False, fold: bool = True, raw: bool = False
    ) -> "Layout":
        """Return a layout as wide and, unless it is `plain`, as colourful as `console`."""
        colour = console.is_terminal and not console.no_color and not console.is_dumb_terminal
        return cls(console.width, colour=colour and not plain, fold=fold, raw=raw)
