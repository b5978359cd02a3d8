"""Which session of one capture is which of the other: the same talk first, then their order."""

from collections import deque
from collections.abc import Callable, Hashable

from acp_spy.diff.item import Item, Side
from acp_spy.wire.frame import Peer

_Talk = tuple[Item, ...]


def pair_sessions(one: Side, other: Side) -> list[tuple[str, str]]:
    """Return the sessions that belong together; what is left has no partner."""
    here, there = _talks(one), _talks(other)
    pairs: list[tuple[str, str]] = []
    for print_of in (_whole, _asked, _first):
        pairs += _matched(here, there, print_of)
    # None is like another: who came first is who came first.
    pairs += zip(here, there, strict=False)
    return pairs


def _matched(
    here: dict[str, _Talk], there: dict[str, _Talk], print_of: Callable[[_Talk], Hashable]
) -> list[tuple[str, str]]:
    """Match sessions with the same print, in their order, and take them away."""
    waiting: dict[Hashable, deque[str]] = {}
    for session, talk in there.items():
        waiting.setdefault(print_of(talk), deque()).append(session)
    pairs = []
    for session, talk in list(here.items()):
        if partners := waiting.get(print_of(talk)):
            partner = partners.popleft()
            pairs.append((session, partner))
            del here[session], there[partner]
    return pairs


def _talks(side: Side) -> dict[str, _Talk]:
    talks: dict[str, list[Item]] = {session: [] for session in side.sessions}
    for item in side.items:
        if item.session is not None:
            talks[item.session].append(item)
    return {session: tuple(talk) for session, talk in talks.items()}


def _whole(talk: _Talk) -> Hashable:
    """Return all that either peer said, each in its order."""
    return tuple(tuple(item.key for item in talk if item.sender is peer) for peer in Peer)


def _asked(talk: _Talk) -> Hashable:
    """Return all that the client said."""
    return tuple(item.key for item in talk if item.sender is Peer.CLIENT)


def _first(talk: _Talk) -> Hashable:
    """Return the first prompt."""
    return next((item.key for item in talk if item.label[1:2] == ("session/prompt",)), None)
