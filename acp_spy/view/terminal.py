"""Rows on the terminal: one line each, readable without colour, at any width."""

from collections.abc import Iterable

from rich.console import Console
from rich.text import Text

from acp_spy.view.timeline import Row
from acp_spy.wire.frame import Peer
from acp_spy.wire.inert import inert

_ARROWS = {Peer.CLIENT: "client →", Peer.AGENT: "← agent", None: ""}
_COLOURS = {Peer.CLIENT: "cyan", Peer.AGENT: "green", None: "dim"}


def show(rows: Iterable[Row], console: Console) -> None:
    """Print `rows`, each cut to the width of the terminal."""
    # More than can be seen, even where letters carry several marks each. A message may be
    # megabytes long, and rich takes a second for each of them.
    enough = 4 * console.width
    for row in rows:
        line = Text()
        line.append(f"{row.seq or '':>4} {row.t:>8.3f}  ", "dim")
        line.append(f"{_ARROWS[row.sender]:<9}", _COLOURS[row.sender])
        line.append(inert(row.what[:enough]), "bold" if row.is_message else "yellow")
        if row.gist:
            line.append("  " + inert(row.gist[:enough]))
        console.print(line, no_wrap=True, overflow="ellipsis")
