"""
The captures of a folder on the terminal: one row each, and what each is called.

A name must be whole to be of use, so where the row has no room for it, it stands below.
"""

from collections.abc import Sequence
from datetime import datetime

from rich.console import Console
from rich.text import Text

from acp_spy.units import counted, size, span
from acp_spy.view.captures.summary import PeerName, State, Summary
from acp_spy.view.columns import NARROWEST, Column, cell, lay_out
from acp_spy.wire.inert import inert

_COLUMNS = (
    Column("started"),
    Column("state"),
    Column("length", right=True),
    Column("frames", right=True),
    Column("findings"),
    Column("agent", gives_way=True),
)
_DIAGNOSIS, _CLIENT, _NAME = Column("diagnosis"), Column("client"), Column("name")
_COLOURS = {State.RUNNING: "bold green", State.CUT_OFF: "yellow"}
_STYLES = {State.RUNNING: "agent", State.CUT_OFF: "noise"}
_SEVERITIES = {"error": "red", "warning": "yellow", "note": "blue"}
_UNKNOWN = "?"


def render(folder: str, summaries: Sequence[Summary], console: Console) -> None:
    """Print a row for each capture."""
    if not summaries:
        _print(console, Text(f"no captures in {inert(folder)}"))
        return
    lines = _wide(summaries)
    if max(line.cell_len for line in lines) > console.width:
        lines = _narrow(summaries, console.width)
    for line in lines:
        _print(console, line)
    total = sum(summary.size for summary in summaries)
    total_line = f"{counted(len(summaries), 'capture')}, {size(total)}, in {inert(folder)}"
    _print(console, Text(f"\n{total_line}", "dim"))


def _wide(summaries: Sequence[Summary]) -> list[Text]:
    rows = [
        [*_cells(summary), _diagnosis(summary), cell(peer_words(summary.client)), _name_of(summary)]
        for summary in summaries
    ]
    return lay_out((*_COLUMNS, _DIAGNOSIS, _CLIENT, _NAME), rows, 10_000)


def _narrow(summaries: Sequence[Summary], width: int) -> list[Text]:
    heading, *rows = lay_out(_COLUMNS, [_cells(summary) for summary in summaries], width)
    lines = [heading]
    for row, summary in zip(rows, summaries, strict=True):
        below = Text("  ") + _name_of(summary)
        if summary.diagnosis:
            below += Text("  ") + _diagnosis(summary)
        if summary.client.name:
            below += Text("  client ", "dim")
            client = cell(peer_words(summary.client), "dim")
            client.truncate(max(width - below.cell_len, NARROWEST), overflow="ellipsis")
            below += client
        lines += [row, below]
    return lines


def _cells(summary: Summary) -> list[Text]:
    return [
        cell(local(summary.started).strftime("%Y-%m-%d %H:%M")),
        _state(summary),
        cell(_UNKNOWN if summary.seconds is None else span(summary.seconds)),
        cell(_UNKNOWN if summary.frames is None else f"{summary.frames:,}"),
        _findings(summary.findings),
        cell(peer_words(summary.agent)),
    ]


def local(moment: datetime) -> datetime:
    """Return a moment in local time, if there is such a time."""
    try:
        return moment.astimezone()
    except OverflowError:  # a header may name the last day of the calendar
        return moment


def _state(summary: Summary) -> Text:
    words, _ = state_words(summary)
    return cell(words, "red" if summary.reason else _COLOURS.get(summary.state, ""))


def state_words(summary: Summary) -> tuple[str, str]:
    """Return whether a capture goes on, in words, and the style of `view` for it."""
    if summary.reason:
        return "not started", "failed"
    return summary.state.value, _STYLES.get(summary.state, "")


def peer_words(peer: PeerName) -> str:
    """Return a peer's name without the scope of its package, which says less than it takes."""
    scope, slash, rest = peer.name.partition("/")
    name = rest if slash and scope.startswith("@") else peer.name
    return f"{name} {peer.version}".strip() or _UNKNOWN


def _name_of(summary: Summary) -> Text:
    return Text(inert(summary.name), "bold", end="")


def _diagnosis(summary: Summary) -> Text:
    found = summary.diagnosis
    if found is None:
        return cell(_UNKNOWN)
    return cell(found.words, "red" if found.is_wrong else "green")


def _findings(counts: dict[str, int] | None) -> Text:
    """Return the findings in few characters: `3E 1W 2N`."""
    if counts is None:
        return cell(_UNKNOWN)
    cells = Text(end="")
    for severity, words in findings_words(counts):
        cells.append(" " if cells else "")
        cells.append(words, _SEVERITIES[severity])
    return cells or cell("-")


def findings_words(counts: dict[str, int] | None) -> list[tuple[str, str]]:
    """Return the findings by severity, each in few characters."""
    known = counts or {}
    return [(each, f"{known[each]}{each[0].upper()}") for each in _SEVERITIES if known.get(each)]


def _print(console: Console, line: Text) -> None:
    console.print(line, no_wrap=True, overflow="ignore", crop=False)
