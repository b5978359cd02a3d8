"""One line on the wire: its exact bytes, who sent it, when, and in which place."""

import enum
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


class Frame(msgspec.Struct, frozen=True, gc=False):
    """
    A line exactly as it was sent, line end included.

    `seq` counts from 1 over both peers, `t` is in seconds since the start of the capture. Only
    the last frame of a stream, or a piece of a line too long to hold, lacks its line end.

    `redacted` has the places, as JSON Pointers, where a placeholder replaces a secret: there the
    bytes are not those that were sent. If the line is not JSON, the place is the empty pointer.
    """

    seq: int
    t: float
    sender: Peer
    raw: bytes
    redacted: tuple[str, ...] = ()

    @property
    def payload(self) -> bytes:
        """The frame without its line end: what should be one JSON message."""
        raw = self.raw
        if raw[-2:] == b"\r\n":
            return raw[:-2]
        return raw[:-1] if raw[-1:] == b"\n" else raw.removesuffix(b"\r")

    @property
    def message(self) -> Any:
        """The frame as parsed JSON; `None` if it is not JSON. It is parsed again each time."""
        return decoded(self.payload)
