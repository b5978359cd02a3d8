"""A capture as text: what it is, its rows, and what it comes to."""

from collections.abc import Iterator

from rich.console import Console

from acp_spy.view.capture_view import Viewed
from acp_spy.view.filters import wants
from acp_spy.view.folding import folded
from acp_spy.view.terminal import Terminal
from acp_spy.view.units import counted, span
from acp_spy.wire.frame import Frame
from acp_spy.wire.inert import inert


def view_lines(path: str, console: Console) -> Iterator[str]:
    """Give the lines that show the capture at `path` on `console`."""
    viewed = Viewed(path, wants([]))
    yield from lines(viewed, terminal_for(console, sessions=viewed.sessions), fold=True)


def terminal_for(console: Console, *, sessions: int = 0, plain: bool = False) -> Terminal:
    """Return a terminal as wide and as colourful as `console`."""
    colour = console.is_terminal and not console.no_color and not console.is_dumb_terminal
    return Terminal(console.width, colour=colour and not plain, sessions=sessions)


def lines(viewed: Viewed, terminal: Terminal, *, fold: bool) -> Iterator[str]:
    """Give the lines that show what is wanted of a capture."""
    yield from terminal.head(viewed.path, viewed.header)
    count = 0
    for item in folded(viewed.rows()) if fold else viewed.rows():
        count += 1
        yield from terminal.lines(item)
    yield from terminal.findings(viewed.late())
    yield ""
    yield from terminal.foot(summary(viewed, count))


def summary(viewed: Viewed, rows: int) -> str:
    """Return what the capture comes to, in a sentence; `rows` is how many are shown of it."""
    frames = counted(viewed.frames, "frame")
    if viewed.filtered:
        frames = f"{counted(rows, 'row')} shown, with {viewed.frames_shown:,} of its {frames}"
    levels = [
        counted(viewed.tally[level], level)
        for level in ("error", "warning", "note")
        if viewed.tally.get(level)
    ]
    found = ", ".join(levels) or "nothing found"
    if failed := len({crash.code for crash in viewed.crashes}):
        found += f"; a bug in acp-spy: what {counted(failed, 'rule')} would have found is not known"
    # Other tools do not write down when the agent ends, and some of them no times either.
    imported = viewed.header.is_imported
    took = "" if imported and not viewed.t else f" in {span(viewed.t)}"
    end = "; it has no end: cut off, or still running (-f follows it)"
    return f"{frames}{took}; {found}{'' if viewed.ended or imported else end}"


def raw_lines(viewed: Viewed) -> Iterator[str]:
    """Give a line for each row, with what was sent as it was sent."""
    for row in viewed.rows():
        sender = row.sender.value if row.sender else ""
        seq = "" if row.seq is None else row.seq
        told = (
            row.record.payload.decode(errors="backslashreplace")
            if isinstance(row.record, Frame)
            else f"{row.what} {row.gist}"
        )
        yield f"{seq:>4} {row.t:>7.3f} {sender:<6} {inert(told)}".rstrip()
