"""The captures of the folder: those that are being recorded first, new ones by themselves."""

import os
import time
from typing import cast

from textual.app import ComposeResult
from textual.timer import Timer

from acp_spy.console.host import Host
from acp_spy.console.keys import LIST, bindings
from acp_spy.console.panes import Head, Line, LinesPane, Pane
from acp_spy.console.screen import ConsoleScreen
from acp_spy.errors import AcpSpyError
from acp_spy.units import counted, size, span
from acp_spy.view.captures.live import LiveCapture, LiveCaptures
from acp_spy.view.captures.text import findings_words, local, peer_words, state_words
from acp_spy.view.style import Piece, broken, width_of
from acp_spy.wire.inert import inert

_LOOK = 0.5  # seconds between two looks at the folder
_SLICE = 0.02  # seconds of reading before a key gets its turn
_INDENT = 13
_MOST_LINES = 3  # of a diagnosis, and of a pending request
_WAYS = (
    ("acp-spy demo", "records a short conversation, with nothing else installed"),
    ("acp-spy setup", "adds an agent with acp-spy in front to your editor's settings"),
    ("acp-spy -- AGENT", "in your editor's settings, put `acp-spy --` in front of the agent"),
)


class CapturesPane(LinesPane):
    """A capture in one or two lines; the cursor is on one of them."""

    def __init__(self) -> None:
        super().__init__(id="captures")
        self.captures: list[LiveCapture] = []
        self._of_line: list[int] = []
        self._shown_lines: list[Line] = []
        self._made: dict[str, tuple[LiveCapture, list[Line]]] = {}  # lines, by path
        self._made_for = 0  # cells

    def update(self, captures: list[LiveCapture]) -> None:
        """Show these captures; the cursor stays on its own."""
        current = self.current
        self.captures = captures
        lines: list[Line] = []
        self._of_line = []
        first_lines: dict[str, int] = {}
        room = self.room
        before = self._made if room == self._made_for else {}
        self._made, self._made_for = {}, room
        for number, capture in enumerate(captures):
            first_lines[capture.summary.path] = len(lines)
            made = before.get(capture.summary.path)
            if made is None or made[0] is not capture:
                made = capture, capture_lines(capture, room)
            self._made[capture.summary.path] = made
            shown = made[1]
            lines += shown
            self._of_line += [number] * len(shown)
        if lines == self._shown_lines:
            return
        self._shown_lines = lines
        self.show(lines, keep=True)
        if current is not None and current.summary.path in first_lines:
            self.cursor = first_lines[current.summary.path]
        self.move(0)

    @property
    def current(self) -> LiveCapture | None:
        """The capture with the cursor."""
        if not self._of_line:
            return None
        return self.captures[self._of_line[min(self.cursor, len(self._of_line) - 1)]]

    def move(self, rows: int) -> None:
        """Move by captures."""
        if not self._of_line:
            return
        number = self._of_line[min(self.cursor, len(self._of_line) - 1)]
        wanted = min(max(number + rows, 0), len(self.captures) - 1)
        first = self._of_line.index(wanted)
        last = len(self._of_line) - 1 - self._of_line[::-1].index(wanted)
        super().move(last - self.cursor)
        super().move(first - self.cursor)

    def page(self, pages: int) -> None:
        """Move by what is seen."""
        self.move(pages * max(self.size.height // 3, 1))

    def click_line(self, y: int) -> bool:
        """Put the cursor on the capture of a line."""
        at = self.top + y
        if at >= len(self._of_line):
            return False
        wanted = self._of_line.index(self._of_line[at])
        was_there, self.cursor = self.cursor == wanted, wanted
        self.refresh()
        return was_there


def capture_lines(capture: LiveCapture, width: int) -> list[Line]:
    """Return a capture in lines: what it is, its diagnosis, and what it waits for."""
    summary = capture.summary
    found = summary.diagnosis
    words = found.words if found else "open it to diagnose it" if capture.is_read else "…"
    wrong = bool(found and found.is_wrong)
    # How it ended is written at its end.
    is_known = capture.is_read or capture.is_running
    state, style = state_words(summary) if is_known else ("", "")
    is_counted = is_known and summary.frames is not None
    frames = counted(summary.frames or 0, "frame") if is_counted else size(summary.size)
    took = f" in {span(summary.seconds)}" if is_known and summary.seconds is not None else ""
    agent = peer_words(summary.agent)
    first: list[Piece] = [
        ("dim", local(summary.started).strftime("%m-%d %H:%M  ")),
        (style, f"{state:<9}"),
        ("error" if wrong else "agent" if found else "dim", f" {words}"),
        ("", f"  {inert(agent[:80])}"),
        ("dim", f"  {frames}{took}"),
    ]
    found_words = [
        (level, f"  {counted(count, level)}")
        for level in ("error", "warning", "note")
        if (count := (summary.findings or {}).get(level))
    ]
    if sum(width_of(text) for _, text in (*first, *found_words)) > width:
        found_words = [(level, f"  {text}") for level, text in findings_words(summary.findings)]
    first += found_words
    name: Piece = ("dim", f"  {inert(summary.name)}")
    used = sum(width_of(text) for _, text in (*first, name))
    lines: list[Line] = [[*first, name]] if used <= width else [first]
    if capture.is_running:
        below = [("error", inert(found.text))] if found and wrong else []
        below += [("slow", line) for line in capture.waiting]
        for style, text in below:
            shown = broken(text, width - _INDENT, _MOST_LINES)
            lines += [[(style, f"{'':>{_INDENT}}{line}")] for line in shown]
    return lines


class CapturesScreen(ConsoleScreen):
    """The list of captures."""

    name_of_keys = LIST
    BINDINGS = bindings(LIST)

    def __init__(self, folder: str) -> None:
        super().__init__()
        self._live = LiveCaptures(folder)
        self._search = ""
        self._timer: Timer | None = None  # until it is read on
        self.is_read = False  # everything that is to be read for the list

    @property
    def _host(self) -> Host:
        return cast("Host", self.app)

    @property
    def pane(self) -> Pane:
        """What the keys move in."""
        return self.query_one(CapturesPane)

    def compose(self) -> ComposeResult:
        """Give the parts."""
        yield Head([], id="title")
        yield Head([], id="ways")
        yield CapturesPane()
        yield from self.compose_bottom()

    def on_mount(self) -> None:
        """Look at the folder, now and then again."""
        super().on_mount()
        self.pane.focus()
        self.set_interval(_LOOK, self.look)
        self.call_after_refresh(self.look)

    def on_unmount(self) -> None:
        """Read no more."""
        self._live.close()

    def look(self) -> None:
        """Look at the folder, and read on for a moment."""
        if not self.is_current or not self.is_whole:
            return
        try:
            self._live.refresh()
        except AcpSpyError as error:
            self.query_one("#title", Head).show([[("error", inert(error.message))]])
            return
        if self._timer is not None:  # it is being read already
            self._timer.stop()
        self._read_on()

    def _read_on(self) -> None:
        self._timer = None
        if not self.is_whole:
            return
        until = time.monotonic() + _SLICE
        while (has_more := self._live.advance()) and time.monotonic() < until:
            pass
        self.show(self._live.listed(time.time()))
        self.is_read = not has_more
        if has_more and self.is_current:
            self._timer = self.set_timer(_SLICE / 2, self._read_on)

    def show(self, captures: list[LiveCapture]) -> None:
        """Show these captures."""
        running = sum(capture.is_running for capture in captures)
        folder = inert(self._live.folder)
        count = counted(len(captures), "capture") if captures else "no captures yet"
        title: Line = [
            ("bold", "acp-spy  "),
            ("", f"{count}, {running} running" if captures else count),
            ("dim", f"  in {folder}"),
        ]
        wanted = [each for each in captures if self._matches(each)]
        if self._search:
            found = f"  {len(wanted)} with `{inert(self._search)}`; esc shows all"
            title = [*title[:2], ("client", found), *title[2:]]
        self.query_one("#title", Head).show([title])
        self.query_one("#ways", Head).show([] if captures else list(_ways()))
        self.query_one(CapturesPane).update(wanted)

    def _matches(self, capture: LiveCapture) -> bool:
        summary = capture.summary
        words = f"{summary.name} {summary.agent.name} {summary.client.name}"
        if summary.diagnosis:
            words += f" {summary.diagnosis.words} {summary.diagnosis.text}"
        return self._search.lower() in words.lower()

    # ------------------------------------------------------------------ what keys do

    def on_pane_opened(self) -> None:
        """Open what was clicked twice."""
        self.action_open()

    def action_open(self) -> None:
        """Open the capture."""
        current = self.query_one(CapturesPane).current
        if current is not None:
            self.attempt(lambda: self._host.open_capture(current.summary.path))

    def action_search(self) -> None:
        """Ask for words that captures must have."""
        self.ask("/", self._search, self._set_search, "words of a name, an agent or a diagnosis")

    def _set_search(self, words: str) -> None:
        self._search = words
        self.look()

    def action_copy(self) -> None:
        """Copy the path of the capture."""
        current = self.query_one(CapturesPane).current
        if current is not None:
            path = os.fsencode(current.summary.path).decode(errors="replace")
            self.app.copy_to_clipboard(path)
            self.notify(f"copied: {current.summary.path}")

    def action_page(self) -> None:
        """Open the page of the capture."""
        current = self.query_one(CapturesPane).current
        if current is not None:
            self.attempt(lambda: self._host.open_page(current.summary.path, ()))

    def action_back(self) -> None:
        """Close the line, or show all captures again."""
        if not self.close_line() and self._search:
            self._set_search("")

    def action_leave(self) -> None:
        """Quit."""
        self.action_quit()


def _ways() -> list[Line]:
    lines: list[Line] = [(), [("bold", "  Three ways to get one:")], ()]
    for command, does in _WAYS:
        lines += [[("name", f"    {command}")], [("", f"      {does}")], ()]
    lines.append([("dim", "  Waiting: a new capture appears here by itself.")])
    return lines
