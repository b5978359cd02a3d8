"""
What was heard and said in the live conversation, and what waits for its time to be said.

A recorded line is put into the words of the live conversation here: an answer gets the id of the
live request, names and folders become those that the live peer knows.
"""

from heapq import heappop, heappush
from itertools import chain

import msgspec

from acp_spy.conversation.state import Step
from acp_spy.conversation.tracker import Tracker
from acp_spy.protocol.events import PermissionAnswered
from acp_spy.replay.bindings import Bindings
from acp_spy.replay.divergence import Divergence, error_answer
from acp_spy.replay.lanes import EVERYWHERE, Lanes, touch
from acp_spy.replay.line import ANSWERS, REQUEST, Line, read_line
from acp_spy.replay.permission import live_option
from acp_spy.replay.script import CLOSE, WIRE, Expect, Send
from acp_spy.wire.frame import Frame, Peer
from acp_spy.wire.pointer import span

_AT_ONCE = -1  # before whatever of the script is due at the same time


class Said(msgspec.Struct, frozen=True):
    """Bytes for a stream of the live peer: `wire` or `stderr`; or the end of the wire, `close`."""

    stream: str
    data: bytes = b""


class Speaker:
    """The voice of the played side, with the names that the live peer knows."""

    def __init__(self, role: Peer, bindings: Bindings) -> None:
        self.bindings = bindings
        self._role = role
        self._tracker = Tracker()
        self._heard: Step | None = None
        self._seq = self._count = 0
        self._places: dict[int, int] = {}  # in the script, of what was sent; by live number
        self._asked: dict[
            int, tuple[Lanes, Line]
        ] = {}  # live requests that wait for their answer, by place
        self._queue: list[tuple[float, int, int, Said]] = []

    @property
    def next_at(self) -> float | None:
        """When the next thing is to be said."""
        return self._queue[0][0] if self._queue else None

    def hear(self, raw: bytes, now: float) -> tuple[Line, bool]:
        """
        Return what a live line says, and whether its id belongs to an open request already.

        Nothing is changed by it: what is said before `take_in` may change what the line says.
        """
        self._heard = self._tracker.look_closely(Frame(self._seq + 1, now, self._role.other, raw))
        line = read_line(self._heard)
        pending = (self._role.other, line.id) in self._tracker.state.pending
        return line, pending and line.kind == REQUEST

    def take_in(self) -> None:
        """Take the line that was heard last into the live conversation."""
        assert self._heard is not None
        self._seq = self._heard.frame.seq
        self._tracker.advance(self._heard)

    def place_of(self, asked: int | None) -> int | None:
        """Return the place in the script of the request that a live answer belongs to."""
        return self._places.get(asked) if asked is not None else None

    def has_given_work(self, session: str | None) -> bool:
        """Whether the live peer owes us something in a session: an answer, or the end of a turn."""
        state = self._tracker.state
        if session is None:
            return False
        known = state.sessions.get(session)
        turns = [turn.exchange for turn in known.turns] if known else []
        everything = chain(turns, state.pending.values())  # a turn is what it is most of the time
        owed = (each for each in everything if each.sender is self._role)
        return any(each.session == session for each in owed)

    def owe(self, expect: Expect, line: Line) -> None:
        """Take note of a live request, to which the answer to `expect` will be the answer."""
        self._asked[expect.place] = expect.lanes, line

    def give_back(self, lanes: Lanes = EVERYWHERE) -> list[Line]:
        """Forget and return the live requests in `lanes` that cannot be answered any more."""
        of_these = [place for place, (its, _) in self._asked.items() if touch(its, lanes)]
        return [self._asked.pop(place)[1] for place in of_these]

    def speak(self, at: float, send: Send) -> Line | None:
        """
        Say a part of the script at the time `at`.

        Return the live request that cannot be answered with it: no option offered there is of the
        kind that was chosen.
        """
        if send.stream != WIRE:
            data = b"" if send.stream == CLOSE else send.line.raw
            self._say(at, send.place, Said(send.stream, data))
            return None
        asked: Line | None = None
        if send.answers is not None:
            owed = self._asked.pop(send.answers, None)
            if owed is None:  # the live peer has not asked, or was told an error already
                return None
            asked = owed[1]
        for kind, name in send.names:
            self.bindings.mint(kind, name)
        raw = self._translate(send.line, asked)
        if raw is None:
            return asked
        self._places[self._note(raw, at)] = send.place
        self._say(at, send.place, Said(WIRE, raw))
        return None

    def refuse(self, divergence: Divergence, request: Line, now: float) -> None:
        """Answer a live request with an error that tells what was expected instead."""
        raw = error_answer(divergence, request)
        self._note(raw, now)
        self._say(now, _AT_ONCE, Said(WIRE, raw))

    def be_silent(self) -> None:
        """Forget what was to be said later."""
        self._queue.clear()

    def take(self, now: float) -> list[Said]:
        """Return what is to be said by now."""
        said: list[Said] = []
        while self._queue and self._queue[0][0] <= now:
            said.append(heappop(self._queue)[-1])
        return said

    def _translate(self, line: Line, asked: Line | None) -> bytes | None:
        if asked is not None:
            ident = asked.id
        else:
            ident = self.bindings.ids.get(line.id, b"") if line.kind in ANSWERS else b""
        raw = self.bindings.translate(line, ident)
        if asked is None or self._role is Peer.AGENT or not _is_choice(line):
            return raw
        option = live_option(line, asked)
        place = span(raw[line.begins :], "/result/outcome/optionId")
        if option is None or place is None:
            return None if option is None else raw
        start, end = place.start + line.begins, place.end + line.begins
        return raw[:start] + msgspec.json.encode(option) + raw[end:]

    def _say(self, at: float, place: int, said: Said) -> None:
        self._count += 1
        heappush(self._queue, (at, place, self._count, said))

    def _note(self, raw: bytes, now: float) -> int:
        """Take what is said into the live conversation; return its number there."""
        self._seq += 1
        step = self._tracker.look_closely(Frame(self._seq, now, self._role, raw))
        self._tracker.advance(step)
        return self._seq


def _is_choice(line: Line) -> bool:
    return isinstance(line.event, PermissionAnswered) and isinstance(line.event.option, str)
