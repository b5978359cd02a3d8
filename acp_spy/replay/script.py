"""
One peer's part in a capture: what it sends, what it waits for, and why in this order.

The played side's frames are `Send`s, the live side's are `Expect`s, in the order of the capture.

- A `Send` of the mock agent waits for all that came before it and concerns the same session, or
  the whole connection. Those before it in other sessions are preferred to come first, too, as
  recorded, but are not needed: `schedule.py` waits for them only as long as there is hope.
- A `Send` of the mock client waits for the answers and requests of the agent that came before it.
  How many notifications a live agent sends is its own business: they are preferred, not needed.
  Its answer to a request of the agent needs that request alone, and prefers what came between.
- An `Expect` may come once what was sent before it can be sent: its gates. So frames that are
  side by side in the capture may come in any order, and a frame of the next block comes too early.
  An answer may come as soon as its request was due.
"""

import itertools
from collections.abc import Iterable

import msgspec

from acp_spy.capture.records import Capture, Closed, Exit, Stderr
from acp_spy.protocol.events import SessionAsked, StateChanged
from acp_spy.replay.lanes import EVERYWHERE, Lanes, find_lanes, read_lines
from acp_spy.replay.line import ANSWERS, END, NOTIFICATION, REQUEST, UNREADABLE, Line
from acp_spy.replay.peer_names import names_in
from acp_spy.wire.frame import Frame, Peer

WIRE, STDERR, CLOSE = "wire", "stderr", "close"
_BLANK = bytes.maketrans(b"\r\n", b"  ")  # what ends a line is blank in JSON


class Expect(msgspec.Struct, frozen=True):
    """
    A line that the live peer is to send, or the end of its stream.

    `answers` is the place of the `Send` that it answers, `gates` are those that must have been due
    before it may come. It is `needed` if what follows cannot go on without it.
    """

    place: int
    t: float
    line: Line
    lanes: Lanes
    answers: int | None = None
    gates: tuple[int, ...] = ()
    needed: bool = True
    redacted: tuple[str, ...] = ()


class Send(msgspec.Struct, frozen=True):
    """
    Bytes that the played peer sends, on `stream`; or the end of its stream.

    `answers` is the place of the `Expect` that it answers, `waits` are the places of what must have
    happened before. `names` are those that occur in it, with what they name. What `is_urgent` is
    not held back for what was before its request: somebody waits for it. What was `redacted` in
    it is sent as a placeholder.
    """

    place: int
    t: float
    line: Line
    lanes: Lanes
    stream: str = WIRE
    answers: int | None = None
    waits: tuple[int, ...] = ()
    names: tuple[tuple[str, str], ...] = ()
    is_urgent: bool = False
    redacted: tuple[str, ...] = ()


Part = Expect | Send
Recent = dict[str | None, list[int]]  # places, by the session that they concern; `None` is for all


class Script(msgspec.Struct, frozen=True):
    """
    The part that `role` played in a capture, ready to be given to a `Player`.

    `status` is how the recorded agent exited; `None` if the capture was cut off before. `cwd` is
    the folder of the first session, `name` what the capture is called in reports.
    """

    role: Peer
    parts: tuple[Part, ...]
    status: int | None = None
    cwd: str = ""
    name: str = "capture"

    @classmethod
    def of(cls, capture: Capture, role: Peer, name: str = "capture") -> "Script":
        """Return the part that `role` played in `capture`."""
        capture = _numbered(_as_lines(capture))
        lines = read_lines(capture)
        parts = _Writer(role, lines).write(capture)
        opened = (line.event.cwd for _, line in lines if isinstance(line.event, SessionAsked))
        folders = [cwd for cwd in opened if isinstance(cwd, str) and cwd]
        return cls(
            role,
            tuple(parts),
            capture.exit.status if capture.exit else None,
            folders[0] if folders else capture.header.cwd,
            name,
        )


def _as_lines(capture: Capture) -> Capture:
    """Return `capture` with each message on one line: over HTTP it may have been on several."""
    records = tuple(
        msgspec.structs.replace(record, raw=record.payload.translate(_BLANK) + b"\n")
        if isinstance(record, Frame) and record.via and b"\n" in record.payload
        else record
        for record in capture.records
    )
    return msgspec.structs.replace(capture, records=records)


def _numbered(capture: Capture) -> Capture:
    """Return `capture` with distinct numbers for its frames: two captures may have been joined."""
    frames = capture.frames
    if len({frame.seq for frame in frames}) == len(frames):
        return capture
    number = itertools.count(1)
    records = tuple(
        msgspec.structs.replace(record, seq=next(number)) if isinstance(record, Frame) else record
        for record in capture.records
    )
    return msgspec.structs.replace(capture, records=records)


class _Writer:
    """Turns records into parts, one after the other."""

    def __init__(self, role: Peer, lines: list[tuple[Peer, Line]]) -> None:
        self._role = role
        self._lines = {line.seq: line for _, line in lines}
        self._lanes = find_lanes(lines)
        self._parts: list[Part] = []
        self._places: dict[int, int] = {}  # by the number of the frame
        self._last = EVERYWHERE
        # What a later part of each lane has to wait for: the last barriers, and what came since.
        self._barriers: Recent = {None: []}
        self._since: Recent = {None: []}

    def write(self, capture: Capture) -> list[Part]:
        for record in capture.records:
            match record:
                case Frame():
                    self._frame(record)
                case Stderr(t=t, raw=raw) if self._role is Peer.AGENT:
                    self._send(t, Line(0, raw, UNREADABLE), self._last, stream=STDERR)
                case Closed(t=t, sender=sender):
                    self._end(t, sender)
                case Stderr() | Exit():
                    pass
        if self._role is Peer.CLIENT and not any(_is_close(part) for part in self._parts):
            t = capture.records[-1].t if capture.records else 0.0
            self._end(t, Peer.CLIENT)  # the live agent is not left alone
        return self._parts

    def _frame(self, frame: Frame) -> None:
        line, lanes = self._lines[frame.seq], self._lanes[frame.seq]
        self._last = lanes
        if frame.sender is self._role:
            self._send(frame.t, line, lanes, redacted=frame.redacted)
        elif not line.is_blank:
            self._expect(frame.t, line, lanes, frame.redacted)

    def _end(self, t: float, sender: Peer) -> None:
        line = Line(0, b"", END)
        if sender is self._role:
            self._send(t, line, EVERYWHERE, stream=CLOSE)
        elif self._role is Peer.AGENT:
            self._expect(t, line, EVERYWHERE)

    def _send(
        self,
        t: float,
        line: Line,
        lanes: Lanes,
        stream: str = WIRE,
        redacted: tuple[str, ...] = (),
    ) -> None:
        place = len(self._parts)
        answers = self._places.get(line.asked) if line.asked is not None else None
        is_barrier = not (self._role is Peer.CLIENT and answers is not None)
        before = _in(self._barriers, lanes) | (_in(self._since, lanes) if is_barrier else set())
        if answers is not None:
            before.add(answers)
        names = names_in(line.body, line.event)
        waits = tuple(sorted(before))
        self._parts.append(
            Send(place, t, line, lanes, stream, answers, waits, names, not is_barrier, redacted)
        )
        self._places[line.seq] = place
        if is_barrier:
            for lane in self._touched(lanes):
                self._barriers[lane], self._since[lane] = [place], []

    def _expect(self, t: float, line: Line, lanes: Lanes, redacted: tuple[str, ...] = ()) -> None:
        place = len(self._parts)
        answers = self._places.get(line.asked) if line.asked is not None else None
        gates = (answers,) if answers is not None else tuple(sorted(_in(self._barriers, lanes)))
        needed = self._role is Peer.AGENT or _drives(line)
        self._parts.append(Expect(place, t, line, lanes, answers, gates, needed, redacted))
        self._places[line.seq] = place
        if needed:
            for lane in self._touched(lanes):
                self._since[lane].append(place)

    def _touched(self, lanes: Lanes) -> Iterable[str | None]:
        """Return the lanes of a part; a new one begins with what is recent everywhere."""
        for recent in self._barriers, self._since:
            for session in lanes:
                recent.setdefault(session, list(recent[None]))
        return lanes or tuple(self._since)


def _in(recent: Recent, lanes: Lanes) -> set[int]:
    """Return what is recent in any of `lanes`."""
    scopes = (recent.get(lane, recent[None]) for lane in lanes) if lanes else recent.values()
    return {place for scope in scopes for place in scope}


def _drives(line: Line) -> bool:
    """Whether a live agent that does not send this keeps the client from going on."""
    if line.kind == NOTIFICATION:
        return isinstance(line.event, StateChanged) and line.event.state == "idle"
    return line.kind == REQUEST or line.kind in ANSWERS


def _is_close(part: Part) -> bool:
    return isinstance(part, Send) and part.stream == CLOSE
