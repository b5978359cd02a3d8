"""What was asked by which method, by whom, how often, and how long the answers took."""

from acp_spy.conversation.state import Step
from acp_spy.view.stats.model import Method, Spans
from acp_spy.view.stats.quantiles import Quantiles
from acp_spy.wire.frame import Peer
from acp_spy.wire.jsonrpc import Notification, Request, Response

OTHERS = "(others)"
_MOST = 500  # methods: more are somebody's who makes names up
_LONGEST = 200


class _Tally:
    def __init__(self) -> None:
        self.requests = self.notifications = self.answers = self.errors = 0
        self.latency = Quantiles()


class Calls:
    """Feed it the steps of a conversation."""

    def __init__(self) -> None:
        self._tallies: dict[tuple[Peer, str], _Tally] = {}

    def add(self, step: Step) -> None:
        """Take what `step` asks, tells or answers."""
        message, frame = step.message, step.frame
        if isinstance(message, Notification):
            self.add_notification(frame.sender, message.method)
        elif isinstance(message, Request):
            self._of(frame.sender, message.method).requests += 1
        elif isinstance(message, Response) and step.exchange is not None:
            tally = self._of(step.exchange.sender, step.exchange.method)
            tally.answers += 1
            tally.errors += message.failed
            tally.latency.add(frame.t - step.exchange.t)

    def add_notification(self, sender: Peer, method: str) -> None:
        """Take a notification."""
        self._of(sender, method).notifications += 1

    def _of(self, asker: Peer, method: str) -> _Tally:
        tally = self._tallies.get((asker, method))
        if tally is None:
            name = method[:_LONGEST] if len(self._tallies) < _MOST else OTHERS
            tally = self._tallies.setdefault((asker, name), _Tally())
        return tally

    def result(self) -> tuple[Method, ...]:
        """Return the figures: the client's methods, then the agent's, as they first came."""
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
    """Return what is told of many spans."""
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
