"""Which requests are pending, on whom and for how long: what blocks comes first."""

import msgspec

from acp_spy.conversation.state import Conversation, Exchange
from acp_spy.wire.inert import inert

MOST = 3  # requests that are named
_LONGEST = 100  # characters of a method: a peer may make names up


class Pending(msgspec.Struct, frozen=True):
    """A pending request, and those that cannot be answered before it is."""

    request: Exchange
    blocks: tuple[Exchange, ...] = ()

    def so_far(self, now: float) -> str:
        """Return who is waited for, and since when, while the recording runs."""
        waited = f" {max(now - self.request.t, 0):.1f} s"
        held_by = inert(self.request.held_by)
        who = f"held by {held_by}" if held_by else f"waiting for {_receiver(self.request)}"
        return f"{who}: {_method(self.request)}{waited}" + "".join(
            f"; {_receiver(one)}'s {_method(one)} waits for it" for one in self.blocks
        )

    def at_end(self, exited: float | None) -> str:
        """Return who never answered; for how long is known only if the exit was recorded."""
        waited = "" if exited is None else f" ({max(exited - self.request.t, 0):.1f} s)"
        words = f"never answered by {_receiver(self.request)}: {_method(self.request)}{waited}"
        return words + "".join(
            f"; {_receiver(one)}'s {_method(one)} waited for it" for one in self.blocks
        )


def pending_requests(state: Conversation) -> list[Pending]:
    """Return the pending requests: those that block others first, then the oldest first."""
    waits_for = state.pending.waits_for()
    blocked: dict[int, list[Exchange]] = {}
    free: list[Exchange] = []
    for exchange in state.pending.values():
        if blocker := waits_for.get(exchange.seq):
            blocked.setdefault(blocker.seq, []).append(exchange)
        else:
            free.append(exchange)
    free.sort(key=lambda exchange: (exchange.seq not in blocked, exchange.t))
    return [Pending(exchange, tuple(blocked.get(exchange.seq, ()))) for exchange in free]


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


def _receiver(exchange: Exchange) -> str:
    return exchange.sender.other.value


def _method(exchange: Exchange) -> str:
    method = exchange.name
    return f"`{inert(method if len(method) <= _LONGEST else method[:_LONGEST] + '…')}`"
