"""Which requests are pending, on whom and for how long: what blocks comes first."""

import msgspec

from acp_spy.capture.records import REPLACED
from acp_spy.conversation.state import Conversation, Exchange, Withheld
from acp_spy.units import span
from acp_spy.wire.inert import inert

MOST = 3  # requests that are named
_LONGEST = 100  # characters of a method: a peer may make names up


class Pending(msgspec.Struct, frozen=True):
    """
    A pending request, and those that cannot be answered before it is.

    `withheld` is the frame that acp-spy keeps from its receiver, if that is why it is pending.
    """

    request: Exchange
    blocks: tuple[Exchange, ...] = ()
    withheld: Withheld | None = None
    ended_by: str = ""  # the fault that ended the conversation before it could be answered

    def so_far(self, now: float) -> str:
        """Return who is waited for, and since when, while the recording runs."""
        waited = f" {_age(now - self.request.t)}"
        who = self.kept or f"waiting for {_receiver(self.request)}: {_method(self.request)}"
        return f"{who}{waited}" + "".join(
            f"; {_receiver(one)}'s {_method(one)} waits for it" for one in self.blocks
        )

    def at_end(self, exited: float | None) -> str:
        """Return who never answered; for how long is known only if the exit was recorded."""
        waited = "" if exited is None else f" ({_age(exited - self.request.t)})"
        how = f"never answered by {_receiver(self.request)}"
        if self.ended_by:
            how = f"pending when {inert(self.ended_by)} ended the conversation"
        who = self.kept or f"{how}: {_method(self.request)}"
        return f"{who}{waited}" + "".join(
            f"; {_receiver(one)}'s {_method(one)} waited for it" for one in self.blocks
        )

    @property
    def kept(self) -> str:
        """What acp-spy did to the request or its response, as a sentence; empty if nothing."""
        if self.withheld is None:
            return ""
        what = "response to " if self.withheld.kind == "response" else ""
        return f"{inert(self.kept_by or '')}: {what}{_method(self.request)}"

    @property
    def kept_by(self) -> str | None:
        """What acp-spy did, and by what: `held by intercept`."""
        if self.withheld is None:
            return None
        action = self.withheld.action
        return f"{'changed' if action == REPLACED else action} by {self.withheld.by[:_LONGEST]}"


def pending_requests(state: Conversation) -> list[Pending]:
    """Return the pending requests: those that block others first, then the oldest first."""
    waits_for = state.waits_for()
    kept = {
        each.exchange.seq: each
        for each in state.withheld.values()
        if each.exchange is not None and each.kind != "notification"
    }
    blocked: dict[int, list[Exchange]] = {}
    free: list[Exchange] = []
    for exchange in state.waiting():
        if blocker := waits_for.get(exchange.seq):
            blocked.setdefault(blocker.seq, []).append(exchange)
        else:
            free.append(exchange)
    free.sort(key=lambda exchange: (exchange.seq not in blocked, exchange.t))
    by = state.ended_by.by[:_LONGEST] if state.ended_by else ""
    return [Pending(one, tuple(blocked.get(one.seq, ())), kept.get(one.seq), by) for one in free]


def pending_so_far(state: Conversation, now: float) -> list[str]:
    """Return a line for each of the first pending requests, and one for how many more there are."""
    pending = pending_requests(state)
    return _some([each.so_far(now) for each in pending[:MOST]], len(pending))


def pending_at_end(state: Conversation, exited: float | None) -> list[str]:
    """Return the same for requests that were never answered."""
    pending = pending_requests(state)
    return _some([each.at_end(exited) for each in pending[:MOST]], len(pending))


def _some(lines: list[str], count: int) -> list[str]:
    return [*lines, *([f"and {count - MOST} more"] if count > MOST else [])]


def _age(seconds: float) -> str:
    """Return an age of which only tenths of a second are shown: it changes while one looks."""
    return span(seconds) if seconds >= 59.95 else f"{max(seconds, 0):.1f} s"


def _receiver(exchange: Exchange) -> str:
    return exchange.sender.other.value


def _method(exchange: Exchange) -> str:
    method = exchange.name
    return f"`{inert(method if len(method) <= _LONGEST else method[:_LONGEST] + '…')}`"
