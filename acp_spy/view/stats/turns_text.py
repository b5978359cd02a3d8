"""The turns of a conversation on the terminal: a row each, its tool calls and stalls below."""

from collections.abc import Iterator, Sequence

from rich.text import Text

from acp_spy.view.columns import NOTHING, Column, cell, lay_out
from acp_spy.view.stats.bars import within
from acp_spy.view.stats.model import Spans, Stats, Tool, Turn, Turns
from acp_spy.view.units import counted, span
from acp_spy.wire.inert import inert

MOST_TURNS = 20
MOST_TOOLS = 10
_BAR = 20
_SHORT, _SHORTER = 40, 8
_OUTCOMES = {"error": "red", "open": "yellow"}
_COLUMNS = (
    Column("turn", right=True),
    *(Column(heading, right=True) for heading in ("time", "first")),
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
    yield from map(Text, _sums(turns))
    longest = sorted(turns.longest, key=lambda turn: _length(turn, stats), reverse=True)
    shown = sorted(longest[:MOST_TURNS], key=lambda turn: turn.seq)
    several_sessions = len({turn.session for turn in turns.longest}) > 1
    rows = [
        [*_cells(turn), cell(turn.session[:_SHORTER] if several_sessions else NOTHING, "dim")]
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


def _sums(turns: Turns) -> Iterator[str]:
    bad = [
        f"{turns.errors:,} ended in an error" if turns.errors else "",
        f"{turns.open:,} open at the end" if turns.open else "",
    ]
    yield ", ".join(filter(None, [counted(turns.count, "turn"), *bad]))
    if turns.count > 1:
        medians = {"time": _some(turns.seconds), "first update": _some(turns.first_update)}
        yield "; ".join(f"{what} {some}" for what, some in medians.items() if some)


def _some(spans: Spans) -> str:
    if spans.p50 is None or spans.max is None:
        return ""
    return f"p50 {span(spans.p50)}, max {span(spans.max)}"


def _cells(turn: Turn) -> list[Text]:
    return [
        cell(str(turn.seq)),
        cell(_span(turn.seconds)),
        cell(_span(turn.first_update)),
        cell(f"{turn.chunks:,}" if turn.chunks else NOTHING),
        cell(NOTHING if turn.chunk_rate is None else _rate(turn.chunk_rate)),
        cell(f"{turn.tool_calls:,}" if turn.tool_calls else NOTHING),
        cell(_span(turn.permission_wait) if turn.permissions else NOTHING),
        cell(_span(turn.stalled) if turn.stalls else NOTHING, "yellow"),
        _end(turn),
    ]


def _end(turn: Turn) -> Text:
    outcome = turn.stop_reason or ("?" if turn.outcome == "ended" else turn.outcome)
    # Its client wanted it to be cancelled, and the agent says something else.
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
