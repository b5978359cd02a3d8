"""
A stage that holds the frames that a filter selects, until a viewer lets them go.

It knows nothing of sockets: viewers are counted, and `on_event` says what happened. Nothing is held
while no viewer is attached. A held frame goes on by itself after a time, when the last viewer has
gone, and when too much waits.
"""

import shlex
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from acp_spy.capture.codec import encode_readable
from acp_spy.capture.records import INTERCEPT as NAME
from acp_spy.errors import AcpSpyError
from acp_spy.middleware.line import Held, Line
from acp_spy.middleware.made_messages import Injected, Injections, response_line
from acp_spy.middleware.pipeline import Stage
from acp_spy.middleware.selection import Selection
from acp_spy.view.timeline import Row
from acp_spy.wire.cut import cut_at_word
from acp_spy.wire.frame import Frame, Peer
from acp_spy.wire.jsonrpc import Request, Response, Unreadable, read_message
from acp_spy.wire.values import decoded

_MOST_WAITING = 64 * 1024 * 1024  # bytes
_LONGEST_SHOWN = 64 * 1024  # bytes of a frame that is in a list or an event

# Why a held frame goes on.
BY_VIEWER, TIMEOUT, NO_VIEWER, TOO_MUCH = "viewer", "timeout", "no-viewer", "too-much"
BUG = "bug"  # of ours
Event = dict[str, Any]


class Hold:
    """A frame that is held. `line` is what will be delivered: as it came, or edited."""

    def __init__(self, held: Held, row: Row, since: float, until: float) -> None:
        self.held = held
        self.row = row
        self.since = since
        self.until = until
        self.line = held.line

    @property
    def seq(self) -> int:
        """The number of the frame."""
        return self.line.frame.seq


class HoldStage(Stage):
    """
    The frames that are held, by number, the oldest first.

    `tokens` is the filter, without which nothing is held; `timeout` is in seconds.
    """

    name = NAME
    needs_rows = True

    def __init__(self, tokens: Sequence[str], timeout: float) -> None:
        super().__init__()
        self.tokens: tuple[str, ...] = ()
        self.timeout = timeout
        self.holds: dict[int, Hold] = {}
        self.viewers = 0
        self.on_event: Callable[[Event], None] = lambda _event: None
        self.serve: Callable[[HoldStage], None] = lambda _stage: None  # when it begins
        self.on_end: Callable[[], None] = lambda: None
        self._selection: Selection | None = None
        self._waiting = 0  # bytes, since something is held
        self._is_watching = False
        self._injections = Injections(NAME)
        self.set_filter(tokens)
        self.remark = "--control"
        if tokens:
            words = (token if _is_bare(token) else shlex.quote(token) for token in tokens)
            self.remark = shlex.join(["--intercept", " ".join(words)])

    def set_filter(self, tokens: Sequence[str]) -> None:
        """Hold what these tokens select from now on; nothing without any. Raises `AcpSpyError`."""
        self._selection = Selection(tokens) if tokens else None
        self.tokens = tuple(tokens)
        self.on_event({"event": "filter", "filter": self.tokens})

    def begin(self) -> None:
        """Let viewers attach."""
        self.serve(self)

    def end(self) -> None:
        """Let everything go on, as it was edited, and nobody attach any more."""
        self.on_event = lambda _event: None  # nobody reads it, and no task would send it
        self._release_all(NO_VIEWER)
        self.on_end()

    def let_go(self) -> None:
        """Let everything go on, as it was edited, and tell the viewers."""
        try:
            self._release_all(BUG)
        finally:
            self.holds.clear()  # what is left goes on as well

    def attach(self) -> None:
        """Take notice of a viewer: frames are held for it."""
        self.viewers += 1

    def detach(self) -> None:
        """Take notice that a viewer has gone. With the last one, everything goes on."""
        self.viewers -= 1
        if not self.viewers:
            self._release_all(NO_VIEWER)

    def handle(self, line: Line) -> Sequence[Line | Held]:
        """Hold `line`, if it is selected and somebody watches."""
        waits = self._injections.is_waiting
        if waits and self._injections.take(read_message(line.raw), line.raw):
            return (line.dropped(NAME),)  # the other peer has not asked for it
        selection, frame = self._selection, line.frame
        if not self.viewers and not (selection and selection.remembers):
            return (line,)
        if line.to is frame.sender:  # not what was sent
            return (line,)
        is_selected = selection is not None and selection.has(frame, self.pipeline.context)
        if self.holds:
            self._count(line)
        if not is_selected or not self.viewers:
            return (line,)
        row = self.pipeline.context.row(frame)
        if row is None or frame.seq in self.holds:  # it waits behind its other part
            return (line,)
        return (self._hold(line, row),)

    def release(self, hold: Hold, why: str = BY_VIEWER) -> None:
        """Let a frame go on, as it is or as it was edited."""
        is_edited = hold.line is not hold.held.line
        self._finish(hold, "replaced" if is_edited else "released", why, hold.line)

    def drop(self, hold: Hold) -> None:
        """Deliver nothing."""
        self._finish(hold, "dropped", BY_VIEWER, hold.held.line.dropped(NAME))

    def answer(self, hold: Hold, result: Any = None, error: Any = None) -> None:
        """
        Answer a request in the other peer's place; of a held response, change what it says.

        Raises `AcpSpyError` for a frame that is neither.
        """
        line, message = hold.held.line, read_message(hold.held.line.raw)
        if not isinstance(message, Request | Response):
            raise AcpSpyError(
                f"cannot answer frame {hold.seq}: it is neither a request nor a response",
                hint="release, edit or drop it",
            )
        raw = response_line(message.id, result, error)
        if isinstance(message, Request):
            self._finish(hold, "answered", BY_VIEWER, line.answered(raw, NAME))
        else:
            self._finish(hold, "replaced", BY_VIEWER, line.replaced(raw, NAME))

    def edit(self, hold: Hold, raw: bytes) -> None:
        """Have another line delivered in place of a frame, which stays held."""
        hold.line = hold.held.line.replaced(raw, NAME)
        self.on_event({"event": "edited", **self.describe(hold)})

    def revert(self, hold: Hold) -> None:
        """Have a frame delivered as it came."""
        hold.line = hold.held.line
        self.on_event({"event": "edited", **self.describe(hold)})

    def set_aside(self, hold: Hold) -> None:
        """Let pass what waits behind a frame, which stays held."""
        self.pipeline.set_aside(hold.held)
        self.on_event({"event": "aside", **self.describe(hold)})

    def inject(self, to: Peer, message: Any) -> Injected:
        """Send a message to a peer, as if the other one had sent it."""
        raw, injected = self._injections.make(message)
        frame = Frame(0, self.pipeline.now(), to.other, b"")
        self.pipeline.put(self, Line(to, b"", frame).injected(to, raw, NAME))
        return injected

    def describe(self, hold: Hold, *, whole: bool = False) -> Event:
        """Return a held frame for a viewer; a large one without its bytes, unless `whole`."""
        described = self._describe(hold, self.pipeline.count_behind(hold.held), self.before(hold))
        return _with_frame(described, hold, whole=whole)

    def describe_all(self, *, brief: bool = False) -> list[Event]:
        """Return what is held, the oldest first; large ones, or all if `brief`, without bytes."""
        waiting = self.pipeline.count_all_behind()
        first: dict[tuple[Peer, str | None], int] = {}  # the frame that others wait behind
        all_described = []
        for hold in self.holds.values():
            before = None
            if not hold.held.lets_pass:
                lane = hold.line.to, hold.row.session
                before = first.setdefault(lane, hold.seq)
            behind = before if before != hold.seq else None
            described = self._describe(hold, waiting.get(hold.held, 0), behind)
            all_described.append(described if brief else _with_frame(described, hold))
        return all_described

    def _describe(self, hold: Hold, waiting: int, behind: int | None) -> Event:
        line, row, now = hold.line, hold.row, self.pipeline.now()
        return {
            "seq": hold.seq,
            "t": line.frame.t,
            "sender": line.to.other.value,
            "kind": row.kind,
            "method": row.method,
            "what": row.what,
            "gist": cut_at_word(row.gist, 200),
            "session": row.session,
            "size": len(line.raw),
            "held": round(max(0.0, now - hold.since), 3),
            "left": round(max(0.0, hold.until - now), 3),
            "edited": hold.line is not hold.held.line,
            "aside": hold.held.lets_pass,
            "behind": behind,
            "waiting": waiting,
        }

    def before(self, hold: Hold) -> int | None:
        """Return the number of the held frame that this one waits behind."""
        if hold.held.lets_pass:
            return None
        for other in self.holds.values():
            if other is hold:
                return None
            same = other.line.to is hold.line.to and other.row.session == hold.row.session
            if same and not other.held.lets_pass:
                return other.seq
        return None

    def _hold(self, line: Line, row: Row) -> Held:
        if not self.holds:
            self._waiting = len(line.raw)
        held, now = Held(line, NAME), self.pipeline.now()
        hold = self.holds[line.frame.seq] = Hold(held, row, now, now + self.timeout)
        if not self._is_watching:
            self._is_watching = True
            self.pipeline.start(self, self._watch)
        described = self._describe(hold, 0, self.before(hold))  # nothing can wait behind it yet
        self.on_event({"event": "held", **_with_frame(described, hold)})
        return held

    def _count(self, line: Line) -> None:
        self._waiting += len(line.raw)
        if self._waiting > _MOST_WAITING:
            self.pipeline.complain(
                f"too much waits behind the frames that are held ({self._waiting >> 20} MiB);"
                " all of them go on"
            )
            self._release_all(TOO_MUCH)

    def _release_all(self, why: str) -> None:
        for hold in [*self.holds.values()]:
            self.release(hold, why)

    def _finish(self, hold: Hold, action: str, why: str, line: Line) -> None:
        del self.holds[hold.seq]
        hold.held.release(line)
        self.on_event({"event": "resumed", "seq": hold.seq, "action": action, "why": why})

    async def _watch(self) -> None:
        """Let go what has been held for long enough, until nothing is held."""
        try:
            while self.holds and self.pipeline.sleep:
                first = next(iter(self.holds.values()))  # all have the same time
                left = first.until - self.pipeline.now()
                if left > 0:
                    await self.pipeline.sleep(left)
                elif first.seq in self.holds:
                    self.release(first, TIMEOUT)
        finally:
            self._is_watching = False


def _with_frame(described: Event, hold: Hold, *, whole: bool = False) -> Event:
    line = hold.line
    if whole or len(line.raw) <= _LONGEST_SHOWN:
        shown = Frame(hold.seq, line.frame.t, line.to.other, line.raw)
        described["frame"] = msgspec.Raw(encode_readable(shown)[:-1])
    return described


def check_edit(old: bytes, new: bytes) -> bytes:
    """
    Return an edited message as one line. Raises `AcpSpyError` if it is not JSON-RPC.

    The id must stay: the peer that waits for a response to it, or that waits for this response,
    knows no other.
    """
    try:
        line = msgspec.json.format(new, indent=-1) + b"\n"
        # As they are spelled: a number that is too large for us may be held, and goes on.
        spelled = msgspec.json.decode(line, type=dict[str, msgspec.Raw])
    except msgspec.ValidationError:
        spelled = {}  # no object, as is said below
    except (msgspec.DecodeError, RecursionError, ValueError) as error:
        raise _bad_edit(f"it is not JSON: {error}") from None
    message = read_message(line)
    if isinstance(message, Unreadable):
        raise _bad_edit(f"it is not JSON-RPC: {message.reason}")
    if decoded(bytes(spelled.get("jsonrpc", b""))) != "2.0":
        raise _bad_edit('it is not JSON-RPC: `"jsonrpc": "2.0"` is missing')
    was = read_message(old)
    before, after = decoded(getattr(was, "id", b"")), decoded(getattr(message, "id", b""))
    if isinstance(was, Request | Response) and before != after:
        raise _bad_edit(f"the id was {before!r} and is {after!r} now")
    return line


def _bad_edit(reason: str) -> AcpSpyError:
    return AcpSpyError(
        f"cannot use the edited message: {reason}", hint="correct it, or force it to be sent as is"
    )


def _is_bare(token: str) -> bool:
    """Whether a token of a filter can be written without quotes of its own."""
    return token.split() == [token] and not set("'\"\\") & set(token)
