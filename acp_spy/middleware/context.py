"""What is known of the conversation when a stage looks at a frame."""

from collections.abc import Callable
from typing import TYPE_CHECKING, final

import msgspec

from acp_spy.conversation.chunk import Chunk, stray_run
from acp_spy.conversation.state import Conversation, Run, Step
from acp_spy.conversation.tracker import Moment, Tracker
from acp_spy.wire.frame import Frame

if TYPE_CHECKING:
    from acp_spy.view.timeline import Passed, Row

# Of the last frames the meaning is known: of so many at least, unless they are large, and of twice
# as many at most. A decoded message takes several times its bytes.
_MOST_FRAMES = 2048
_MOST_BYTES = 2 * 1024 * 1024


@final
class _Known(msgspec.Struct, frozen=True):
    """What a frame meant when it came, and its row if there are rows."""

    moment: Moment
    row: "Row | None" = None


class Context:
    """
    Follows the frames as they were sent.

    With `needs_rows` it also has each frame as `view` shows it, for the filters of `view`.

    What a frame means takes longer to find out than to pass it on, and most that change the traffic
    need it of few frames: it is found out when it is asked for, when there is time (`catch_up`), or
    when the next frame comes. Most frames go on with a text, and are known by their bytes. Those
    are taken in at once, only what they have in common is kept (`Run`), and a row is made when
    somebody asks for it (`Passed`). `complain` takes a line for stderr.
    """

    def __init__(self, complain: Callable[[str], None], *, needs_rows: bool) -> None:
        self._complain = complain
        self._pass_text: Callable[[Frame], Run | Passed | None]
        self._look: Callable[[Frame], _Known]
        self._row_of: Callable[[Passed], Row]
        if needs_rows:
            from acp_spy.view.timeline import Timeline

            timeline = Timeline(ruleset=None)
            self._state = timeline.state
            self._pass_text, self._row_of = timeline.pass_text, timeline.row_of

            def look(frame: Frame) -> _Known:
                rows = timeline.feed(frame)
                return _Known(timeline.moment, rows[0] if rows else None)
        else:
            tracker = Tracker()
            self._state = tracker.state
            self._pass_text = tracker.pass_text

            def look(frame: Frame) -> _Known:
                return _Known(tracker.follow(frame))

        self._look = look
        # The bytes of the last frame, if it goes on with a text: a plain `session/update`.
        self.text: bytes | None = None
        self._new: Frame | None = None  # the last frame, if it was not looked at yet
        self._seen: dict[int, _Known | Run | Passed] = {}  # by the number of the frame
        self._seen_before: dict[int, _Known | Run | Passed] = {}
        self._bytes_seen = 0
        self._made: tuple[Passed, Row] | None = None  # the last row that was asked for
        self._has_failed = False

    @property
    def state(self) -> Conversation:
        """The conversation so far."""
        self.catch_up()
        return self._state

    def follow(self, frame: Frame) -> None:
        """Take a frame."""
        if self._new is not None:
            self.catch_up()
        try:
            known = self._pass_text(frame)
        except Exception as error:  # noqa: BLE001 - a bug of ours must not stop the traffic
            self._fail(frame, error)
            self.text = None  # nor is it looked at: part of it may have been taken in
            return
        if known is None:
            self.text, self._new = None, frame
            return
        self.text = frame.raw
        self._seen[frame.seq] = known
        self._bytes_seen += len(frame.raw)
        if self._bytes_seen > _MOST_BYTES or len(self._seen) > _MOST_FRAMES:
            self._forget(frame)

    def catch_up(self) -> None:
        """Take into the state what has come."""
        frame, self._new = self._new, None
        if frame is None:
            return
        try:
            self._seen[frame.seq] = self._look_closely(frame)
        except Exception as error:  # noqa: BLE001 - a bug of ours must not stop the traffic
            self._fail(frame, error)
            return
        self._bytes_seen += len(frame.raw)
        if self._bytes_seen > _MOST_BYTES or len(self._seen) > _MOST_FRAMES:
            self._forget(frame)

    def step(self, frame: Frame) -> Step | None:
        """Return what a frame meant when it came, if it came not long ago and is not plain text."""
        known = self._known(frame)
        moment = known.moment if type(known) is _Known else None
        return moment if isinstance(moment, Step) else None

    def session_of(self, frame: Frame) -> str | None:
        """Return the id of the session that a frame belongs to, if it came not long ago."""
        known = self._known(frame)
        if type(known) is not _Known:
            run = _run_of(known)
            return run.session.id if run else None
        moment = known.moment
        if type(moment) is Chunk:
            return moment.session.id
        return moment.session_id if isinstance(moment, Step) else None

    def run_of(self, frame: Frame) -> Run | None:
        """Return what a frame has in common with the one before it, if it goes on with a text."""
        known = self._known(frame)
        return None if type(known) is _Known else _run_of(known)

    def row(self, frame: Frame) -> "Row | None":
        """Return a frame as `view` shows it, if it came not long ago."""
        known = self._known(frame)
        if type(known) is _Known:
            return known.row
        if known is None or type(known) is Run:
            return None
        made = self._made
        if made is None or made[0] is not known:  # more than one stage may ask
            made = self._made = known, self._row_of(known)
        return made[1]

    def may_be_in_turn(self, number: int) -> bool:
        """Whether the last frame may be in this turn, as far as is known without looking at it."""
        return number <= self._state.turn_count + 1  # it may begin the next one

    def turn_number(self, frame: Frame) -> int | None:
        """Return the number of the turn in which a frame came, as its row has it."""
        known = self._known(frame)
        if type(known) is _Known:
            return known.row.turn_number if known.row else None
        return None if known is None or type(known) is Run else known.turn[1]

    def _known(self, frame: Frame) -> "_Known | Run | Passed | None":
        if self._new is not None:
            self.catch_up()
        seq = frame.seq
        return self._seen.get(seq) or self._seen_before.get(seq)

    def _look_closely(self, frame: Frame) -> _Known:
        known, state = self._look(frame), self._state
        if state.run is None:
            state.run = stray_run(state, frame)
        return known

    def _forget(self, last: Frame) -> None:
        """Forget what was seen before all of this; the last frame stays known in any case."""
        self._seen_before, self._seen = self._seen, {}
        # One that is too large by itself is forgotten with the next frame.
        self._bytes_seen = _MOST_BYTES if len(last.raw) > _MOST_BYTES else 0

    def _fail(self, frame: Frame, error: Exception) -> None:
        if not self._has_failed:
            self._has_failed = True
            bug = f"a bug in acp-spy, please report it: {error!r}"
            self._complain(f"{bug}; what frame {frame.seq} means is not known")


def _run_of(known: "Run | Passed | None") -> Run | None:
    return known if known is None or type(known) is Run else known.run
