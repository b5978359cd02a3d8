"""The turns of a conversation on the terminal: a row each, with tool calls and stalls below."""

from collections.abc import Iterator, Sequence

from rich.text import Text

from acp_spy.units import counted, span
from acp_spy.view.columns import NOTHING, Column, cell, lay_out
from acp_spy.view.stats.bars import within
from acp_spy.view.stats.model import Spans, Stats, Tool, Turn, Turns
from acp_spy.wire.inert import inert

MOST_TURNS = 20
MOST_TOOLS = 10
_BAR = 20
_SHORT, _SHORTER = 40, 8
_OUTCOMES = {"error": "red", "open": "yellow"}
_COLUMNS = (
    *(Column(heading, right=True) for heading in ("turn", "frame", "time", "first")),
    *(
        Column(heading, right=True, may_go=True)
        for heading in ("chunks", "per s", "tools", "permission", "stalled")
    ),
    Column("end", gives_way=True),
    Column("session", may_go=True),
)


def turns_of(stats: Stats, width: int) -> Iterator[Text]:
    """Give the lines: a sum, then each turn, or the longest if they are many."""
    turns = stats.turns
    if not turns.count:
        return
    yield from map(Text, _sums(turns, running=stats.running))
    longest = sorted(turns.longest, key=lambda turn: _length(turn, stats), reverse=True)
    shown = sorted(longest[:MOST_TURNS], key=lambda turn: turn.seq)
    several_sessions = len({turn.session for turn in turns.longest}) > 1
    rows = [
        [
            *_cells(turn, stats),
            cell(turn.session[:_SHORTER] if several_sessions else NOTHING, "dim"),
        ]
        for turn in shown
    ]
    heading, *lines = lay_out(_COLUMNS, rows, width)
    yield heading
    for line, turn in zip(lines, shown, strict=True):
        yield line
        yield from _tools(turn, _length(turn, stats), width)
        yield from _stalls(turn)
    if turns.count > len(shown):
        yield Text(f"(the {len(shown)} longest of {counted(turns.count, 'turn')})", "dim")


def _sums(turns: Turns, *, running: bool) -> Iterator[str]:
    open_ = "pending" if running else "without an end"
    bad = [
        f"{turns.errors:,} ended with an error" if turns.errors else "",
        f"{turns.open:,} {open_}" if turns.open else "",
    ]
    yield ", ".join(filter(None, [counted(turns.count, "turn"), *bad]))
    if turns.count > 1:
        medians = {"time": _some(turns.seconds), "first update": _some(turns.first_update)}
        yield "; ".join(f"{what} {some}" for what, some in medians.items() if some)


def _some(spans: Spans) -> str:
    if spans.p50 is None or spans.max is None:
        return ""
    return f"p50 {span(spans.p50)}, max {span(spans.max)}"


def _cells(turn: Turn, stats: Stats) -> list[Text]:
    is_pending = stats.running and turn.outcome == "open"
    time = f"{span(_length(turn, stats))} so far" if is_pending else _span(turn.seconds)
    return [
        cell(str(turn.number)),
        cell(str(turn.seq)),
        cell(time),
        cell(_span(turn.first_update)),
        cell(f"{turn.chunks:,}" if turn.chunks else NOTHING),
        cell(NOTHING if turn.chunk_rate is None else _rate(turn.chunk_rate)),
        cell(f"{turn.tool_calls:,}" if turn.tool_calls else NOTHING),
        cell(_permission(turn, running=stats.running)),
        cell(_span(turn.stalled) if turn.stalls else NOTHING, "yellow"),
        _end(turn, stats),
    ]


def _permission(turn: Turn, *, running: bool) -> str:
    """Return the wait for permission; a request that is pending has no time of its own yet."""
    if not turn.permissions:
        return NOTHING
    waited = _span(turn.permission_wait)
    if not turn.permissions_pending:
        return waited
    if running:
        return f"{waited} so far"
    return f"{waited}, no response" if turn.permission_wait else "no response"


def _end(turn: Turn, stats: Stats) -> Text:
    open_ = "pending" if stats.running else "no end"
    outcomes = {"ended": "?", "open": open_}
    outcome = turn.stop_reason or outcomes.get(turn.outcome, turn.outcome)
    # The client cancelled it, and the agent gave another reason.
    aside = ", cancelled" if turn.cancelled and turn.stop_reason != "cancelled" else ""
    return cell(outcome[:_SHORT] + aside, _OUTCOMES.get(turn.outcome, ""))


def _tools(turn: Turn, whole: float, width: int) -> Iterator[Text]:
    longest = sorted(turn.tools, key=lambda tool: (tool.seconds is not None, -(tool.seconds or 0)))
    shown = sorted(longest[:MOST_TOOLS], key=lambda tool: tool.seq)
    if not shown:
        return
    columns = (
        Column("turn", right=True),
        Column("time", right=True),
        Column(""),
        Column(""),
        Column("", gives_way=True),
    )
    rows = [_tool_cells(tool, turn, whole) for tool in shown]
    for line in lay_out(columns, rows, width - 4)[1:]:
        yield Text("    ") + line
    if turn.tool_calls > len(shown):
        yield Text(
            f"    (the {len(shown)} longest of {counted(turn.tool_calls, 'tool call')})", "dim"
        )


def _tool_cells(tool: Tool, turn: Turn, whole: float) -> Sequence[Text]:
    start = tool.t - turn.t
    end = whole if tool.seconds is None else start + tool.seconds
    return [
        cell(str(tool.seq), "dim"),
        cell(_span(tool.seconds)),
        cell(within(start, end, whole, _BAR), "dim"),
        cell(tool.status[:_SHORT], "red" if tool.status == "failed" else ""),
        cell(tool.title or tool.id),
    ]


def _stalls(turn: Turn) -> Iterator[Text]:
    titles = {tool.id: tool.title or tool.id for tool in turn.tools}
    for stall in turn.longest_stalls:
        until = "to the end" if stall.seq is None else f"until frame {stall.seq}"
        tool = f", while `{inert(titles.get(stall.tool, stall.tool)[:_SHORT])}` ran"
        said = f"    silent for {span(stall.seconds)} from {span(stall.t)}, {until}"
        yield Text(said + (tool if stall.tool else ""), "yellow")


def _length(turn: Turn, stats: Stats) -> float:
    return (stats.seconds or 0.0) - turn.t if turn.seconds is None else turn.seconds


def _span(seconds: float | None) -> str:
    return NOTHING if seconds is None else span(seconds)


def _rate(rate: float) -> str:
    return f"{rate:.1f}" if rate < 9.95 else f"{rate:,.0f}"
