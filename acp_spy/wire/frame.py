"""One line on the wire: its exact bytes, who sent it, when, and in which place."""

import enum
from collections.abc import Iterable
from typing import Any

import msgspec

from acp_spy.wire.values import decoded


class Peer(enum.Enum):
    """The two ends of the wire, named as the specification names them."""

    CLIENT = "client"
    AGENT = "agent"

    # Members are single objects. Enum's own hash is Python code, on the path of every frame.
    __hash__ = object.__hash__

    @property
    def other(self) -> "Peer":
        """The peer at the far end."""
        return Peer.AGENT if self is Peer.CLIENT else Peer.CLIENT


class Via(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """
    How a frame came that was not a line on stdio.

    `transport` is `http` or `ws`. `stream` is `post` for the body of a POST and of its response,
    `connection` or `session` for one of the two kinds of SSE stream; a WebSocket is `connection`.
    `connection` and `session` are the ids in the headers, empty if the header was missing. `status`
    is that of the HTTP response which carried the frame, 0 for one that was in a request. A
    WebSocket message is `binary` if it was not text.
    """

    transport: str
    stream: str
    connection: str = ""
    session: str = ""
    status: int = 0
    binary: bool = False

    @property
    def may_overtake_updates(self) -> bool:
        """Whether updates that were sent before a frame may come after it, by another stream."""
        return self.transport == "http" and self.stream != "session"


class Frame(msgspec.Struct, frozen=True, gc=False):
    """
    A line exactly as it was sent, line end included.

    `seq` counts from 1 over both peers, `t` is in seconds since the start of the capture. Only
    the last frame of a stream, or a piece of a line too long to hold, lacks its line end.

    `redacted` has the places, as JSON Pointers, where a placeholder replaces a secret: there the
    bytes are not those that were sent. If the line is not JSON, the place is the empty pointer.

    `via` is `None` on stdio. A frame that has it is the body of an HTTP message, the data of an SSE
    event or a WebSocket message, and the line end was added to it.
    """

    seq: int
    t: float
    sender: Peer
    raw: bytes
    redacted: tuple[str, ...] = ()
    via: Via | None = None

    @property
    def payload(self) -> bytes:
        """The frame without its line end: what should be one JSON message."""
        return self.raw.removesuffix(b"\n").removesuffix(b"\r")

    @property
    def message(self) -> Any:
        """The frame as parsed JSON; `None` if it is not JSON. It is parsed again each time."""
        return decoded(self.payload)


def number_frames(
    first: int, t: float, sender: Peer, lines: Iterable[bytes], via: Via | None = None
) -> list[Frame]:
    """Return lines as frames of one sender, time and `via`, numbered from `first` on."""
    return [Frame(seq, t, sender, line, (), via) for seq, line in enumerate(lines, first)]
