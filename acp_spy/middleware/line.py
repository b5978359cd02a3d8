"""A line on its way to a peer, and a place in the order for one that is decided on later."""

from collections.abc import Callable, Sequence

import msgspec

from acp_spy.capture.records import ANSWERED, DROPPED, INJECTED, REPLACED, SLICED
from acp_spy.wire.frame import Frame, Peer


class Line(msgspec.Struct, frozen=True, gc=False):
    """
    A line on its way to the peer `to`; `frame` is the one that it comes from.

    Without an `action` it is as it was sent. `by` is who changed it, `was_held` whether it had to
    wait. `cuts` are the places where it is cut into separate writes. `is_added` if nobody sent it:
    what becomes of it is nothing that became of the frame.
    """

    to: Peer
    raw: bytes
    frame: Frame
    by: str = ""
    action: str = ""
    was_held: bool = False
    cuts: tuple[int, ...] = ()
    is_added: bool = False

    def replaced(self, raw: bytes, by: str) -> "Line":
        """Return another line in the place of this one; itself, if it is the same."""
        if raw == self.raw:
            return self
        if self.action and self.by and not by.startswith(self.by):
            by = f"{self.by}, {by}"  # who changed it before did so, too
        action = REPLACED if self.action in ("", SLICED) else self.action
        return msgspec.structs.replace(self, raw=raw, by=by, action=action)

    def sliced(self, cuts: Sequence[int], by: str) -> "Line":
        """Return this line, to be written in pieces."""
        action = self.action or SLICED
        return msgspec.structs.replace(self, cuts=tuple(cuts), by=by, action=action)

    def marked(self, by: str) -> "Line":
        """Return this line; if it is late, that is because of `by`."""
        return msgspec.structs.replace(self, by=by)

    def dropped(self, by: str) -> "Line":
        """Return the end of this line: nobody gets it."""
        return msgspec.structs.replace(self, raw=b"", by=by, action=DROPPED)

    def answered(self, raw: bytes, by: str) -> "Line":
        """Return the response that the sender gets in place of the other peer's."""
        # To what nobody sent, there would have been none: nothing became of the frame.
        action = INJECTED if self.is_added else ANSWERED
        return Line(self.to.other, raw, self.frame, by, action, is_added=self.is_added)

    def injected(self, to: Peer, raw: bytes, by: str) -> "Line":
        """Return a line that nobody sent; this one is not affected."""
        return Line(to, raw, self.frame, by, INJECTED, is_added=True)


class Held:
    """
    A place in the order for a line that is decided on later.

    Lines to the same peer in the same session wait behind it, all others pass. With `lets_pass`
    none waits. `release` says what is passed on in its place; what is called a second time changes
    nothing. Without `has_limit` it may never be released: nobody waits for it when the agent has
    ended.
    """

    def __init__(
        self, line: Line, by: str, *, lets_pass: bool = False, has_limit: bool = True
    ) -> None:
        self.line = line
        self.by = by
        self.lets_pass = lets_pass
        self.has_limit = has_limit
        self.outcome: Sequence[Line] | None = None
        self.on_release: Callable[[], None] = lambda: None
        self.on_withdraw: Callable[[], None] = lambda: None

    def release(self, *lines: Line) -> None:
        """Pass on `lines` when it is their turn."""
        if self.outcome is None:
            self.outcome = lines
            self.on_release()

    def withdraw(self) -> Line | None:
        """
        Return the line: who has held it passes it on. `None` if it has been released.

        Only for one that lets others pass.
        """
        if self.outcome is not None:
            return None
        self.outcome = ()
        self.on_withdraw()
        return msgspec.structs.replace(self.line, was_held=True, by=self.line.by or self.by)
