"""What a script is given: a message on its way, and the conversation that it belongs to."""

from collections.abc import Callable
from typing import Any

from acp_spy.conversation.state import Conversation as State
from acp_spy.middleware.context import Context
from acp_spy.middleware.line import Line
from acp_spy.middleware.made_messages import Injected, as_line, peer, response_line
from acp_spy.wire.frame import Frame
from acp_spy.wire.jsonrpc import Message, Notification, Request, Response, Unreadable, read_message
from acp_spy.wire.values import decoded

Inject = Callable[[Frame, str, Any], Injected]


class Conversation:
    """The conversation so far."""

    def __init__(self, context: Context, inject: Inject) -> None:
        self._context = context
        self._inject = inject

    @property
    def state(self) -> State:
        """What is known so far: sessions, open requests, capabilities. Do not change it."""
        return self._context.state

    def inject(self, to: str, message: Any) -> Injected:
        """Send a message to a peer, `"client"` or `"agent"`, as if the other peer had sent it."""
        return self._inject(Frame(0, 0.0, peer(to).other, b""), to, message)


class LogLine(Conversation):
    """A line that the agent wrote to stderr: `raw` are its bytes."""

    def __init__(self, raw: bytes, context: Context, inject: Inject) -> None:
        super().__init__(context, inject)
        self.raw = raw


class Event:
    """
    A message on its way, or a line that is no message.

    `drop`, `replace`, `delay` and `answer` say what becomes of it when the function returns. If
    none of them is called, it passes unchanged. To assign to a field is an error of the script: it
    would say nothing, or what nobody has checked.
    """

    __slots__ = (
        "_answered_with",
        "_context",
        "_delayed_by",
        "_inject",
        "_is_dropped",
        "_line",
        "_read",
        "_replacement",
    )

    def __init__(
        self, line: Line, message: Message | None, context: Context, inject: Inject
    ) -> None:
        self._line = line
        self._read = message
        self._context = context
        self._inject = inject
        self._delayed_by = 0.0
        self._replacement: bytes | None = None
        self._answered_with: bytes | None = None
        self._is_dropped = False

    @property
    def _message(self) -> Message:
        if self._read is None:
            self._read = read_message(self._line.raw)
        return self._read

    @property
    def sender(self) -> str:
        """Who sent it: `"client"` or `"agent"`."""
        return self._line.to.other.value

    @property
    def seq(self) -> int:
        """The number of its frame in the capture."""
        return self._line.frame.seq

    @property
    def t(self) -> float:
        """When it was sent, in seconds since the start."""
        return self._line.frame.t

    @property
    def raw(self) -> bytes:
        """The line, exactly as it is on its way, with its line end."""
        return self._line.raw

    @property
    def message(self) -> Any:
        """The whole message as decoded JSON: a copy of your own. `None` if it is not JSON."""
        return decoded(self._line.raw)

    @property
    def method(self) -> str:
        """The method: of a response, that of its request, and empty if that is not known."""
        if isinstance(self._message, Request | Notification):
            return self._message.method
        step = self._context.step(self._line.frame)
        return step.method if step else ""

    @property
    def id(self) -> Any:
        """The id of a request or a response, as decoded JSON."""
        ident = getattr(self._message, "id", b"")
        return decoded(ident)

    @property
    def params(self) -> Any:
        """The params of a request or notification, as decoded JSON."""
        return decoded(getattr(self._message, "params", b""))

    @property
    def result(self) -> Any:
        """The result of a response, as decoded JSON."""
        return decoded(getattr(self._message, "result", b""))

    @property
    def error(self) -> Any:
        """The error of a response, as decoded JSON."""
        return decoded(getattr(self._message, "error", b""))

    @property
    def session(self) -> str | None:
        """The id of the session that it belongs to."""
        return self._context.session_of(self._line.frame)

    @property
    def state(self) -> State:
        """What is known so far: sessions, open requests, capabilities. Do not change it."""
        return self._context.state

    def drop(self) -> None:
        """Do not deliver it. The sender of a request gets no response."""
        self._is_dropped = True

    def replace(self, message: Any) -> None:
        """Deliver this instead: JSON that is written as one line, or bytes as they are."""
        self._replacement = as_line(message)

    def delay(self, seconds: float) -> None:
        """Deliver it so many seconds later. Other messages of its session wait for it."""
        if not 0 <= seconds < float("inf"):
            raise ValueError("a delay is a number of seconds, 0 or more")
        self._delayed_by = float(seconds)

    def answer(self, result: Any = None, *, error: Any = None) -> None:
        """Answer the request with a result, or an error object; the other peer never sees it."""
        if not isinstance(self._message, Request):
            raise TypeError("only a request can be answered")
        self._answered_with = response_line(self._message.id, result, error)

    def inject(self, to: str, message: Any) -> Injected:
        """Send another message to a peer, `"client"` or `"agent"`; this one is not affected."""
        return self._inject(self._line.frame, to, message)

    @property
    def delayed_by(self) -> float:
        """For how many seconds to wait before the outcome."""
        return self._delayed_by

    def outcome(self, by: str) -> list[Line]:
        """Return what takes the place of the line."""
        line = self._line
        if self._answered_with is not None:
            return [line.answered(self._answered_with, by)]
        if self._is_dropped:
            return [line.dropped(by)]
        return [line if self._replacement is None else line.replaced(self._replacement, by)]


# The name of the function that a script has for a message.
KINDS: dict[type[Message], str] = {
    Request: "request",
    Response: "response",
    Notification: "notification",
    Unreadable: "noise",
}
