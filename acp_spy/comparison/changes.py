"""
What changed from one capture to the other: added, gone, changed, moved.

In each stream, what is the same is matched first, then the same in another place, then what is
of the same kind with the same details, at last what is of the same kind.
"""

from bisect import bisect_left
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from math import inf
from operator import attrgetter

import msgspec

from acp_spy.comparison.align import Pair, align, gaps
from acp_spy.comparison.item import Item, Side
from acp_spy.comparison.name_pairs import NamePairs
from acp_spy.comparison.session_pairs import pair_sessions
from acp_spy.replay.json_difference import Difference, Path, differences
from acp_spy.wire.frame import Peer
from acp_spy.wire.pointer import spell

ADDED, GONE, CHANGED, MOVED = "added", "gone", "changed", "moved"
_LEVELS = (attrgetter("key"), attrgetter("detail"), attrgetter("label"))
SLOWER_TIMES, SLOWER_BY = 2, 0.5  # what is slower takes this many times, and seconds more
_OUTSIDE: tuple[str | None, str | None] = (None, None)
_decode = msgspec.json.Decoder().decode


class Change(msgspec.Struct, frozen=True):
    """An item of one side or of both, and where the two differ. `session` counts from 1."""

    kind: str
    session: int | None
    one: Item | None
    other: Item | None
    differences: tuple[Difference, ...] = ()

    @property
    def item(self) -> Item:
        """The item, as it is now if it is still there."""
        item = self.other or self.one
        assert item is not None
        return item


class Changes(msgspec.Struct, frozen=True):
    """
    All changes in the order of the first capture, how many items are the same, the sessions.

    `slower` are the pairs of items of which the second took much longer, changed or not.
    """

    changes: tuple[Change, ...]
    same: int
    sessions: tuple[tuple[str | None, str | None], ...]
    slower: tuple[tuple[Item, Item], ...] = ()


class _Match(msgspec.Struct, frozen=True):
    one: Item
    other: Item
    session: int | None
    has_moved: bool = False
    is_alike: bool = True  # the keys are equal


def find_changes(one: Side, other: Side) -> Changes:
    """Return what changed from `one` to `other`."""
    pairs = pair_sessions(one, other)
    names = NamePairs(one.items)
    for here, there in pairs:
        names.bind((None, "session", here), (None, "session", there))
    sessions = _in_order(one, other, pairs)
    mine, others = _streams(one), _streams(other)
    lone: list[Change] = []
    matches: list[_Match] = []
    for number, pair in enumerate([_OUTSIDE, *sessions]):
        for peer in Peer:
            for is_noise in (False, True):
                old, new = (
                    # A session without a partner has no items there: not those outside of sessions.
                    [] if number and name is None else streams.get((name, peer, is_noise), [])
                    for name, streams in zip(pair, (mine, others), strict=True)
                )
                matched, left = _match(old, new, number or None)
                matches += matched
                lone += left
    places = _Places(matches)
    results = list(_changes_in(matches, names))
    found = [change for change in results if change is not None] + lone
    found.sort(key=places.of)
    slower = [
        (match.one, match.other)
        for match in sorted(matches, key=lambda match: match.one.seq)
        if is_slower(match.one.seconds, match.other.seconds)
    ]
    same = len(results) - len(found) + len(lone)
    return Changes(tuple(found), same, tuple(sessions), tuple(slower))


def is_slower(before: float | None, now: float | None) -> bool:
    """Whether something takes so much longer that nobody would call it noise."""
    if before is None or now is None:
        return False
    return now >= SLOWER_TIMES * before and now - before >= SLOWER_BY


class _Places:
    """Where a change is reported: in the order of the first capture, new items before the next."""

    def __init__(self, matches: list[_Match]) -> None:
        self._places: dict[int | None, list[tuple[int, int]]] = {}
        for match in matches:
            if not match.has_moved:
                pair = (match.other.seq, match.one.seq)
                self._places.setdefault(match.session, []).append(pair)
        for known in self._places.values():
            known.sort()

    def of(self, change: Change) -> tuple[int, float, int, int]:
        """Return what to sort a change by: its session, and its place there."""
        if change.one is not None:
            return change.session or 0, change.one.seq, 1, 0
        known, seq = self._places.get(change.session, []), change.item.seq
        at = bisect_left(known, (seq, 0))
        return change.session or 0, known[at][1] if at < len(known) else inf, 0, seq


def _in_order(
    one: Side, other: Side, pairs: Iterable[tuple[str, str]]
) -> list[tuple[str | None, str | None]]:
    """Return all sessions with their partners: those of the first capture, then new ones."""
    partners = dict(pairs)
    taken = set(partners.values())
    ordered: list[tuple[str | None, str | None]] = [
        (session, partners.get(session)) for session in one.sessions
    ]
    return ordered + [(None, session) for session in other.sessions if session not in taken]


_Stream = tuple[str | None, Peer, bool]


def _streams(side: Side) -> dict[_Stream, list[Item]]:
    streams: dict[_Stream, list[Item]] = {}
    for item in side.items:
        streams.setdefault((item.session, item.sender, item.is_noise), []).append(item)
    return streams


def _match(
    old: list[Item], new: list[Item], session: int | None
) -> tuple[list[_Match], list[Change]]:
    """Return the items of a stream that belong together, and the changes that have no partner."""
    pairs: list[Pair] = []
    moved: list[Pair] = []
    for level in _LEVELS:
        loose_old, loose_new = {a for a, _ in moved}, {b for _, b in moved}
        for mine, others in list(gaps(pairs, len(old), len(new))):
            left = [at for at in mine if at not in loose_old]
            right = [at for at in others if at not in loose_new]
            found = align([level(old[at]) for at in left], [level(new[at]) for at in right])
            pairs += [(left[a], right[b]) for a, b in found]
        pairs.sort()
        if level is _LEVELS[0]:
            moved = _moved(old, new, pairs)
    matches = [_Match(old[a], new[b], session, is_alike=old[a].key == new[b].key) for a, b in pairs]
    matches += [_Match(old[a], new[b], session, has_moved=True) for a, b in moved]
    gone = set(range(len(old))) - {a for a, _ in pairs} - {a for a, _ in moved}
    added = set(range(len(new))) - {b for _, b in pairs} - {b for _, b in moved}
    lone = [Change(GONE, session, old[at], None) for at in sorted(gone)]
    lone += [Change(ADDED, session, None, new[at]) for at in sorted(added)]
    return matches, lone


def _moved(old: list[Item], new: list[Item], pairs: list[Pair]) -> list[Pair]:
    """Return what is left on both sides and the same, but in another place."""
    taken_old, taken_new = {a for a, _ in pairs}, {b for _, b in pairs}
    places: defaultdict[int, deque[int]] = defaultdict(deque)
    for at, item in enumerate(new):
        if at not in taken_new:
            places[item.key].append(at)
    return [
        (at, places[item.key].popleft())
        for at, item in enumerate(old)
        if at not in taken_old and places[item.key]
    ]


def _changes_in(matches: list[_Match], names: NamePairs) -> Iterator[Change | None]:
    """Give what changed in each match, if anything; names are paired first, the surest first."""
    matches.sort(key=lambda match: (not match.is_alike, match.has_moved, match.one.seq))
    for match in matches:
        values = None
        if not match.is_alike:
            values = _decode(match.one.content), _decode(match.other.content)
        names.learn(match.one, match.other, values)
    for match in matches:
        one, other = match.one, match.other
        found = _differences_in(one, other, names)
        if match.has_moved:
            yield Change(MOVED, match.session, one, other, found)
        elif found:
            yield Change(CHANGED, match.session, one, other, found)
        else:
            yield None


def _differences_in(one: Item, other: Item, names: NamePairs) -> tuple[Difference, ...]:
    here, there = names.shown(one, here=True), names.shown(other, here=False)
    if here == there:
        return ()
    redacted = {*one.redacted, *other.redacted}

    def skip(path: Path) -> bool:
        return bool(redacted) and spell(*path) in redacted

    return tuple(differences(_decode(here), _decode(there), skip))
