"""What is known of the conversation when a stage looks at a frame."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from acp_spy.conversation.chunk import Chunk
from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Conversation, Step
from acp_spy.conversation.tracker import Moment, Tracker
from acp_spy.wire.frame import Frame

if TYPE_CHECKING:
    from acp_spy.view.timeline import Row

_REMEMBERED = 4096  # frames whose session and row are known: those that are held, and more


class Context:
    """
    Follows the frames as they were sent.

    With `needs_rows` it also has each frame as `view` shows it, for the filters of `view`.
    """

    def __init__(self, *, needs_rows: bool) -> None:
        self._feed: Callable[[Frame], tuple[Moment, Row | None]]
        if needs_rows:
            from acp_spy.view.timeline import Timeline

            timeline = Timeline(ruleset=None)
            self.state: Conversation = timeline.state

            def feed(frame: Frame) -> "tuple[Moment, Row | None]":
                rows = timeline.feed(frame)
                return timeline.moment, rows[0] if rows else None

            self._feed = feed
        else:
            tracker = Tracker()
            self.state = tracker.state
            self._feed = lambda frame: (tracker.follow(frame), None)
        self._seen: dict[int, tuple[Moment, Row | None]] = {}

    def follow(self, frame: Frame) -> None:
        """Take a frame into the state."""
        remember(self._seen, frame.seq, self._feed(frame), _REMEMBERED)

    def moment(self, frame: Frame) -> Moment | None:
        """Return what a frame meant when it came."""
        return self._seen[frame.seq][0] if frame.seq in self._seen else None

    def row(self, frame: Frame) -> "Row | None":
        """Return a frame as `view` shows it."""
        return self._seen[frame.seq][1] if frame.seq in self._seen else None

    def session_of(self, frame: Frame) -> str | None:
        """Return the id of the session that a frame belongs to."""
        moment = self.moment(frame)
        if type(moment) is Chunk:
            return moment.session.id
        return moment.session_id if isinstance(moment, Step) else None
