"""Which session of one capture is which of the other: by what was said, then by their order."""

from collections import deque
from collections.abc import Callable, Hashable

from acp_spy.comparison.item import Item, Side
from acp_spy.wire.frame import Peer

_Items = tuple[Item, ...]


def pair_sessions(one: Side, other: Side) -> list[tuple[str, str]]:
    """Return the sessions that belong together; what is left has no partner."""
    here, there = _items_by_session(one), _items_by_session(other)
    pairs: list[tuple[str, str]] = []
    for fingerprint in (_whole, _asked, _first):
        pairs += _matched(here, there, fingerprint)
    # Nothing else is alike: the rest is paired in order.
    pairs += zip(here, there, strict=False)
    return pairs


def _matched(
    here: dict[str, _Items], there: dict[str, _Items], fingerprint: Callable[[_Items], Hashable]
) -> list[tuple[str, str]]:
    """Match sessions with the same fingerprint, in their order, and take them away."""
    waiting: dict[Hashable, deque[str]] = {}
    for session, items in there.items():
        waiting.setdefault(fingerprint(items), deque()).append(session)
    pairs = []
    for session, items in list(here.items()):
        if partners := waiting.get(fingerprint(items)):
            partner = partners.popleft()
            pairs.append((session, partner))
            del here[session], there[partner]
    return pairs


def _items_by_session(side: Side) -> dict[str, _Items]:
    items_of: dict[str, list[Item]] = {session: [] for session in side.sessions}
    for item in side.items:
        if item.session is not None:
            items_of[item.session].append(item)
    return {session: tuple(items) for session, items in items_of.items()}


def _whole(items: _Items) -> Hashable:
    """Return all that either peer said, each in its order."""
    return tuple(tuple(item.key for item in items if item.sender is peer) for peer in Peer)


def _asked(items: _Items) -> Hashable:
    """Return all that the client said."""
    return tuple(item.key for item in items if item.sender is Peer.CLIENT)


def _first(items: _Items) -> Hashable:
    """Return the first prompt."""
    return next((item.key for item in items if item.label[1:2] == ("session/prompt",)), None)
