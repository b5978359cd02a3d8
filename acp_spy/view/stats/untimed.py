"""The statistics of a conversation whose times were never recorded: every span is unknown."""

from msgspec.structs import replace

from acp_spy.view.stats.model import Method, Spans, Stats, Tool, Turn


def without_times(stats: Stats) -> Stats:
    """Return `stats` with nothing in the place of every span: all frames came at 0, it says."""
    turns = stats.turns
    return replace(
        stats,
        seconds=None,
        methods=tuple(map(_method, stats.methods)),
        tool_calls=stats.tool_calls and _spans(stats.tool_calls),
        slowest=(),
        mcp=tuple(replace(each, latency=_spans(each.latency)) for each in stats.mcp),
        pending=tuple(replace(each, seconds=None) for each in stats.pending),
        turns=replace(
            turns,
            seconds=_spans(turns.seconds),
            first_update=_spans(turns.first_update),
            longest=tuple(map(_turn, turns.longest)),
        ),
    )


def _method(method: Method) -> Method:
    return replace(method, latency=_spans(method.latency))


def _turn(turn: Turn) -> Turn:
    return replace(
        turn,
        seconds=None,
        first_update=None,
        tools=tuple(map(_tool, turn.tools)),
        permission_wait=None,
        stalled=None,
    )


def _tool(tool: Tool) -> Tool:
    return replace(tool, seconds=None)


def _spans(spans: Spans) -> Spans:
    return replace(spans, p50=None, p95=None, p99=None, max=None)
