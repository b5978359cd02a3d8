"""The application: its two screens, and the process that reads for it."""

import asyncio
import codecs
import os
import signal
import sys
import threading
import traceback
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from select import POLLHUP
from typing import Any, Protocol

from textual import events
from textual._xterm_parser import XTermParser
from textual.drivers import linux_driver
from textual.keys import Keys
from textual.notifications import SeverityLevel
from textual.worker import WorkerFailed

from acp_spy.console.captures_screen import CapturesScreen
from acp_spy.console.conversation_screen import ConversationScreen
from acp_spy.console.host import Host
from acp_spy.console.page_link import LinkDialog, PageServer
from acp_spy.console.reading import Ask, Command, Message, ReaderProcess, Show
from acp_spy.console.screen import ConsoleScreen, spelled
from acp_spy.console.shelf import Shelf
from acp_spy.console.starting import Started
from acp_spy.engine.ready import FOR_EVER, events_at
from acp_spy.errors import AcpSpyError

_SECONDS = 4.0  # that a notice is seen
_PATIENCE = 5.0  # seconds for the end, once the terminal is gone
_BUG = 70  # the exit status


class Reading(Protocol):
    """What reads captures for the console."""

    shelf: Shelf

    def send(self, command: Command) -> None:
        """Ask for something."""

    def messages(self) -> AsyncIterator[Message]:
        """Give what it says."""

    def close(self) -> None:
        """End it."""


class ConsoleApp(Host):
    """The captures in `folder`, or the one at `path`."""

    ENABLE_COMMAND_PALETTE = False
    CSS_PATH = "console.tcss"
    TITLE = "acp-spy"

    def __init__(self, folder: str, path: str, reading: Reading) -> None:
        super().__init__()
        self._folder = folder
        self._path = path
        self._reading = reading
        self._run_count = 0
        self._servers: dict[str, PageServer] = {}  # by the capture that is not in the folder
        self.bug: BaseException | None = None

    def on_mount(self) -> None:
        """Show the captures, or one of them."""
        self.run_worker(self._listen())
        self.push_screen(CapturesScreen(self._folder))
        if self._path:
            self.open_capture(self._path)
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGHUP):  # the terminal is left as it was
            loop.add_signal_handler(number, self.exit)

    async def on_unmount(self) -> None:
        """End what was started."""
        for server in self._servers.values():
            await server.close()

    async def _listen(self) -> None:
        async for message in self._reading.messages():
            if isinstance(self.screen_stack[-1], ConversationScreen):
                self.screen_stack[-1].take(message)
            else:
                for screen in self.screen_stack:
                    if isinstance(screen, ConversationScreen):
                        screen.take(message)
        self.notify(
            "cannot read on: the process that reads captures has ended\nhint: restart the console",
            severity="error",
        )

    async def on_event(self, event: events.Event) -> None:
        """Take away a notice when a key or the mouse is pressed: it has been read."""
        if isinstance(event, events.Key | events.MouseDown) and not event.is_forwarded:
            self._say("")
        if isinstance(event, events.Key | events.Paste) and not event.is_forwarded:
            screen = self.screen_stack[-1] if self.screen_stack else None
            if isinstance(screen, ConsoleScreen) and await screen.type_in(event):
                return
        await super().on_event(event)

    def notify(
        self,
        message: str,
        *,
        title: str = "",  # noqa: ARG002 - Textual's name
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = False,  # noqa: ARG002 - it is never: there may be words of a peer in it
    ) -> None:
        """Show a message in the place of the footer; what went wrong, until a key is pressed."""
        level = "" if severity == "information" else severity
        seconds = timeout or (0 if level else _SECONDS)
        self._say(message, level, seconds)

    def _say(self, text: str, level: str = "", seconds: float = 0) -> None:
        for screen in reversed(self.screen_stack):
            if isinstance(screen, ConsoleScreen):
                screen.say(text, level, seconds)
                return

    def _handle_exception(self, error: Exception) -> None:
        self.bug = error.error if isinstance(error, WorkerFailed) else error
        super()._handle_exception(error)

    def _fatal_error(self) -> None:
        """End, without Textual's traceback: it shows values, and so the traffic."""
        self._close_messages_no_wait()

    def panic(self, *_: object) -> None:
        """End, likewise, because the thread that reads keys has failed."""
        self.bug = self.bug or RuntimeError("keys cannot be read")
        self._close_messages_no_wait()

    # ------------------------------------------------------------------ for the screens

    def read(self, path: str, filters: tuple[str, ...] = (), *, fold: bool = True) -> int:
        """Have a capture read; return the number of this reading."""
        self._run_count += 1
        self._reading.send(Show(self._run_count, os.fsencode(path), filters, fold))
        return self._run_count

    def ask(self, command: Ask) -> None:
        """Ask for a report about what is read."""
        self._reading.send(command)

    def open_capture(self, path: str) -> None:
        """Show a conversation."""
        try:
            self.push_screen(ConversationScreen(path, self._reading.shelf))
        except OSError as error:
            raise AcpSpyError(f"cannot read `{path}`: {error.strerror}") from None

    def leave_capture(self) -> None:
        """Go back to the captures."""
        self.read("")
        self.pop_screen()

    def open_page(self, path: str, filters: Sequence[str]) -> None:
        """Open the page of a capture in the browser; it is served until the console ends."""
        if any(each.group == "page" and not each.is_finished for each in self.workers):
            return  # it comes
        whole = os.path.abspath(path)
        is_in_folder = os.path.dirname(whole) == os.path.abspath(self._folder)
        named = "" if is_in_folder else whole
        server = self._servers.setdefault(named, PageServer(self._folder, named))
        self.notify("opening the page")
        self.run_worker(self._open_page(server, path, filters), group="page")

    async def _open_page(self, server: PageServer, path: str, filters: Sequence[str]) -> None:
        try:
            link = await server.link(path, filters)
        except AcpSpyError as error:
            self.notify(spelled(error), severity="error")
        else:
            self._say("")
            self.push_screen(LinkDialog(link))


def _forgiving_decoder(encoding: str) -> Any:
    return partial(codecs.getincrementaldecoder(encoding), errors="replace")


class _ForgivingParser(XTermParser):
    """Takes a sequence for a key that there is not (`ESC[99999999u`) as one to be ignored."""

    def _parse_extended_key(self, sequence: str) -> list[events.Key] | None:  # type: ignore[override]
        try:
            return super()._parse_extended_key(sequence)
        except (ValueError, OverflowError):  # no character has this number
            return [events.Key(Keys.Ignore, None)]


# What Textual reads keys with: a byte that is not UTF-8, of a paste or of an old terminal's mouse,
# would end it, and so would the number of a character that is none.
linux_driver.getincrementaldecoder = _forgiving_decoder  # type: ignore[attr-defined]
linux_driver.XTermParser = _ForgivingParser  # type: ignore[attr-defined]


def run_console(folder: str, path: str, started: Started) -> int:
    """Run the console until the person leaves it; return the exit status."""
    reading = ReaderProcess(started)
    app = ConsoleApp(folder, path, reading)
    ended = threading.Event()
    threading.Thread(target=_end_with_terminal, args=(ended,), daemon=True).start()
    try:
        with _drawn_on_terminal():
            app.run()
    finally:
        ended.set()
        reading.close()
    if app.bug is None:
        return app.return_code or 0
    if isinstance(app.bug, AcpSpyError):  # the capture is gone
        raise app.bug
    steps = traceback.extract_tb(app.bug.__traceback__)
    where = "".join(f" at {os.path.basename(each.filename)}:{each.lineno}" for each in steps[-1:])
    print(  # noqa: T201 - the screen is gone; what the error says may have the traffic in it
        f"a bug in acp-spy: {type(app.bug).__name__}{where}",
        "hint: please report it",
        sep="\n",
        file=sys.stderr,
    )
    return _BUG


def _end_with_terminal(ended: threading.Event) -> None:
    """
    End when the terminal is gone, even if no signal says so: Textual would read its end forever.

    It may also wait forever, to write what cannot be written any more.
    """
    if os.isatty(0) and events_at(0, 0, FOR_EVER) & POLLHUP:
        os.kill(os.getpid(), signal.SIGHUP)
        if not ended.wait(_PATIENCE):
            os._exit(0)


@contextmanager
def _drawn_on_terminal() -> Iterator[None]:
    """Let Textual, which draws on stderr, draw on stdout where stderr goes elsewhere."""
    if os.isatty(2):
        yield
        return
    elsewhere = os.dup(2)
    os.dup2(1, 2)
    try:
        yield
    finally:
        os.dup2(elsewhere, 2)
        os.close(elsewhere)
