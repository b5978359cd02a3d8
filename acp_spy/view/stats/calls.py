"""Requests by method and sender: how often, and how long the responses took."""

from acp_spy.conversation.state import Exchange, Step
from acp_spy.view.stats.longest import Longest
from acp_spy.view.stats.model import Method, Slow, Spans, Tool
from acp_spy.view.stats.quantiles import Quantiles
from acp_spy.wire.frame import Peer
from acp_spy.wire.jsonrpc import Notification, Request, Response

OTHERS = "(others)"
_MOST = 500  # methods: more are somebody's who makes names up
_LONGEST = 200
SLOWEST = 3


class _Tally:
    def __init__(self) -> None:
        self.requests = self.notifications = self.answers = self.errors = 0
        self.latency = Quantiles()


class Calls:
    """Feed it the steps of a conversation."""

    def __init__(self) -> None:
        self._tallies: dict[tuple[Peer, str], _Tally] = {}
        self._slowest: Longest[Slow] = Longest(SLOWEST)
        self._tools = Quantiles()

    def add(self, step: Step) -> None:
        """Take a request, a response or a notification."""
        message, frame = step.message, step.frame
        carries = step.inner is not None or step.mcp is not None
        if isinstance(message, Notification):
            self.add_notification(frame.sender, step.name if carries else step.method)
        elif isinstance(message, Request):
            self._of(frame.sender, step.name if carries else step.method).requests += 1
        elif isinstance(message, Response) and step.exchange is not None:
            name = step.name if carries else step.exchange.method
            self.add_response(step.exchange, name, frame.t, failed=message.failed)

    def add_response(self, exchange: Exchange, name: str, t: float, *, failed: bool) -> None:
        """Take a response to `exchange`, a request for `name`."""
        tally = self._of(exchange.sender, name)
        tally.answers += 1
        tally.errors += failed
        seconds = t - exchange.t
        tally.latency.add(seconds)
        self._add_slow("request", name, exchange.seq, seconds)

    def add_tool(self, tool: Tool) -> None:
        """Take a tool call that has ended."""
        if tool.seconds is not None:
            self._tools.add(tool.seconds)
            self._add_slow("tool call", tool.title or tool.id, tool.seq, tool.seconds)

    def _add_slow(self, kind: str, name: str, seq: int, seconds: float) -> None:
        if seconds > max(self._slowest.least, 0.0):
            self._slowest.add(seconds, Slow(kind, name[:_LONGEST], seq, round(seconds, 6)))

    def slowest(self) -> tuple[Slow, ...]:
        """Return the slowest requests and tool calls, the slowest first."""
        return tuple(self._slowest.things())

    def tools(self) -> Spans:
        """Return how long the tool calls took."""
        return spans(self._tools)

    def add_notification(self, sender: Peer, method: str) -> None:
        """Take a notification."""
        tally = self._tallies.get((sender, method)) or self._of(sender, method)
        tally.notifications += 1

    def _of(self, asker: Peer, method: str) -> _Tally:
        tally = self._tallies.get((asker, method))
        if tally is None:
            name = method[:_LONGEST] if len(self._tallies) < _MOST else OTHERS
            tally = self._tallies.setdefault((asker, name), _Tally())
        return tally

    def result(self) -> tuple[Method, ...]:
        """Return the client's methods, then the agent's, each in the order of first use."""
        askers = list(Peer)
        return tuple(
            Method(
                asker.value,
                method,
                tally.requests,
                tally.notifications,
                tally.errors,
                max(0, tally.requests - tally.answers),
                spans(tally.latency),
            )
            for (asker, method), tally in sorted(
                self._tallies.items(), key=lambda item: askers.index(item[0][0])
            )
        )


def spans(quantiles: Quantiles) -> Spans:
    """Return the percentiles of many spans."""
    return Spans(
        count=quantiles.count,
        p50=rounded(quantiles.at(0.5)),
        p95=rounded(quantiles.at(0.95)),
        p99=rounded(quantiles.at(0.99)),
        max=rounded(quantiles.max) if quantiles.count else None,
        exact=quantiles.is_exact,
    )


def rounded(seconds: float | None) -> float | None:
    """Return a span to the microsecond, as finely as it was measured."""
    return None if seconds is None else round(seconds, 6)
