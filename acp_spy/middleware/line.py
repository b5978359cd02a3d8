"""A line on its way to a peer, and a place in the order for one that is decided on later."""

from collections.abc import Callable, Sequence

import msgspec

from acp_spy.capture.records import ANSWERED, DROPPED, INJECTED, REPLACED
from acp_spy.wire.frame import Frame, Peer


class Line(msgspec.Struct, frozen=True):
    """
    A line on its way to the peer `to`; `frame` is the one that it comes from.

    Without an `action` it is as it was sent. `by` is who changed it, `was_held` whether it had to
    wait.
    """

    to: Peer
    raw: bytes
    frame: Frame
    by: str = ""
    action: str = ""
    was_held: bool = False

    def replaced(self, raw: bytes, by: str) -> "Line":
        """Return another line in the place of this one; itself, if it is the same."""
        if raw == self.raw:
            return self
        action = self.action or REPLACED
        return msgspec.structs.replace(self, raw=raw, by=by, action=action)

    def dropped(self, by: str) -> "Line":
        """Return the end of this line: nobody gets it."""
        return msgspec.structs.replace(self, raw=b"", by=by, action=DROPPED)

    def answered(self, raw: bytes, by: str) -> "Line":
        """Return the response that the sender gets in place of the other peer's."""
        return Line(self.to.other, raw, self.frame, by, ANSWERED)

    def injected(self, to: Peer, raw: bytes, by: str) -> "Line":
        """Return a line that nobody sent; this one is not affected."""
        return Line(to, raw, self.frame, by, INJECTED)


class Held:
    """
    A place in the order for a line that is decided on later.

    Lines to the same peer in the same session wait behind it, all others pass. `release` says what
    is passed on in its place; what is called a second time changes nothing.
    """

    def __init__(self, line: Line, by: str) -> None:
        self.line = line
        self.by = by
        self.outcome: Sequence[Line] | None = None
        self.on_release: Callable[[], None] = lambda: None

    def release(self, *lines: Line) -> None:
        """Pass on `lines` when it is their turn."""
        if self.outcome is None:
            self.outcome = lines
            self.on_release()
