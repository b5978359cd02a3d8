"""What one line says, recorded or live: its kind, method, body, session, and what it answers."""

from typing import Any

import msgspec

from acp_spy.conversation.state import Step
from acp_spy.protocol.events import Event
from acp_spy.replay.json_difference import ABSENT
from acp_spy.wire.inert import inert
from acp_spy.wire.jsonrpc import Notification, Request, Response

REQUEST, NOTIFICATION, RESULT, ERROR = "request", "notification", "result", "error"
UNREADABLE, END = "unreadable line", "end"
CALLS = (REQUEST, NOTIFICATION)
ANSWERS = (RESULT, ERROR)

LONGEST = 100  # characters of what a peer has sent, in a line for people


def clip(text: str, longest: int = LONGEST) -> str:
    """Return text of a peer short enough for a line, and unable to act."""
    text = inert(text[: longest + 1])
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def as_text(raw: bytes) -> str:
    """Return the text of a line that is no message; bytes that are no text are spelled out."""
    return raw.decode(errors="backslashreplace")


class Line(msgspec.Struct, frozen=True):
    """
    A frame as the tracker understands it.

    `method` is that of the call, or of the request that is answered, and of what is inside; empty
    for a response to nothing. `body` is the decoded params, result or error, or `ABSENT`. `asked`
    is the number of the frame that an answer belongs to. `begins` is where the message starts,
    after noise that is glued to it.
    """

    seq: int
    raw: bytes
    kind: str
    method: str = ""
    id: bytes = b""
    body: Any = None
    event: Event | None = None
    session: str | None = None
    asked: int | None = None
    begins: int = 0
    reason: str = ""
    question: Any = None  # an answer's: the params that were asked with

    @property
    def is_blank(self) -> bool:
        """Whether there is nothing in it at all."""
        return not self.raw.strip()

    def words(self) -> str:
        """Name it as people do: `session/prompt`, or the answer to it."""
        method = clip(self.method, 60)
        if self.kind in CALLS:
            return f"`{method}`"
        if self.kind in ANSWERS:
            article, what = ("a", "response") if self.kind == RESULT else ("an", "error response")
            return f"the {what} to `{method}`" if method else f"{article} {what} to no open request"
        return "the end of the stream" if self.kind == END else f"a line that is {self.reason}"


def read_line(step: Step) -> Line:
    """Return what the tracker makes of a frame, as replay needs it."""
    frame, message = step.frame, step.message
    meaning = step.inner or step  # to or from a proxy's successor: what is wrapped
    if isinstance(message, Request | Notification):
        return Line(
            frame.seq,
            frame.raw,
            REQUEST if isinstance(message, Request) else NOTIFICATION,
            step.name if step.inner or step.mcp else message.method,
            message.id if isinstance(message, Request) else b"",
            step.body if message.params else ABSENT,
            meaning.event,
            _session(meaning),
            begins=step.glued_at,
        )
    if isinstance(message, Response):
        asked = step.exchange
        return Line(
            frame.seq,
            frame.raw,
            RESULT if message.result else ERROR,
            step.name if step.inner or step.mcp else step.method,
            message.id,
            step.body,
            meaning.event,
            _session(meaning),
            asked=asked.seq if asked else None,
            begins=step.glued_at,
            question=asked.params if asked else None,
        )
    return Line(frame.seq, frame.raw, UNREADABLE, reason=message.reason)


def _session(step: Step) -> str | None:
    named = getattr(step.event, "session", None)
    if isinstance(named, str):
        return named
    return step.exchange.session if step.exchange else step.session.id if step.session else None
