"""
The diff for people: messages, findings, how the agent ended, how long things took.

Readable without color, at any width. What a peer has sent is shown, and never obeyed.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from rich.console import Console
from rich.text import Text

from acp_spy.comparison.capture_diff import KINDS, CaptureDiff
from acp_spy.comparison.changes import ADDED, CHANGED, GONE, MOVED, Change
from acp_spy.comparison.item import Item
from acp_spy.comparison.read import LoadedCapture
from acp_spy.replay.divergence import diff_lines
from acp_spy.units import counted, ended, span
from acp_spy.view.columns import NOTHING, Column, cell, lay_out
from acp_spy.view.findings.report import Mistake
from acp_spy.view.stats.model import Method
from acp_spy.wire.inert import inert

_MARKS = {ADDED: "+", GONE: "-", CHANGED: "~", MOVED: ">"}
_COLOURS = {"+": "green", "-": "red", "~": "yellow", ">": "cyan"}
_OF_LOST_SESSION = 5  # items that are shown of a session without a partner
_ENOUGH = 500  # characters of what a peer has sent: more is never seen
_INDENT = "    "
_SLOWER_SHOWN = 10


def render(diff: CaptureDiff, console: Console) -> None:
    """Print all differences."""
    parts = (
        _heads(diff),
        _summary(diff),
        *_sessions(diff),
        _findings(diff),
        _end(diff),
        _slower(diff),
        _latencies(diff, console.width),
    )
    for number, part in enumerate(filter(None, map(list, parts))):
        if number:
            console.print()
        for line in part:
            console.print(line, no_wrap=True, overflow="ellipsis")


def _heads(diff: CaptureDiff) -> Iterator[Text]:
    for mark, one in (("-", diff.one), ("+", diff.other)):
        yield Text(f"{mark} {inert(one.path)}", f"bold {_COLOURS[mark]}")
        stats = one.stats
        took = "" if stats.seconds is None else f" in {span(stats.seconds)}"
        yield Text(f"  {counted(stats.frames, 'frame')}{took}, {_ended(one)}")
        if stats.agent or stats.client:
            who = f"agent {inert(stats.agent or '?')}, client {inert(stats.client or '?')}"
            yield Text(f"  {who}")


def _ended(loaded: LoadedCapture) -> str:
    stats = loaded.stats
    if stats.running:
        return "recording still runs"
    if stats.status is None:
        return "imported" if stats.imported else "cut off"
    return ended(stats.status)


def _summary(diff: CaptureDiff) -> Iterator[Text]:
    counts = [f"{diff.count(kind)} {kind}" for kind in KINDS if diff.count(kind)]
    slower = f"; {len(diff.slower):,} slower" if diff.slower else ""
    if diff.is_equal:
        # The chunks of a text are one message here, so that the two counts differ.
        here, there = diff.one.stats.frames, diff.other.stats.frames
        frames = counted(there, "frame") if here == there else f"{here:,} → {there:,} frames"
        same = f"{counted(diff.said.same, 'message')} ({frames})"
        yield Text(f"No difference in {same}{slower}", "bold")
    else:
        same = f"{diff.said.same:,} the same"
        yield Text(f"Messages: {', '.join([*counts, same])}{slower}", "bold")


def _sessions(diff: CaptureDiff) -> Iterator[list[Text]]:
    room = max((len(_frames(change)) for change in diff.said.changes), default=0)
    for number, group in groupby(diff.said.changes, key=lambda change: change.session):
        changes = list(group)
        if number is None:
            yield [Text("Outside of sessions"), *_changes(changes, room)]
            continue
        one, other = diff.said.sessions[number - 1]
        if one is not None and other is not None:
            renamed = "" if one == other else f", now {inert(other[:_ENOUGH])}"
            head = f"Session {number}: {inert(one[:_ENOUGH])}{renamed}"
            yield [Text(head), *_changes(changes, room)]
            continue
        how = "gone" if other is None else "added"
        head = f"Session {number}, {how}: {inert((one or other or '')[:_ENOUGH])}"
        shown = list(_changes(changes[:_OF_LOST_SESSION], room))
        if len(changes) > _OF_LOST_SESSION:
            shown.append(Text(f"{_INDENT}and {len(changes) - _OF_LOST_SESSION} more", "dim"))
        yield [Text(head), *shown]


def _changes(changes: Iterable[Change], room: int) -> Iterator[Text]:
    for change in changes:
        mark, item = _MARKS[change.kind], change.item
        line = Text.assemble((f"  {mark} ", _COLOURS[mark]))
        line.append(f"{_frames(change):<{room}}  ", "dim")
        line.append(f"{item.sender.value:<6}  ")
        line.append(inert(item.what[:_ENOUGH]), "bold")
        if seconds := [each.seconds for each in (change.one, change.other) if each]:
            took = _both(*map(_span, seconds)) if len(seconds) == 2 else _span(seconds[0])
            line.append(f"  {took}" if took.strip(NOTHING) else "", "magenta")
        if item.gist and not (change.kind == CHANGED and item.label[0] == "text"):
            line.append(f"  {inert(item.gist[:_ENOUGH])}")
        yield line
        # `_meta` is the agent's own business: it comes last, as not all is shown.
        ordered = sorted(change.differences, key=lambda each: "/_meta" in each.path)
        for difference in diff_lines(ordered):
            yield Text(f"{_INDENT}  {difference}", _COLOURS.get(difference[0], "dim"))


def _frames(change: Change) -> str:
    """Return the numbers of the frames on either side."""
    here, there = _numbers(change.one), _numbers(change.other)
    return f"{here} → {there}" if here and there else here or f"→ {there}"


def _numbers(item: Item | None) -> str:
    if item is None:
        return ""
    return f"{item.seq}" if item.last == item.seq else f"{item.seq}-{item.last}"


def _findings(diff: CaptureDiff) -> Iterator[Text]:
    if diff.came or diff.went:
        yield Text("New and fixed findings")
    for mark, mistakes in (("-", diff.went), ("+", diff.came)):
        for mistake in mistakes:
            yield from _finding(mark, mistake)


def _finding(mark: str, mistake: Mistake) -> Iterator[Text]:
    found = mistake.first
    line = Text.assemble((f"  {mark} ", _COLOURS[mark]))
    line.append(f"{found.severity.value} {found.code} {found.name}", "bold")
    times = f", {mistake.count} times" if mistake.count > 1 else ""
    line.append(f"  {found.must_fix}, frame {found.seq}{times}", "dim")
    yield line
    yield Text(f"{_INDENT}  {inert(found.text[:_ENOUGH])}")


def _end(diff: CaptureDiff) -> Iterator[Text]:
    one, other = diff.one, diff.other
    if diff.ends_differ:
        yield Text("The end")
        yield Text(f"  - {_ended(one)}", _COLOURS["-"])
        yield Text(f"  + {_ended(other)}", _COLOURS["+"])
    if one.stderr_lines != other.stderr_lines:
        lines = f"{counted(one.stderr_lines, 'line')} → {counted(other.stderr_lines, 'line')}"
        yield Text(f"stderr (not counted as a difference): {lines}", "dim")


def _slower(diff: CaptureDiff) -> Iterator[Text]:
    slower = diff.slower
    if slower:
        yield Text("Slower (not counted as a difference)")
    room = max((len(f"{one.seq} → {other.seq}") for one, other in slower), default=0)
    for one, other in slower[:_SLOWER_SHOWN]:
        line = Text("  ! ", "magenta")
        line.append(f"{f'{one.seq} → {other.seq}':<{room}}  ", "dim")
        line.append(f"{_span(one.seconds)} → {_span(other.seconds)}  ", "magenta")
        line.append(inert(other.what[:_ENOUGH]), "bold")
        line.append(f"  {inert(other.gist[:_ENOUGH])}" if other.gist else "", "not bold")
        yield line
    if len(slower) > _SLOWER_SHOWN:
        yield Text(f"{_INDENT}and {len(slower) - _SLOWER_SHOWN} more", "dim")


def _latencies(diff: CaptureDiff, width: int) -> Sequence[Text]:
    latencies = [*diff.latencies, *([diff.tool_calls] if diff.tool_calls else [])]
    columns = (
        Column("sender"),
        Column("method", gives_way=True),
        Column("count"),
        Column("p50"),
        Column("max"),
        Column("", may_go=True),
    )
    rows = [
        [
            cell(latency.asker),
            cell(latency.method),
            cell(_both(*(f"{side.requests:,}" if side else "" for side in sides))),
            cell(_both(*(_span(side and side.latency.p50) for side in sides))),
            cell(_both(*(_span(side and side.latency.max) for side in sides))),
            cell("slower" if latency.is_slower else "", "magenta"),
        ]
        for latency in latencies
        for sides in [(latency.one, latency.other)]
    ]
    return lay_out(columns, rows, width) if rows else ()


def _span(seconds: float | Method | None) -> str:
    return span(seconds) if isinstance(seconds, float | int) else ""


def _both(one: str, other: str) -> str:
    return one or NOTHING if one == other else f"{one or NOTHING} → {other or NOTHING}"
