"""
The live conversation so far, and what waits for its time to be sent.

A recorded line is translated here: an answer gets the id of the live request, names and folders
become those that the live peer knows.
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
from acp_spy.replay.line import ANSWERS, REQUEST, Line
from acp_spy.replay.matchers import choice
from acp_spy.replay.script import CLOSE, WIRE, Expect, Send
from acp_spy.wire.frame import Frame, Peer
from acp_spy.wire.pointer import span
from acp_spy.wire.values import fields, items

_AT_ONCE = -1  # before whatever of the script is due at the same time


class Said(msgspec.Struct, frozen=True):
    """Bytes for a stream of the live peer: `wire` or `stderr`; or the end of the wire, `close`."""

    stream: str
    data: bytes = b""


class LiveConversation:
    """What both sides have sent, and the queue of the played side, which is `role`."""

    def __init__(self, role: Peer, bindings: Bindings) -> None:
        self.bindings = bindings
        self._role = role
        self._tracker = Tracker()
        self._seq = self._count = 0
        self._places: dict[int, int] = {}  # in the script, of what was sent; by live number
        self._asked: dict[
            int, tuple[Lanes, Line]
        ] = {}  # live requests that wait for their answer, by place
        self._queue: list[tuple[float, int, int, Said]] = []

    @property
    def next_at(self) -> float | None:
        """When the next thing is to be sent."""
        return self._queue[0][0] if self._queue else None

    def peek(self, raw: bytes, now: float) -> Step:
        """Return what a live line says as things are; what is sent before it may change that."""
        return self._tracker.look_closely(Frame(self._seq + 1, now, self._role.other, raw))

    def is_pending(self, line: Line) -> bool:
        """Whether a live line is a request with the id of one that is still open."""
        pending = (self._role.other, line.id) in self._tracker.state.pending
        return pending and line.kind == REQUEST

    def advance(self, step: Step) -> None:
        """Add a live line to the conversation."""
        self._seq = step.frame.seq
        self._tracker.advance(step)

    def place_of(self, asked: int | None) -> int | None:
        """Return the place in the script of the request that a live answer belongs to."""
        return self._places.get(asked) if asked is not None else None

    def has_pending_work(self, session: str | None) -> bool:
        """Whether an answer or the end of a turn of the live peer is pending in a session."""
        state = self._tracker.state
        if session is None:
            return False
        known = state.sessions.get(session)
        turns = [turn.exchange for turn in known.turns] if known else []
        everything = chain(turns, state.pending.values())  # a turn is what it is most of the time
        return any(each.sender is self._role and each.session == session for each in everything)

    def note_request(self, expect: Expect, line: Line) -> None:
        """Keep a live request until the recorded answer to `expect` is sent."""
        self._asked[expect.place] = expect.lanes, line

    def drop_requests(self, lanes: Lanes = EVERYWHERE) -> list[Line]:
        """Forget and return the live requests in `lanes` that cannot be answered any more."""
        of_these = [place for place, (its, _) in self._asked.items() if touch(its, lanes)]
        return [self._asked.pop(place)[1] for place in of_these]

    def send(self, at: float, send: Send) -> Line | None:
        """
        Send a part of the script at the time `at`.

        Return the live request that cannot be answered with it: no option offered there is of the
        kind that was chosen.
        """
        if send.stream != WIRE:
            data = b"" if send.stream == CLOSE else send.line.raw
            self._enqueue(at, send.place, Said(send.stream, data))
            return None
        asked: Line | None = None
        if send.answers is not None:
            pending = self._asked.pop(send.answers, None)
            if pending is None:  # the live peer has not asked, or has got an error already
                return None
            asked = pending[1]
        for kind, name in send.names:
            self.bindings.mint(kind, name)
        raw = self._translate(send.line, asked)
        if raw is None:
            return asked
        self._places[self._add(raw, at)] = send.place
        self._enqueue(at, send.place, Said(WIRE, raw))
        return None

    def send_error(self, divergence: Divergence, request: Line, now: float) -> None:
        """Answer a live request with an error that says what was expected instead."""
        raw = error_answer(divergence, request)
        self._add(raw, now)
        self._enqueue(now, _AT_ONCE, Said(WIRE, raw))

    def clear_queue(self) -> None:
        """Forget what was to be sent later."""
        self._queue.clear()

    def take(self, now: float) -> list[Said]:
        """Return what is to be written by now."""
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
        option = _live_option(line, asked)
        place = span(raw[line.begins :], "/result/outcome/optionId")
        if option is None or place is None:
            return None if option is None else raw
        start, end = place.start + line.begins, place.end + line.begins
        return raw[:start] + msgspec.json.encode(option) + raw[end:]

    def _enqueue(self, at: float, place: int, said: Said) -> None:
        self._count += 1
        heappush(self._queue, (at, place, self._count, said))

    def _add(self, raw: bytes, now: float) -> int:
        """Add what is sent to the live conversation; return its number there."""
        self._seq += 1
        self._tracker.follow(Frame(self._seq, now, self._role, raw))
        return self._seq


def _is_choice(line: Line) -> bool:
    return isinstance(line.event, PermissionAnswered) and isinstance(line.event.option, str)


def _options_in(question: object) -> dict[str, str]:
    """Return the kind of each option that is offered, by its id."""
    offered = [fields(option) for option in items(fields(question).get("options"))]
    return {
        option["optionId"]: str(option.get("kind", ""))
        for option in offered
        if isinstance(option.get("optionId"), str)
    }


def _live_option(answer: Line, question: Line) -> str | None:
    """
    Return the id of the live option for the recorded choice; `None` if there is none.

    It is the one of the same id and kind, else the first of the same kind: ids may be mere numbers,
    and what was refused must not be allowed because the options come in another order today. Where
    the recording does not have the kind, the id has to do.
    """
    event = answer.event
    assert isinstance(event, PermissionAnswered)
    offered = _options_in(question.body)
    wanted = choice(answer)
    if event.option in offered and wanted in (offered[event.option], event.option):
        return str(event.option)
    return next((ident for ident, kind in offered.items() if kind == wanted), None)
