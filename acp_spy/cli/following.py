"""
`acp-spy view -f`: a capture shown while it is being written, until Ctrl-C.

On a terminal, what is not complete yet (a text that streams) and a line of the requests that are
pending are redrawn at the bottom, in place. In a pipe, and on a dumb terminal, rows are written as
soon as they are complete, and we end with the capture: the reader of a pipe waits for its end.
"""

import os
import sys
import time

from acp_spy.capture.files import Follower
from acp_spy.capture.folder import look_at
from acp_spy.capture.opening import without_links
from acp_spy.cli.capture_input import next_recording
from acp_spy.cli.console import FINE, report_bugs, silence_stdout
from acp_spy.errors import AcpSpyError
from acp_spy.lint.ruleset import ALL_RULES, Ruleset
from acp_spy.view.filters import RowFilter
from acp_spy.view.layout import is_dumb, layout_of_terminal, terminal_size
from acp_spy.view.live_view import LiveView
from acp_spy.wire.inert import inert_lines

_PAUSE = 0.05  # seconds between two looks: a row is to be seen within a tenth
_SILENCE = 2.0  # seconds without growth before we ask whether anybody still writes
_INTERRUPTED = 130
_EXITED = "the agent exited"
_CUT_OFF = "cut off: the agent's exit was not recorded"
_DELETED = "it was deleted"


def follow(
    path: str, folder: str, row_filter: RowFilter, ruleset: Ruleset = ALL_RULES, *, fold: bool
) -> int:
    """
    Show the capture at `path` as it grows; return the exit status.

    Without a path it is the one that is being recorded into `folder`, or the next to be.
    """
    if os.path.exists(path) and not os.path.isfile(path):
        raise AcpSpyError(f"cannot follow `{path}`: it is not a regular file", hint="remove `-f`")
    try:
        path = path or next_recording(folder)
    except KeyboardInterrupt:
        return _INTERRUPTED
    following = _Following(path, row_filter, ruleset, fold=fold)
    try:
        while True:
            may_be_more = following.step()
            if following.is_over:
                return report_bugs(following.view.timeline.crashes, path)
            if not may_be_more:
                time.sleep(_PAUSE)
    except KeyboardInterrupt:
        following.finish()
        report_bugs(following.view.timeline.crashes, path)
        return _INTERRUPTED
    except BrokenPipeError:
        silence_stdout()
        return FINE
    finally:
        following.close()


class _Following:
    """A capture that is being followed, and what of it is on the screen."""

    def __init__(self, path: str, row_filter: RowFilter, ruleset: Ruleset, *, fold: bool) -> None:
        self._path = path
        self._follower = Follower(path)
        self.view = LiveView(path, row_filter, ruleset, layout_of_terminal(fold=fold))
        self._can_redraw = sys.stdout.isatty() and not is_dumb()
        self._bottom: list[str] = []  # what is redrawn each time
        self._grew_at = time.monotonic()
        self._is_ours = False
        self._was_abandoned = self._has_no_writer()  # before we came: no use to wait
        self._end = ""  # how it has ended, if that has been said
        self._closed = False

    @property
    def is_over(self) -> bool:
        """Whether the capture has ended, and no person is at the terminal to look at it."""
        return bool(self._end) and not self._can_redraw

    def step(self) -> bool:
        """Show what has come; return whether there may be more at once."""
        records = self._follower.take()
        # Not before: what came after the window was resized must not be drawn in the old width.
        self.view.terminal.resize(terminal_size().columns)
        if not self._follower.at_end:
            self._grew_at = time.monotonic()
            if self._end == _CUT_OFF:
                self._end = ""  # it is still being written
        lines = self.view.feed(records)
        if not self._can_redraw:
            lines += self.view.flush()
        if self._follower.at_end:  # else it may be in the middle of a huge line
            lines += self._end_lines()
        self._draw(lines)
        return not self._follower.at_end

    def finish(self) -> None:
        """Leave the screen as if everything had been shown at once."""
        self.view.terminal.resize(terminal_size().columns)
        self._draw(self.view.flush(), bottom=False)

    def close(self) -> None:
        """Read no more."""
        self._follower.close()

    def _end_lines(self) -> list[str]:
        """Return what is said, once, when nothing more will come; a straggler changes nothing."""
        if self._end:
            return []
        if self.view.timeline.ended:
            self._end = _EXITED
        elif self._is_abandoned():
            self._end = _DELETED if self._follower.is_deleted else _CUT_OFF
        else:
            return []
        lines = self.view.flush()
        if not self._closed:
            self._closed = True
            lines += self.view.close()
        how_to_quit = "; press Ctrl-C to quit" if self._can_redraw else ""
        end = f"the capture ended ({self._end}){how_to_quit}"
        return [*lines, *self.view.terminal.foot(end)]

    def _is_abandoned(self) -> bool:
        if self._was_abandoned:
            return True
        is_silent = time.monotonic() - self._grew_at >= _SILENCE
        return is_silent and (self._follower.is_deleted or self._has_no_writer())

    def _has_no_writer(self) -> bool:
        # Once it has a header. By then it may be somewhere else.
        self._is_ours = self._is_ours or look_at(without_links(self._path)) is not None
        return self._is_ours and not self._follower.is_recorded

    def _draw(self, lines: list[str], *, bottom: bool = True) -> None:
        out = sys.stdout
        if not self._can_redraw:
            if lines:
                out.write(inert_lines("\n".join(lines) + "\n"))
                out.flush()
            return
        most = max(terminal_size().lines - 3, 1)
        below = self.view.unfinished(time.time(), most, ended=bool(self._end)) if bottom else []
        if not lines and below == self._bottom:
            return
        clear = f"\x1b[{len(self._bottom)}F\x1b[J" if self._bottom else ""
        out.write(clear + "".join(f"{line}\n" for line in lines + below))
        out.flush()
        self._bottom = below
