"""
`acp-spy view -f`: a capture shown while it is being written, until Ctrl-C.

On a terminal, what is not complete yet (a text that streams) and a line that says who owes whom
an answer are drawn anew at the bottom, in place. In a pipe, and on a terminal that is said to be
dumb, rows come as soon as they are there, and the end of the capture is ours: whoever reads a
pipe waits for an end, too.
"""

import os
import sys
import time
from datetime import datetime

from rich.console import Console

from acp_spy.capture.files import Follower
from acp_spy.capture.folder import look_at
from acp_spy.capture.records import Header, Record
from acp_spy.cli.captures import next_recording
from acp_spy.cli.quiet_pipe import silence_stdout
from acp_spy.cli.rule_bugs import tell_bugs
from acp_spy.conversation.state import Conversation
from acp_spy.errors import AcpSpyError
from acp_spy.lint.linter import Crash
from acp_spy.lint.ruleset import ALL_RULES, Ruleset
from acp_spy.view.filters import Wants
from acp_spy.view.folding import Folder, Item
from acp_spy.view.style import Piece, cut, paint
from acp_spy.view.text import terminal_for
from acp_spy.view.timeline import Timeline
from acp_spy.wire.inert import inert

_PAUSE = 0.05  # seconds between two looks: a row is to be seen within a tenth
_SILENCE = 2.0  # seconds without growth before we ask whether anybody still writes
_MOST_OWED = 3
_INTERRUPTED = 130
_EXITED = "the agent has exited"
_CUT_OFF = "cut off: nobody writes it any more"


def follow(
    path: str, folder: str, wants: Wants, judging: Ruleset = ALL_RULES, *, fold: bool
) -> int:
    """
    Show the capture at `path` as it grows; return the exit status.

    Without a path it is the one that is being recorded into `folder`, or the next to be.
    """
    if os.path.exists(path) and not os.path.isfile(path):
        raise AcpSpyError(
            f"`{path}` is no file, and only a file can be followed", hint="leave out `-f`"
        )
    try:
        path = path or next_recording(folder)
    except KeyboardInterrupt:
        return _INTERRUPTED
    following = _Following(path, wants, judging, fold=fold)
    try:
        while True:
            may_be_more = following.step()
            if following.is_over:
                return tell_bugs(following.crashes, path)
            if not may_be_more:
                time.sleep(_PAUSE)
    except KeyboardInterrupt:
        following.leave()
        tell_bugs(following.crashes, path)
        return _INTERRUPTED
    except BrokenPipeError:
        silence_stdout()
        return 0
    finally:
        following.close()


class _Following:
    """What is known of a capture that is being followed, and what is on the screen of it."""

    def __init__(self, path: str, wants: Wants, judging: Ruleset, *, fold: bool) -> None:
        self._path = path
        self._wants = wants
        self._fold = fold
        self._follower = Follower(path)
        self._timeline = Timeline(judging)
        self._folder = Folder()
        self._console = Console()
        # FORCE_COLOR makes a terminal of any pipe, as rich sees it; not for moving a cursor.
        can_move = self._console.is_terminal and not self._console.is_dumb_terminal
        self._can_redraw = can_move and sys.stdout.isatty()
        self._terminal = terminal_for(self._console)
        self._bottom: list[str] = []  # what is drawn anew each time
        self._header = Header()
        self._grew_at = time.monotonic()
        self._said_end = ""  # how it has ended, if that has been said
        self._closed = False

    @property
    def is_over(self) -> bool:
        """Whether nothing more can come, and nobody sits before it who would still look at it."""
        return bool(self._said_end) and not self._can_redraw

    def step(self) -> bool:
        """Show what has come; return whether there may be more at once."""
        self._terminal.resize(self._console.width)
        records = self._follower.take()
        if records:
            self._grew_at = time.monotonic()
            if self._said_end == _CUT_OFF:
                self._said_end = ""  # somebody writes it after all
        lines = [line for record in records for line in self._lines(record)]
        if not self._can_redraw:
            lines += self._rest()
        if not records:
            lines += self._end()
        self._draw(lines)
        return bool(records)

    @property
    def crashes(self) -> list[Crash]:
        """The rules that raised so far."""
        return self._timeline.crashes

    def leave(self) -> None:
        """Leave the screen as if everything had been shown at once."""
        self._terminal.resize(self._console.width)
        self._draw(self._rest(), bottom=False)

    def close(self) -> None:
        """Read no more."""
        self._follower.close()

    def _lines(self, record: Record) -> list[str]:
        if isinstance(record, Header):
            self._header = record
            return self._terminal.head(self._path, record)
        items: list[Item] = []
        for row in self._timeline.feed(record):
            if self._wants(row):
                items += self._folder.feed(row) if self._fold else [row]
        return [line for item in items for line in self._terminal.lines(item)]

    def _rest(self) -> list[str]:
        return [line for item in self._folder.close() for line in self._terminal.lines(item)]

    def _end(self) -> list[str]:
        """Return what is said, once, when nothing more will come; a straggler changes nothing."""
        if self._said_end:
            return []
        if self._timeline.ended:
            self._said_end = _EXITED
        elif self._is_abandoned():
            self._said_end = _CUT_OFF
        else:
            return []
        lines = self._rest()
        if not self._closed:
            self._closed = True
            lines += self._terminal.findings(self._timeline.close())
        leave = "; Ctrl-C to leave" if self._can_redraw else ""
        return [*lines, *self._terminal.foot(f"the capture has ended ({self._said_end}){leave}")]

    def _is_abandoned(self) -> bool:
        if time.monotonic() - self._grew_at < _SILENCE:
            return False
        entry = look_at(os.path.realpath(self._path))
        return entry is not None and not entry.running

    def _draw(self, lines: list[str], *, bottom: bool = True) -> None:
        out = sys.stdout
        if not self._can_redraw:
            if lines:
                out.write("\n".join(lines) + "\n")
                out.flush()
            return
        below = self._unfinished() if bottom else []
        if not lines and below == self._bottom:
            return
        clear = f"\x1b[{len(self._bottom)}F\x1b[J" if self._bottom else ""
        out.write(clear + "".join(f"{line}\n" for line in lines + below))
        out.flush()
        self._bottom = below

    def _unfinished(self) -> list[str]:
        """Return what may still change: folds that go on, and who owes whom."""
        most = max(self._console.height - 3, 1)
        waiting = [line for item in self._folder.waiting for line in self._terminal.lines(item)]
        return [*waiting[-most:], self._status()]

    def _status(self) -> str:
        state = self._timeline.state
        told = owed(state, self._now(state))
        style = "slow" if told else "dim"
        pieces: list[Piece] = [("dim", "── "), (style, inert(told) or "nobody owes an answer")]
        return paint(cut(pieces, self._terminal.width), colour=self._terminal.colour)

    def _now(self, state: Conversation) -> float:
        """Return the time on the capture's clock; the last record's, if it has ended."""
        if self._said_end:
            return state.t
        try:
            started = datetime.fromisoformat(self._header.started).timestamp()
        except ValueError:
            return state.t
        return max(time.time() - started, state.t)


def owed(state: Conversation, now: float) -> str:
    """Return who owes whom an answer, and for how long: the oldest first."""
    open_ones = sorted(state.pending.values(), key=lambda exchange: exchange.t)
    told = [
        f"{exchange.sender.other.value} owes `{exchange.method}` {max(now - exchange.t, 0):.1f} s"
        for exchange in open_ones[:_MOST_OWED]
    ]
    if len(open_ones) > _MOST_OWED:
        told.append(f"{len(open_ones) - _MOST_OWED} more")
    return ", ".join(told)
