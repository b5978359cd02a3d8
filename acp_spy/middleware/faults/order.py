"""Faults in which frames get lost, come twice, or come when they should not."""

from collections.abc import Callable, Sequence

from acp_spy.middleware.faults.fault import Fault
from acp_spy.middleware.line import Held, Line
from acp_spy.wire.frame import Peer
from acp_spy.wire.jsonrpc import Notification, Request, Response, read_message
from acp_spy.wire.values import decoded

_MERGED_WITHIN = 0.1  # seconds


class Drop(Fault):
    """Frames get lost."""

    word = "drop"
    meaning = "Do not deliver frames."
    example = "drop method:session/update p:0.1"

    def apply(self, line: Line) -> Sequence[Line | Held]:
        """Drop the line."""
        return (line.dropped(self.by(line)),)


class Swallow(Drop):
    """Responses get lost."""

    word = "swallow"
    meaning = "Never answer: requests are delivered, and their responses are not."
    example = "swallow method:session/request_permission"
    implies = ("kind:response",)


class Duplicate(Fault):
    """Frames come more than once."""

    word = "duplicate"
    takes = "N"
    default = "2"
    meaning = "Deliver frames N times, 2 without a number."
    example = "duplicate method:tool_call_update p:0.3"

    def set(self, value: str) -> None:
        """Read how often."""
        self._copies = self.spec.number(value, least=2) - 1

    def apply(self, line: Line) -> Sequence[Line | Held]:
        """Add the copies."""
        return (line, *[line.injected(line.to, line.raw, self.name)] * self._copies)


class Reorder(Fault):
    """Two frames change places."""

    word = "reorder"
    takes = "TIME"
    default = "1s"
    meaning = (
        "Deliver a frame after the next one in its direction; if none comes within this time,"
        " deliver it then."
    )
    example = "reorder method:session/update p:0.2"

    def set(self, value: str) -> None:
        """Read how long to wait for the next frame."""
        self._seconds = self.spec.seconds(value)
        self._waiting: dict[Peer, Held] = {}

    def apply(self, line: Line) -> Sequence[Line | Held]:
        """Set the line aside, unless one is."""
        if line.to in self._waiting:
            return self.pass_by(line)
        held = self._waiting[line.to] = self.hold(line, self._seconds, lets_pass=True)
        return (held,)

    def pass_by(self, line: Line) -> Sequence[Line | Held]:
        """Let the line that was set aside follow."""
        held = self._waiting.pop(line.to, None)
        late = held.withdraw() if held else None
        return (line, late) if late else (line,)


class Merge(Fault):
    """Several lines are written at once."""

    word = "merge"
    takes = "N"
    default = "2"
    meaning = (
        "Write N frames of a session at once, 2 without a number; waits up to 100 ms for them."
    )
    example = "merge:5 from:agent"

    def set(self, value: str) -> None:
        """Read how many."""
        self._most = self.spec.number(value, least=2)
        self._groups: dict[tuple[Peer, str | None], list[Held]] = {}

    def apply(self, line: Line) -> Sequence[Line | Held]:
        """Hold the line; the last of them lets all go."""
        key = line.to, self.pipeline.context.session_of(line.frame)
        held = self.hold_back(line)
        group = self._groups.setdefault(key, [])
        group.append(held)
        if len(group) == self._most:
            del self._groups[key]
            for each in group:  # all together, once this one is in its place behind the others
                each.outcome = (each.line,)
        elif len(group) == 1:
            self.pipeline.start(self, lambda: self._wait(key, group))
        return (held,)

    async def _wait(self, key: tuple[Peer, str | None], group: list[Held]) -> None:
        await self.sleep(_MERGED_WITHIN)
        if self._groups.get(key) is group:
            del self._groups[key]
            for held in reversed(group):  # the first lets the others follow at once
                held.release(held.line)


class Late(Fault):
    """The response to a prompt comes after the client has canceled it."""

    word = "late"
    takes = "TIME"
    default = "100ms"
    meaning = (
        "Hold the response to a prompt until the client cancels it, and deliver it this time after"
        " the cancel."
    )
    example = "late:2s turn:1"
    implies = ("kind:response", "method:session/prompt")

    def set(self, value: str) -> None:
        """Read how long after the cancel."""
        self._seconds = self.spec.seconds(value)
        self._canceled: dict[str | None, float] = {}  # when, by session
        self._waiting: list[tuple[str | None, object, Held]] = []  # session, id, response

    def handle(self, line: Line) -> Sequence[Line | Held]:
        """Notice prompts and cancels."""
        message = read_message(line.raw.strip(b"\r\n"))
        session = self.pipeline.context.session_of(line.frame)
        if isinstance(message, Request) and message.method == "session/prompt":
            self._canceled.pop(session, None)
        elif isinstance(message, Notification) and message.method == "session/cancel":
            self._canceled[session] = self.pipeline.now()
            self._cancel(lambda of, _id: of == session)
        elif isinstance(message, Notification) and message.method == "$/cancel_request":
            params = decoded(message.params)
            ident = params.get("requestId") if isinstance(params, dict) else None
            self._cancel(lambda _of, of: of == ident)
        return super().handle(line)

    def apply(self, line: Line) -> Sequence[Line | Held]:
        """Hold the response; if it has been canceled, for a known time."""
        message = read_message(line.raw.strip(b"\r\n"))
        session = self.pipeline.context.session_of(line.frame)
        if not isinstance(message, Response):
            return (line,)
        if session in self._canceled:
            left = self._canceled[session] + self._seconds - self.pipeline.now()
            return (self.hold(line, left, lets_pass=True),) if left > 0 else (line,)
        held = self.hold_back(line, lets_pass=True, has_limit=False)
        self._waiting.append((session, decoded(message.id), held))
        return (held,)

    def _cancel(self, fits: Callable[[str | None, object], bool]) -> None:
        for session, ident, held in [*self._waiting]:
            if fits(session, ident):
                self._waiting.remove((session, ident, held))
                held.has_limit = True
                self.release_later(held, self._seconds)
