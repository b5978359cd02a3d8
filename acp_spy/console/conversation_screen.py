"""One conversation: its rows, its details, findings, statistics, stderr and held frames."""

import os
import sys
from collections.abc import Iterator
from functools import partial
from typing import cast

from textual import events, on
from textual.app import App, ComposeResult
from textual.containers import Container, Vertical
from textual.widgets import ContentSwitcher

from acp_spy.console.details import DetailsPane
from acp_spy.console.document import Document, search
from acp_spy.console.export import Export
from acp_spy.console.held import COMMANDS as HELD_COMMANDS
from acp_spy.console.held import HeldPanel
from acp_spy.console.host import Host
from acp_spy.console.keys import CONVERSATION, bindings
from acp_spy.console.panes import Head, Line, LinesPane, Pane
from acp_spy.console.reader import Status, progress
from acp_spy.console.reading import Ask, Errors, Failed, Findings, Message, Progress, Statistics
from acp_spy.console.reports import FindingsPane, StatsPane
from acp_spy.console.rows import RowsPane
from acp_spy.console.screen import ConsoleScreen, spelled
from acp_spy.console.shelf import Region, Shelf
from acp_spy.errors import AcpSpyError
from acp_spy.units import counted, span
from acp_spy.view.filters import row_filter, split
from acp_spy.view.style import Piece, broken
from acp_spy.wire.frame import Frame
from acp_spy.wire.inert import inert

PANELS = ("details", "findings", "stats", "stderr", "held")
_WIDE = 150  # from here on the panel is beside the rows
_TALL = 36  # from here on there is room for it from the beginning
_MOST_LINES = 3  # of the diagnosis, and of a pending request
_LOW = 16  # lines of a terminal: below this, each of these has one line, to leave room for rows
_MOST_COPIED = 200_000  # bytes: terminals take no more
_FILTERS = "for example from:agent method:session/* -kind:response; empty: all"
_LOOK = 1.0  # seconds between two looks at the file
_LONGEST_NUMBER = 18  # digits: Python refuses to read very long ones
_SEARCH_SLICE = 4  # pieces of work before a key gets its turn


class ConversationScreen(ConsoleScreen):
    """The capture at `path`."""

    name_of_keys = CONVERSATION
    BINDINGS = bindings(CONVERSATION)

    def __init__(self, path: str, shelf: Shelf) -> None:
        super().__init__()
        self.path = path
        self.filters: tuple[str, ...] = ()
        self.folds = True
        self.run_number = 0
        shelf.look_at(Region())  # what is there may be of another capture
        self._document = Document(path, shelf)
        self._words = ""  # that are searched for
        self._is_searching = False
        self._is_fresh = True
        self._member = 0  # the frame of a folded row that is shown
        self._failure = ""  # why it cannot be read

    @property
    def _host(self) -> Host:
        return cast("Host", self.app)

    @property
    def rows(self) -> RowsPane:
        """The rows."""
        return self.query_one(RowsPane)

    @property
    def is_read(self) -> bool:
        """Whether the capture is read to its end, so far."""
        return self._document.status.run == self.run_number and self._document.status.is_read

    @property
    def panel(self) -> str:
        """Which panel is open; empty if none is."""
        below = self.query_one("#below")
        return str(self.query_one(ContentSwitcher).current) if below.display else ""

    @property
    def pane(self) -> Pane:
        """What the keys move in."""
        focused = self.focused
        return focused if isinstance(focused, Pane) else self.rows

    def compose(self) -> ComposeResult:
        """Give the parts."""
        yield Head([], id="title")
        with Container(id="body"):
            yield RowsPane(self._document, id="rows")
            with Vertical(id="below"):
                yield Head([], id="tabs")
                with ContentSwitcher(initial="details"):
                    yield DetailsPane(self._document, id="details")
                    yield FindingsPane(id="findings")
                    yield StatsPane(self.path, id="stats")
                    yield LinesPane(id="stderr")
                    yield HeldPanel(self.path, id="held")
        yield Head([], id="pending")
        yield from self.compose_bottom()

    def on_mount(self) -> None:
        """Begin to read."""
        super().on_mount()
        self.query_one("#below").display = self.app.size.height >= _TALL
        self._show_tabs()
        self.rows.focus()
        self.set_interval(_LOOK, self._look)
        self._read()

    def on_unmount(self) -> None:
        """Read no more."""
        self._document.close()

    def on_resize(self, event: events.Resize) -> None:
        """Put the panel beside the rows, or below."""
        super().on_resize(event)
        self.query_one("#body").set_class(event.size.width >= _WIDE, "wide")
        self._show_status()

    def _read(self) -> None:
        """Have the capture read for these filters, from the beginning."""
        self._document.is_filtered = bool(self.filters)
        self._failure = ""
        self.run_number = self._host.read(self.path, self.filters, fold=self.folds)
        self._show_status()
        self.rows.update()

    # ------------------------------------------------------------------ what is read

    def take(self, message: Message) -> None:
        """Take what the reader says."""
        if not self.is_whole:
            return
        match message:
            case Progress(status=status) if status.run == self.run_number:
                self._update(status)
            case _ if not isinstance(message, Progress) and message.run != self.run_number:
                pass  # about what was shown before; or this screen is not there yet
            case Findings():
                self.query_one(FindingsPane).show_findings(message)
            case Errors(lines=lines):
                shown = [
                    [("dim", f"{t:>9.3f}  "), ("", inert(line.rstrip("\n").expandtabs(4)))]
                    for t, text in lines
                    for line in text.rstrip("\n").split("\n")
                ]
                nothing: list[Line] = [[("dim", "nothing on stderr so far")]]
                self.query_one("#stderr", LinesPane).show(shown or nothing, at_end=True, keep=True)
            case Statistics(stats=stats):
                self.query_one(StatsPane).show_stats(stats)
            case Failed(message=text, hint=hint):
                self._fail(AcpSpyError(text, hint=hint))
            case _:
                pass

    def _look(self) -> None:
        """Look whether the file is still what was read."""
        if not self.is_whole:
            return
        try:
            self._document.check()
        except AcpSpyError as error:
            self._fail(error)

    def _fail(self, error: AcpSpyError) -> None:
        """Show, for as long as it is so, why there are no more rows."""
        if not self._failure:
            self._failure = spelled(error)
            self._show_status()

    def _update(self, status: Status) -> None:
        known = self._document.status
        self._document.update(status)
        rows = self.rows
        if self._is_fresh and status.items:
            self._is_fresh = False
            rows.follows = status.running
        rows.update()
        self._show_status()
        if self.panel == "details":
            self._show_details()
        elif self.panel and _is_news(known, status):
            self._ask_for_panel()

    def _ask_for_panel(self) -> None:
        if self.panel in ("findings", "stderr", "stats"):
            self._host.ask(Ask(self.panel))

    # ------------------------------------------------------------------ what is shown around

    def _show_status(self) -> None:
        status, width = self._document.status, max(self.size.width, 20)
        title: list[Piece] = []
        if status.running or self.rows.follows:
            words = ["running"] if status.running else []
            words += ["following"] if self.rows.follows else []
            title.append(("agent", f"{', '.join(words)}  "))
        title.append(("", f"{counted(status.frames, 'frame')} in {span(status.t)}"))
        title += [
            (level, f"  {counted(status.counts[level], level)}")
            for level in ("error", "warning", "note")
            if status.counts.get(level)
        ]
        if self._is_searching:
            title.append(("slow", "  searching, esc stops"))
        if doing := progress(status):
            title.append(("slow", f"  {doing}"))
        if self.filters:
            title.append(("client", f"  filter: {inert(' '.join(self.filters))}"))
            title.append(("dim", f" ({status.shown:,} shown)"))
        if self._words:
            title.append(("client", f"  search: {inert(self._words)}"))
        if self.rows.marks:
            title.append(("bold", f"  {len(self.rows.marks)} marked"))
        if held := self.query_one(HeldPanel).summary:
            title.append(("slow", f"  {held}"))
        title.append(("bold", f"  {inert(os.path.basename(self.path))}"))
        self.query_one("#title", Head).show([title, *self._diagnosis_lines(width)])
        pending: list[Line] = []
        if status.running or status.pending:
            style = "slow" if status.pending else "dim"
            nothing = "no request is pending" if status.is_read else "not read to the end yet"
            words = status.pending or [nothing]
            for line in words:
                first, *rest = broken(line, width - 3, self._most_lines)
                pending += [[(style, f"── {first}")], *([(style, f"   {each}")] for each in rest)]
        self.query_one("#pending", Head).show(pending)

    @property
    def _most_lines(self) -> int:
        return _MOST_LINES if self.size.height >= _LOW else 1

    def _diagnosis_lines(self, width: int) -> Iterator[Line]:
        if note := self._document.status.note:
            for line in broken(f"note: {inert(note)}", width, self._most_lines):
                yield [("dim", line)]
        if found := self._document.status.diagnosis:
            style = "error" if found.is_wrong else "agent"
            shown = broken(f"{found.words}: {inert(found.text)}", width, self._most_lines)
            count = len(found.words)
            yield [(style, shown[0][:count]), ("", shown[0][count:])]
            yield from ([("", line)] for line in shown[1:])
        for line in broken(inert(self._failure, but="\n"), width, self._most_lines):
            yield [("error", line)]

    def _show_tabs(self) -> None:
        pieces: list[Piece] = [("dim", "── ")]
        for name in PANELS:
            title = name
            if name == "held":
                title = self.query_one(HeldPanel).summary or name
            is_open = name == self.panel
            pieces += [("bold" if is_open else "dim", f"[{title}]" if is_open else f" {title} ")]
        self.query_one("#tabs", Head).show([[*pieces, ("dim", "  tab: next")]])

    @on(Head.Clicked, "#tabs")
    def open_tab(self, message: Head.Clicked) -> None:
        """Open the panel that was clicked."""
        if 0 < message.piece <= len(PANELS):  # the first piece is a line
            self.open_panel(PANELS[message.piece - 1])

    def on_held_panel_changed(self, message: HeldPanel.Changed) -> None:
        """Show that frames are held: they go on by themselves after a time."""
        if message.is_first:
            self.open_panel("held")
        self._show_tabs()
        self._show_status()

    def on_rows_pane_moved(self) -> None:
        """Show the details of another row."""
        self._member = 0
        if self.panel == "details":
            self._show_details()

    def _show_details(self) -> None:
        self.query_one(DetailsPane).show_row(self.rows.current, self._member)

    def open_panel(self, name: str) -> None:
        """Open a panel."""
        self.query_one("#below").display = True
        self.query_one(ContentSwitcher).current = name
        self._show_tabs()
        if name == "details":
            self._show_details()
        else:
            self._ask_for_panel()

    def close_panel(self) -> None:
        """Show only the rows."""
        self.query_one("#below").display = False
        self.set_focus(self.rows)

    # ------------------------------------------------------------------ what keys do

    def on_pane_opened(self) -> None:
        """Open what was clicked twice."""
        self.action_open()

    def action_open(self) -> None:
        """Show the details; in a panel, go to what the line is about."""
        pane = self.pane
        if isinstance(pane, DetailsPane):
            pane.toggle()
        elif isinstance(pane, FindingsPane):
            if pane.seq:
                self.attempt(partial(self.go_to_frame, pane.seq))
        elif isinstance(pane, HeldPanel):
            if pane.current:
                self.attempt(partial(self.go_to_frame, pane.current["seq"]))
        elif isinstance(pane, RowsPane):
            if self.panel == "details":
                self.set_focus(self.query_one(DetailsPane))
            else:
                self.open_panel("details")

    def action_member(self, step: int) -> None:
        """Show another frame of a folded row."""
        current = self.rows.current
        if current is None or not current.last.seq:
            return
        seq = self._member or current.last.seq
        self._member = self._document.frame_beside(current, seq, back=step < 0)
        self.open_panel("details")

    def action_panel(self) -> None:
        """Open the next panel."""
        at = PANELS.index(self.panel) + 1 if self.panel else 0
        had_focus = self.pane is not self.rows
        self.open_panel(PANELS[at % len(PANELS)])
        if had_focus:
            self.set_focus(self.query_one(f"#{self.panel}"))

    def action_switch(self) -> None:
        """Go from the rows to the panel, and back."""
        if self.pane is not self.rows:
            self.set_focus(self.rows)
        else:
            self.open_panel(self.panel or "details")
            self.set_focus(self.query_one(f"#{self.panel}"))

    def action_back(self) -> None:
        """Close what is open; then go back to the captures."""
        if self.close_line():
            return
        if self._is_searching:
            self.workers.cancel_group(self, "search")
        elif self._words:
            self._words = ""
            self._show_status()
            self.notify("search ended: n goes to the next finding")
        elif self.panel:
            self.close_panel()
        elif self.filters:
            self.attempt(lambda: self._set_filters(()))
        else:
            self.action_leave()

    def action_leave(self) -> None:
        """Go back to the captures."""
        self._host.leave_capture()

    def action_follow(self) -> None:
        """Follow the end, or stay."""
        self.rows.follows = not self.rows.follows
        self.rows.update()
        self._show_status()

    def action_bottom(self) -> None:
        """Go to the last row; of a capture that is being recorded, follow it."""
        if self.pane is self.rows:
            self.rows.follows = self._document.status.running
        self.pane.go_to_edge(end=True)
        self._show_status()

    def action_fold(self) -> None:
        """Show each frame, or fold again."""
        self.attempt(self._fold)

    def _fold(self) -> None:
        self._document.check()  # the rows of another file would not fit its details
        self.folds = not self.folds
        self.notify("texts and tool calls are folded" if self.folds else "every frame is a row")
        self._read()

    def action_partner(self) -> None:
        """Jump to the partner."""
        current = self.rows.current
        if current is None:
            return
        seq = current.partner or current.row.partner
        if not seq:
            kind = "it has no response" if current.row.kind == "request" else "it has none"
            self.notify(f"cannot jump to the partner: {kind}", severity="warning")
            return
        self.attempt(partial(self.go_to_frame, seq))

    def go_to_frame(self, seq: int) -> None:
        """Go to the row with a frame."""
        place = self._document.place_of_frame(seq)
        if place is None:
            last = self._document.status.frames
            if 1 <= seq <= last:
                raise AcpSpyError(
                    f"cannot go to frame {seq}: no row is shown", hint="change the filter: press f"
                )
            raise AcpSpyError(
                f"cannot go to frame {seq}: no such frame",
                hint=f"use a frame from 1 to {last}",
            )
        self.rows.follows = False
        self.rows.go_to_middle(place)

    def run_command(self, words: str) -> None:
        """Go to a frame, or run another command."""
        if words.isdecimal():
            self.go_to_frame(int(words) if len(words) < _LONGEST_NUMBER else sys.maxsize)
        elif words.partition(" ")[0] in HELD_COMMANDS:
            self.query_one(HeldPanel).run_command(words)
        else:
            super().run_command(words)

    def action_filter(self) -> None:
        """Ask for filters."""
        self.ask("filter:", " ".join(self.filters), self._parse_filters, _FILTERS)

    def _parse_filters(self, line: str) -> None:
        tokens = tuple(split(line))
        row_filter(tokens)  # raises for a wrong one
        self._set_filters(tokens)

    def _set_filters(self, tokens: tuple[str, ...]) -> None:
        self._document.check()
        self.filters = tokens
        self._read()

    def action_search(self) -> None:
        """Ask for words."""
        self.ask("/", self._words, self._start_search, "words that rows show, or that were sent")

    def _start_search(self, words: str) -> None:
        self._words = words
        self._show_status()
        if words:
            self.action_next()

    def action_next(self) -> None:
        """Go to the next match, or finding."""
        self._step(back=False)

    def action_previous(self) -> None:
        """Go to the previous match, or finding."""
        self._step(back=True)

    def _step(self, *, back: bool) -> None:
        self.rows.follows = False
        if self._words:
            self.run_worker(self._search(back=back), exclusive=True, group="search")
            return
        found = self._document.next_finding(self.rows.cursor, back=back)
        if found is None:
            found = self._document.next_finding(None, back=back)
            self.notify("no findings so far" if found is None else _from_edge("finding", back))
        if found is not None:
            self.rows.go_to_middle(found)

    async def _search(self, *, back: bool) -> None:
        import asyncio

        words = self._words
        try:
            for start in (self.rows.cursor, None):
                for number, found in enumerate(search(self._document, words, start, back=back)):
                    if found is not None:
                        self.rows.go_to_middle(found)
                        if start is None:
                            self.notify(_from_edge("match", back))
                        return
                    if number % _SEARCH_SLICE == 0:
                        self._is_searching = number > 0
                        await asyncio.sleep(0)
        finally:
            self._is_searching = False
        self.notify(f"not found: {words}")

    def action_mark(self) -> None:
        """Mark the row."""
        self.rows.mark()
        self._show_status()

    def action_copy(self) -> None:
        """Copy the frame as it was sent."""
        current = self.rows.current
        if current is None:
            return
        seq = self.query_one(DetailsPane).seq if self.panel == "details" else 0
        seq = seq or current.row.seq or 0
        frame = self._document.record_of_frame(seq) if seq else None
        record = frame or self._document.record(current.place)
        raw = getattr(record, "raw", b"")
        if not raw:
            self.notify("cannot copy: this row has no bytes", severity="warning")
            return
        if len(raw) > _MOST_COPIED:
            self.notify(
                f"cannot copy: {len(raw):,} bytes are too many for a terminal\nhint: press x",
                severity="warning",
            )
            return
        self.app.copy_to_clipboard(raw.decode(errors="replace").rstrip("\r\n"))
        what = f"frame {seq}" if isinstance(record, Frame) else current.row.what
        self.notify(f"copied {what} ({len(raw):,} bytes)")

    def action_export(self) -> None:
        """Ask for a file."""
        count = len(self.rows.marks)
        what = f"{count} marked" if count else "the rows that are shown"
        self.ask(f"export {what} to:", "", self._export, "a file: .html, .md, .json, .txt, …")

    def _export(self, path: str) -> None:
        if not path:
            return
        export = Export(self._document, path, self.filters, self.rows.marks)
        self.notify(f"exporting to {path}", timeout=60)
        # By the application: it goes on when this screen is left.
        self.app.run_worker(self._run_export(self.app, export), group="export")

    @staticmethod
    async def _run_export(app: App[int], export: Export) -> None:
        try:
            app.notify(await export.run())
        except AcpSpyError as error:
            app.notify(spelled(error), severity="error")

    def action_page(self) -> None:
        """Open the page in the browser."""
        self.attempt(lambda: self._host.open_page(self.path, self.filters))

    def action_held(self, action: str) -> None:
        """Act on held frames."""
        self.attempt(lambda: self.query_one(HeldPanel).act(action))


def _is_news(known: Status, status: Status) -> bool:
    """Whether there is more to report than before."""
    return (known.run, known.frames, known.is_read) != (status.run, status.frames, status.is_read)


def _from_edge(what: str, back: bool) -> str:
    where, edge = ("before", "last") if back else ("after", "first")
    return f"no {what} {where} that row: this is the {edge} one"
