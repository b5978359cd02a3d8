"""The records of a capture. One line of a capture file is one of these."""

from datetime import datetime
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Annotated

import msgspec

from acp_spy.wire.frame import Frame, Peer

if TYPE_CHECKING:
    from acp_spy.capture.conversation import Conversation

FORMAT = 1
IMPORTED = "imported from "  # so begins the note of what another tool has recorded

# The largest number of seconds in a record: more than 3,000 years. Any two such times have a
# difference, and a sum, that is a number too; of two arbitrary floats, it may be infinite.
MOST_SECONDS = 1e11

Seconds = Annotated[float, msgspec.Meta(ge=-MOST_SECONDS, le=MOST_SECONDS)]


class Header(msgspec.Struct, frozen=True, tag="header"):
    """
    The first record: who was recorded, where and when. Never the environment.

    `note` is for people: what a reader should know of this capture, such as what was lost when it
    was imported. It is `redacted` when placeholders replace the secrets, here and in the
    records that follow.
    """

    format: int = FORMAT
    tool: str = ""
    started: str = ""
    command: tuple[str, ...] = ()
    cwd: str = ""
    note: str = ""
    redacted: bool = False

    def elapsed(self, now: float) -> float | None:
        """Return the time on the capture's clock at `now`, which is in seconds since the epoch."""
        try:
            return max(now - datetime.fromisoformat(self.started).timestamp(), 0.0)
        except (ValueError, OverflowError):
            return None

    @property
    def is_dated(self) -> bool:
        """Whether `started` is a moment, and not any other text."""
        return self.elapsed(0.0) is not None

    @property
    def is_imported(self) -> bool:
        """Whether another tool has recorded this: what is missing may have happened."""
        return self.note.startswith(IMPORTED)


class Stderr(msgspec.Struct, frozen=True):
    """
    Bytes that the agent wrote to its standard error: a line, or a part of one.

    `redacted` is as in a frame.
    """

    t: Seconds
    raw: bytes
    redacted: tuple[str, ...] = ()


class Closed(msgspec.Struct, frozen=True, tag="closed"):
    """The sender ended its stream: nothing more can come from it."""

    t: Seconds
    sender: Peer


# The statuses of an agent that something else ended: hang-up, interrupt, kill, terminate.
FROM_OUTSIDE = frozenset((-1, -2, -9, -15))


class Exit(msgspec.Struct, frozen=True, tag="exit", omit_defaults=True):
    """
    The agent's end: its exit status, or the negative number of the signal that killed it.

    `undelivered` counts the bytes that nobody took because the receiver had gone, by receiver:
    `client`, `agent`, and `stderr` for the client's end of the agent's standard error. `reason` is
    why the agent could not be started, and empty if it was.
    """

    t: Seconds
    status: int
    undelivered: dict[str, int] = {}
    reason: str = ""


class Delivery(msgspec.Struct, frozen=True):
    """
    What became of a frame on its way, if it was not delivered at once and as it was sent.

    `seq` is the frame's number. `raw` is a line that is delivered to the peer `to`, and `None` if
    nothing is, or not yet. `by` is who changed the traffic: a script, a fault, a rule, a person.
    `error` is what went wrong there.
    """

    seq: int
    t: Seconds
    to: Peer
    by: str
    action: str
    raw: bytes | None = None
    redacted: tuple[str, ...] = ()
    error: str = ""


# What can become of a frame. After the first six, it is not delivered as it was sent.
DROPPED = "dropped"
REPLACED = "replaced"
HELD = "held"  # not delivered yet
DELAYED = "delayed"  # delivered now
ANSWERED = "answered"  # not delivered: its sender gets a response from somebody else
INJECTED = "injected"  # nobody sent it: it is delivered in addition
SLICED = "sliced"  # delivered now, in several writes
FAILED = "failed"  # who might have changed it could not: it is delivered as it was sent
CLOSED = "closed"  # the peer sees the end of the stream
SIGNALED = "signaled"  # the agent's process is sent a signal
FLOODED = "flooded"  # much is written to stderr
INTERCEPT = "intercept"  # a person who has stopped frames did it; else it is a script, a fault, ...
# With these alone, the frame itself is delivered as it was sent.
BESIDE = (INJECTED, FAILED, CLOSED, SIGNALED, FLOODED)
ACTIONS = (DROPPED, REPLACED, HELD, DELAYED, ANSWERED, SLICED, *BESIDE)


class HttpExchange(msgspec.Struct, frozen=True, tag="exchange", omit_defaults=True):
    """
    An HTTP request and the head of its response, with the body of one that holds no message.

    `id` numbers the exchanges of the capture from 1. `transport`, `stream`, `connection` and
    `session` are as in the `via` of a frame, from the request; `stream` is empty for a DELETE, and
    for anything else that is neither a POST nor a stream. `request` is the number of the frame in
    the request's body, 0 if it had none. `status` is 0 if no response came. `by` is `proxy` where
    acp-spy responded by itself, or did not send the request. `http` is the version that the client
    spoke, `http_target` that of the target. Of the headers, those that matter to ACP are kept, by
    their names in lower case, and never a credential: it is replaced by `redacted`. `error` is why
    there is no response, or not all of it.
    """

    t: Seconds
    id: int
    transport: str
    method: str
    path: str
    stream: str = ""
    connection: str = ""
    session: str = ""
    request: int = 0
    status: int = 0
    by: str = ""
    http: str = ""
    http_target: str = ""
    seconds: Seconds = 0.0
    request_headers: dict[str, str] = {}
    response_headers: dict[str, str] = {}
    body: str = ""
    error: str = ""

    @property
    def is_unsent(self) -> bool:
        """Whether acp-spy did not send it: the target had to end another request first."""
        return self.by == "proxy" and not self.status

    @property
    def is_refused(self) -> bool:
        """Whether what was sent has not been accepted."""
        return self.status >= 400

    @property
    def brings_message(self) -> bool:
        """Whether a refusal has a JSON-RPC message in its body: the frame after it."""
        is_json = self.response_headers.get("content-type", "").startswith("application/json")
        return is_json and not self.body


class Disconnect(msgspec.Struct, frozen=True, tag="disconnect", omit_defaults=True):
    """
    The end of an SSE stream or of a WebSocket, or of a body that the agent broke off.

    `exchange` is the one that opened it.

    `by` is who ended it: `client`, `agent`, or `proxy` for acp-spy. It is `lost` if it did not end
    as the protocol has it: an SSE body without its end, a WebSocket without a close frame; but a
    client has no other way to end an SSE stream. `code` and `reason` are those of a WebSocket's
    close frame. `events` and `comments` count what came on an SSE stream, and `events` the messages
    on a WebSocket. `silence` is the longest time without a byte from the agent, in seconds.
    """

    t: Seconds
    exchange: int
    transport: str
    stream: str
    by: str
    connection: str = ""
    session: str = ""
    lost: bool = False
    code: int = 0
    reason: str = ""
    error: str = ""
    events: int = 0
    comments: int = 0
    silence: Seconds = 0.0


Record = Header | Frame | Delivery | Stderr | Closed | Exit | HttpExchange | Disconnect


class Capture(msgspec.Struct, frozen=True, dict=True):
    """A whole capture in memory: its header and the records that follow it."""

    header: Header
    records: tuple[Frame | Delivery | Stderr | Closed | Exit | HttpExchange | Disconnect, ...]

    @property
    def frames(self) -> tuple[Frame, ...]:
        """The frames of both peers, in the order they were recorded."""
        return tuple(record for record in self.records if isinstance(record, Frame))

    @property
    def exit(self) -> Exit | None:
        """How the agent ended; `None` when the run was cut off."""
        last = self.records[-1] if self.records else None
        return last if isinstance(last, Exit) else None

    @cached_property
    def conversation(self) -> "Conversation":
        """What was said: sessions, turns, tool calls and exchanges, with their times."""
        # By name: who reads records for a living is above this room, and imports point down.
        overview = import_module("acp_spy.conversation.overview").overview
        found: Conversation = overview(self.header, self.records)
        return found
