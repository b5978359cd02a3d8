"""Which recorded line a live one is: found by kind, method and session, among those still open."""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from difflib import get_close_matches
from itertools import chain, islice, takewhile
from typing import Any

import msgspec

from acp_spy.protocol.spelling import LONGEST_NAME
from acp_spy.replay.bindings import Bindings
from acp_spy.replay.divergence import ALREADY_USED, NEVER_RECORDED, TOO_EARLY
from acp_spy.replay.json_difference import Path, differences
from acp_spy.replay.lanes import Lanes
from acp_spy.replay.line import ANSWERS, CALLS, END, NOTIFICATION, UNREADABLE, Line, clip
from acp_spy.replay.matchers import translated
from acp_spy.replay.peer_names import kind_of
from acp_spy.replay.schedule import Schedule
from acp_spy.replay.script import Expect, Script
from acp_spy.wire.frame import Peer

# How many that fit are looked at for the one that fits best. Notifications stream by in order.
_MOST_COMPARED, _MOST_NOTIFICATIONS = 32, 4


class Miss(msgspec.Struct, frozen=True):
    """No recorded line is this one: why not, and the one that is most like it."""

    kind: str
    nearest: Expect | None = None
    detail: str = ""


Key = tuple[str, ...]
Open = OrderedDict[int, Expect]  # by place


class Expectations:
    """
    What the live peer has yet to send, and what of it a line may be.

    The first of what is open is asked for with every line. An `OrderedDict` has it at hand; in
    a plain one, the places of all that was taken out before it are passed over each time.
    """

    def __init__(
        self, script: Script, schedule: Schedule, requires_order: Callable[[Expect], bool]
    ) -> None:
        self._schedule = schedule
        self._by_variant = script.role is Peer.CLIENT
        expects = [part for part in script.parts if isinstance(part, Expect)]
        self.open = OrderedDict((expect.place, expect) for expect in expects)
        self.needed = OrderedDict((each.place, each) for each in expects if each.needed)
        self._in_order = OrderedDict((each.place, each) for each in filter(requires_order, expects))
        # Of the open ones: what is of a kind, the same in one session, and all of one lane.
        self._alike: dict[Key, Open] = {}
        self._in_session: dict[tuple[Key, str | None], Open] = {}
        self._in_lanes: dict[Lanes, Open] = {}
        self._used: dict[Key, list[Expect]] = {}
        self._translated: dict[int, tuple[int, Line]] = {}  # open ones, in live names
        self._answers: dict[int, Expect] = {}
        for expect in expects:
            for index, key in self._indexed(expect):
                index.setdefault(key, OrderedDict())[expect.place] = expect
            if expect.answers is not None:
                self._answers[expect.answers] = expect
            if script.role is Peer.CLIENT and expect.line.kind == UNREADABLE:
                schedule.do_not_await(expect.place)  # nothing depends on an agent's noise

    @property
    def is_at_the_end(self) -> bool:
        """Whether nothing is open but the end of the stream."""
        first = next(iter(self.open.values()), None)
        return first is None or first.line.kind == END

    def settle(self, expect: Expect, now: float) -> None:
        """Close an expectation: its line has come, or is not waited for any more."""
        if self.open.pop(expect.place, None):
            self._translated.pop(expect.place, None)
            self.needed.pop(expect.place, None)
            self._in_order.pop(expect.place, None)
            for index, key in self._indexed(expect):
                del index[key][expect.place]
            self._used.setdefault(self._key(expect.line), []).append(expect)
        self._schedule.mark_done(expect.place, now)

    def awaited(self) -> tuple[Expect, ...]:
        """Return what may come next; what the played side needs, as far as it needs anything."""
        may_come = [expect for expect in self.open.values() if self._schedule.may_come(expect)]
        return tuple([each for each in may_come if each.needed] or may_come)

    def is_in_order(self, expect: Expect) -> bool:
        """Whether nothing was to come before it; without `--strict` that is all the same."""
        return expect.place not in self._in_order or expect.place == next(iter(self._in_order))

    def settle_turn(self, expect: Expect, now: float) -> list[Expect]:
        """
        Settle and return what is open of the turn that `expect`, which has come, has ended.

        A turn ends with an answer, or with a notification that something waits for.
        """
        line = expect.line
        if line.kind not in ANSWERS and not (expect.needed and line.kind == NOTIFICATION):
            return []
        since = expect.answers if expect.answers is not None else -1
        opened = self._in_lanes[expect.lanes].values()
        before = takewhile(lambda each: each.place < expect.place, opened)
        passed = [each for each in before if each.place > since and each.line.kind not in ANSWERS]
        for each in passed:
            self.settle(each, now)
        return passed

    def answer_to(self, place: int) -> Expect | None:
        """Return the answer to what was sent in this place, if it is still open."""
        expect = self._answers.get(place)
        return expect if expect is not None and expect.place in self.open else None

    def find(self, live: Line, bindings: Bindings) -> Expect | None:
        """Return what was recorded for a live line; of several, the one that is most like it."""
        mine = self._of_session(live, bindings)
        most = _MOST_COMPARED if live.kind != NOTIFICATION else _MOST_NOTIFICATIONS
        possible = self._possible(mine, most)
        return self._most_like(live, possible, bindings) if possible else None

    def _of_session(self, live: Line, bindings: Bindings) -> Iterable[Expect]:
        """Return what is open of the kind of a live line, in its session or one that it may be."""
        key, session = self._key(live), bindings.recorded_session(live.session)
        if session is not None or live.session is None:
            return self._in_session.get((key, session), {}).values()
        opened: Iterable[Expect] = self._alike.get(key, {}).values()
        return (each for each in opened if bindings.agree(each.line.session, live.session))

    def _possible(self, alike: Iterable[Expect], most: int) -> list[Expect]:
        """Return those that may come by now; in a session they are before those that may not."""
        found: list[Expect] = []
        hopeless = 0
        for each in alike:
            if self.is_in_order(each) and self._schedule.may_come(each):
                found.append(each)
                hopeless = 0
            else:
                hopeless += 1
            if len(found) >= most or hopeless > _MOST_COMPARED:
                break
        return found

    def why_not(self, live: Line, bindings: Bindings) -> Miss:
        """Say why nothing was found for a live line, and which recorded one comes nearest."""
        key = self._key(live)
        opened: Iterable[Expect] = self._alike.get(key, {}).values()
        used = self._used.get(key, [])
        again = (e for e in reversed(used) if bindings.agree(e.line.session, live.session))
        for kind, mine in (TOO_EARLY, self._of_session(live, bindings)), (ALREADY_USED, again):
            if nearest := list(islice(mine, _MOST_COMPARED)):
                return Miss(kind, self._most_like(live, nearest, bindings))
        of_another = next(chain(opened, used), None)
        if of_another is None:
            return Miss(NEVER_RECORDED, self._near(live))
        session = f"for session `{clip(live.session, 40)}`" if live.session else "without a session"
        return Miss(NEVER_RECORDED, of_another, f" {session}")

    def _most_like(self, live: Line, candidates: list[Expect], bindings: Bindings) -> Expect:
        """Return the first that says the same, else the same but for names, else the first."""
        if len(candidates) > 1 and live.kind != UNREADABLE:
            for skip in _nothing, _is_name:
                for each in candidates:
                    recorded = self.in_live_names(each, bindings)
                    if recorded.raw == live.raw:
                        return each
                    if next(differences(recorded.body, live.body, skip), None) is None:
                        return each
        return candidates[0]

    def in_live_names(self, expect: Expect, bindings: Bindings) -> Line:
        """Return the recorded line of an open one as the live peer would send it, and keep it."""
        version, line = self._translated.get(expect.place, (-1, expect.line))
        if version != bindings.version:
            line = translated(expect.line, bindings)
            self._translated[expect.place] = bindings.version, line
        return line

    def _indexed(self, expect: Expect) -> Iterator[tuple[dict[Any, Open], Any]]:
        """Give where an open line can be found: by what, and by which key."""
        key = self._key(expect.line)
        yield self._alike, key
        yield self._in_session, (key, expect.line.session)
        yield self._in_lanes, expect.lanes

    def _key(self, line: Line) -> Key:
        if line.kind in ANSWERS:
            return ("answer", "" if line.asked is None else "asked")
        if line.kind in CALLS:
            variant = _variant(line) if self._by_variant and line.kind == NOTIFICATION else ""
            return (line.kind, line.method, variant)
        return (line.kind,)

    def _near(self, live: Line) -> Expect | None:
        """Return an open line with nearly the same method: a typing error."""
        if live.kind not in CALLS or len(live.method) > LONGEST_NAME:
            return None
        methods = {
            each.line.method: each
            for each in reversed(self.open.values())
            if 0 < len(each.line.method) <= LONGEST_NAME
        }
        near = get_close_matches(live.method, methods, n=1, cutoff=0.8)
        return methods[near[0]] if near else None


def _variant(line: Line) -> str:
    """Return which of the updates this is, in whatever dialect."""
    event = line.event
    for attribute in ("role", "name", "is_new", "state"):
        if (value := getattr(event, attribute, None)) is not None:
            return f"{type(event).__name__} {value}"
    return type(event).__name__


def _nothing(_path: Path) -> bool:
    return False


def _is_name(path: Path) -> bool:
    """Whether the value at this place may differ in every conversation."""
    key = path[-1] if path else ""
    return isinstance(key, str) and (key == "cwd" or bool(kind_of(key)))
