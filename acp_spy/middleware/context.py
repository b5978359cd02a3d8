"""What is known of the conversation when a stage looks at a frame."""

from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from acp_spy.conversation.chunk import Chunk, session_of_nobodys_text
from acp_spy.conversation.state import Conversation, Step
from acp_spy.conversation.tracker import Moment, Tracker
from acp_spy.wire.frame import Frame

if TYPE_CHECKING:
    from acp_spy.view.timeline import Row

# Of so many frames the meaning is known: of that which a stage looks at, and of those before it. A
# decoded message takes several times its bytes.
_MOST_FRAMES = 4096
_MOST_BYTES = 4 * 1024 * 1024
_MOST_NEW = 1024


class _Known(NamedTuple):
    moment: Moment
    row: "Row | None"
    session: str | None
    size: int


class Context:
    """
    Follows the frames as they were sent.

    With `needs_rows` it also has each frame as `view` shows it, for the filters of `view`.

    What a frame means takes longer to find out than to pass it on, and most that change the traffic
    need it of few frames: it is found out when it is asked for, or when there is time
    (`catch_up`). `complain` takes a line for stderr.
    """

    def __init__(self, complain: Callable[[str], None], *, needs_rows: bool) -> None:
        self._complain = complain
        self._look: Callable[[Frame], _Known]
        if needs_rows:
            from acp_spy.view.timeline import Timeline

            timeline = Timeline(ruleset=None)
            self._state = timeline.state

            def look(frame: Frame) -> _Known:
                rows = timeline.feed(frame)
                row = rows[0] if rows else None
                return _Known(timeline.moment, row, _session_of(timeline.moment), len(frame.raw))
        else:
            tracker = Tracker()
            self._state = state = tracker.state

            def look(frame: Frame) -> _Known:
                if session := session_of_nobodys_text(state, frame):
                    state.last = frame
                    return _Known(frame, None, session, len(frame.raw))
                moment = tracker.follow(frame)
                return _Known(moment, None, _session_of(moment), len(frame.raw))

        self._look = look
        self._new: list[Frame] = []  # not looked at yet
        self._seen: OrderedDict[int, _Known] = OrderedDict()
        self._bytes_seen = 0
        self._has_failed = False

    @property
    def state(self) -> Conversation:
        """The conversation so far."""
        self.catch_up()
        return self._state

    def follow(self, frame: Frame) -> None:
        """Take a frame."""
        self._new.append(frame)
        if len(self._new) > _MOST_NEW:
            self.catch_up()

    def catch_up(self) -> None:
        """Take into the state what has come."""
        if not self._new:
            return
        new, self._new = self._new, []
        seen = self._seen
        for frame in new:
            try:
                known = self._look(frame)
            except Exception as error:  # noqa: BLE001 - a bug of ours must not stop the traffic
                self._fail(frame, error)
                continue
            seen[frame.seq] = known
            self._bytes_seen += known.size
            while len(seen) > _MOST_FRAMES or (self._bytes_seen > _MOST_BYTES and len(seen) > 1):
                self._bytes_seen -= seen.popitem(last=False)[1].size

    def moment(self, frame: Frame) -> Moment | None:
        """Return what a frame meant when it came, if it came not long ago."""
        known = self._known(frame)
        return known.moment if known else None

    def row(self, frame: Frame) -> "Row | None":
        """Return a frame as `view` shows it, if it came not long ago."""
        known = self._known(frame)
        return known.row if known else None

    def session_of(self, frame: Frame) -> str | None:
        """Return the id of the session that a frame belongs to, if it came not long ago."""
        known = self._known(frame)
        return known.session if known else None

    def _known(self, frame: Frame) -> _Known | None:
        self.catch_up()
        return self._seen.get(frame.seq)

    def _fail(self, frame: Frame, error: Exception) -> None:
        if not self._has_failed:
            self._has_failed = True
            bug = f"a bug in acp-spy, please report it: {error!r}"
            self._complain(f"{bug}; what frame {frame.seq} means is not known")


def _session_of(moment: Moment) -> str | None:
    if type(moment) is Chunk:
        return moment.session.id
    return moment.session_id if isinstance(moment, Step) else None
