"""Statistics of a conversation, on the terminal: readable without color, at any width."""

from collections.abc import Iterable, Iterator, Sequence

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from acp_spy.units import counted, ended, size, span
from acp_spy.view.columns import NOTHING, Column, cell, lay_out
from acp_spy.view.stats.bars import course
from acp_spy.view.stats.model import Http, Method, PendingRequest, Sender, Slow, Spans, Stats
from acp_spy.view.stats.turns_text import turns_of
from acp_spy.wire.inert import inert

_ARROWS = {"client": "client →", "agent": "← agent"}
_COLOURS = {"client": "cyan", "agent": "green"}
_MARGIN = 10
_LARGEST_SHOWN = 3
_PENDING_SHOWN = 5
_NAME_SHOWN = 40  # characters


def render(path: str, state: str, stats: Stats, console: Console) -> None:
    """Print the statistics of the capture at `path`, which is running, ended or cut off."""
    parts = (
        _head(path, state, stats, console.width),
        _traffic(stats, console.width),
        _senders(stats, console.width),
        _requests("client", stats, console.width),
        _requests("agent", stats, console.width),
        _mcp_calls(stats, console.width),
        _notifications(stats.methods, console.width),
        turns_of(stats, console.width),
    )
    for number, part in enumerate(filter(None, map(list, parts))):
        if number:
            console.print()
        for line in part:
            console.print(line, no_wrap=True, overflow="ellipsis")


def _head(path: str, state: str, stats: Stats, width: int) -> Iterator[Text]:
    yield Text(inert(path), "bold")
    took = "" if stats.seconds is None else f" in {span(stats.seconds)}"
    so_far = " so far" if stats.running else ""
    yield Text(f"{counted(stats.frames, 'frame')}{took}{so_far}, {_end(state, stats)}")
    if stats.reason:
        yield Text(f"the agent could not be started: {inert(stats.reason)}", "red")
    if stats.http:
        yield Text(_http(stats.http), "yellow" if stats.http.refused or stats.http.lost else "")
    if stats.agent or stats.client:
        yield Text(f"agent {inert(stats.agent or '?')}, client {inert(stats.client or '?')}")
    if stats.slowest:
        yield from map(Text, _filled("slowest: ", list(map(_slow, stats.slowest)), width))
    # Without the end of an imported capture nobody knows what was answered after it.
    is_known = stats.running or not stats.imported or stats.status is not None
    for request in stats.pending[:_PENDING_SHOWN] if is_known else ():
        lines = _pending(request, width) if stats.running else _never_answered(request, width)
        yield from (Text(line, "yellow") for line in lines)


def _http(http: Http) -> str:
    refused = f", {http.refused} refused or unanswered" if http.refused else ""
    lost = f", {http.lost} lost" if http.lost else ""
    requests, streams = counted(http.exchanges, "HTTP request"), counted(http.streams, "stream")
    return f"{requests}{refused}; {streams}{lost}"


def _slow(slow: Slow) -> str:
    name = inert(slow.name[:_NAME_SHOWN] + ("…" if len(slow.name) > _NAME_SHOWN else ""))
    named = f"tool call `{name}`" if slow.kind == "tool call" else f"`{name}`"
    return f"{named} {span(slow.seconds)} (frame {slow.seq})"


def _pending(request: PendingRequest, width: int) -> Iterator[str]:
    receiver = "agent" if request.asker == "client" else "client"
    place = f"`{inert(request.method[:_NAME_SHOWN])}` (frame {request.seq})"
    so_far = [] if request.seconds is None else [f"{span(request.seconds)} so far"]
    why = inert(request.kept) if request.kept else f"waiting for {receiver}"
    parts = [place, *so_far, why]
    return _filled(f"pending since {request.t:.3f} s: ", parts, width)


def _never_answered(request: PendingRequest, width: int) -> Iterator[str]:
    receiver = "agent" if request.asker == "client" else "client"
    place = f"`{inert(request.method[:_NAME_SHOWN])}` (frame {request.seq})"
    waited = [] if request.seconds is None else [span(request.seconds)]
    head = inert(request.kept) if request.kept else f"never answered by {receiver}"
    return _filled(f"{head}: ", [place, *waited], width)


def _filled(head: str, parts: Sequence[str], width: int) -> Iterator[str]:
    """Give `parts` in as few lines as hold them, with `head` before the first."""
    line = head + parts[0]
    for part in parts[1:]:
        if cell_len(f"{line}, {part},") > width:
            yield f"{line},"
            line = " " * len(head) + part
        else:
            line += f", {part}"
    yield line


def _end(state: str, stats: Stats) -> str:
    end = ended(stats.status) if stats.status else state
    if not stats.imported:
        return end
    if stats.status is not None:
        return f"{end}; imported" + (": times are not known" if stats.seconds is None else "")
    if stats.seconds is None:
        return "imported: neither its times nor its end are known"
    return "imported: its end is not known"


def _traffic(stats: Stats, width: int) -> Iterator[Text]:
    traffic = stats.traffic
    if not stats.frames or stats.seconds is None:
        return
    for sender, amounts in (("client", traffic.client), ("agent", traffic.agent)):
        bars = course(amounts, width - _MARGIN)
        yield Text(f"{_ARROWS[sender]:<{_MARGIN}}", _COLOURS[sender]) + Text(bars.rstrip())
    last = span(traffic.span * len(traffic.agent))
    room = len(bars) - len("0 s") - len(last)
    if room > 0:
        yield Text(" " * _MARGIN + f"0 s{' ' * room}{last}", "dim")


def _senders(stats: Stats, width: int) -> Sequence[Text]:
    columns = (
        Column(""),
        Column("frames", right=True),
        Column("bytes", right=True),
        Column("not a message", right=True, may_go=True),
        Column("no request", right=True, may_go=True),
        Column("largest (frame)", gives_way=True, may_go=True),
    )
    rows = [
        [
            cell(_ARROWS[name], _COLOURS[name]),
            cell(f"{sender.frames:,}"),
            cell(size(sender.bytes)),
            _unless_none(sender.noise, "yellow"),
            _unless_none(sender.unmatched, "yellow"),
            cell(_largest(sender) or NOTHING),
        ]
        for name, sender in stats.senders.items()
    ]
    if stats.stderr_bytes:
        cells = ("stderr", "", size(stats.stderr_bytes), "", "", "")
        rows.append([cell(word) for word in cells])
    return lay_out(columns, rows, width)


def _largest(sender: Sender) -> str:
    return ", ".join(
        f"{size(large.bytes)} ({large.seq})" for large in sender.largest[:_LARGEST_SHOWN]
    )


def _requests(asker: str, stats: Stats, width: int) -> Sequence[Text]:
    unanswered = "pending" if stats.running else "no response"
    columns = (
        Column(f"{asker} requests", gives_way=True),
        Column("count", right=True),
        *(
            Column(heading, right=True, may_go=True)
            for heading in (
                "errors",
                unanswered,
                "p50",
                "p95",
                "p99",
                "max",
            )
        ),
    )
    rows = [
        [
            cell(method.method),
            cell(f"{method.requests:,}"),
            _unless_none(method.errors, "red"),
            _unless_none(method.unanswered, "yellow"),
            *map(cell, percentiles(method.latency)),
        ]
        for method in stats.methods
        if method.requests and method.asker == asker
    ]
    return lay_out(columns, rows, width) if rows else ()


def _mcp_calls(stats: Stats, width: int) -> Sequence[Text]:
    unanswered = "pending" if stats.running else "no response"
    headings = ("errors", unanswered, "p50", "p95", "p99", "max")
    columns = (
        Column("MCP server", gives_way=True),
        Column("call", gives_way=True),
        Column("count", right=True),
        *(Column(heading, right=True, may_go=True) for heading in headings),
    )
    rows = [
        [
            cell(each.server),
            cell(each.tool or each.method),
            cell(f"{each.requests:,}"),
            _unless_none(each.errors, "red"),
            _unless_none(each.unanswered, "yellow"),
            *map(cell, percentiles(each.latency)),
        ]
        for each in stats.mcp
    ]
    return lay_out(columns, rows, width) if rows else ()


def _notifications(methods: Iterable[Method], width: int) -> Sequence[Text]:
    columns = (
        Column("sender"),
        Column("notification", gives_way=True),
        Column("count", right=True),
    )
    rows = [
        [
            cell(method.asker, _COLOURS[method.asker]),
            cell(method.method),
            cell(f"{method.notifications:,}"),
        ]
        for method in methods
        if method.notifications
    ]
    return lay_out(columns, rows, width) if rows else ()


def percentiles(spans: Spans) -> list[str]:
    """Return p50, p95, p99 and max as words."""
    values = (spans.p50, spans.p95, spans.p99, spans.max)
    return [NOTHING if value is None else span(value) for value in values]


def _unless_none(count: int, style: str) -> Text:
    return cell(f"{count:,}", style) if count else cell(NOTHING)
