"""The application: its two screens, and the process that reads for it."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from typing import Protocol

from textual.notifications import SeverityLevel

from acp_spy.console.captures_screen import CapturesScreen
from acp_spy.console.conversation_screen import ConversationScreen
from acp_spy.console.host import Host
from acp_spy.console.reading import Ask, Command, Message, ReaderProcess, Show
from acp_spy.console.shelf import Shelf
from acp_spy.console.starting import Started
from acp_spy.errors import AcpSpyError
from acp_spy.wire.inert import inert


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
    NOTIFICATION_TIMEOUT = 3

    def __init__(self, folder: str, path: str, reading: Reading) -> None:
        super().__init__()
        self._folder = folder
        self._path = path
        self._reading = reading
        self._run_count = 0
        self._servers: list[asyncio.subprocess.Process] = []  # of pages

    def on_mount(self) -> None:
        """Show the captures, or one of them."""
        self._listening = asyncio.create_task(self._listen())
        self.push_screen(CapturesScreen(self._folder))
        if self._path:
            self.open_capture(self._path)

    async def on_unmount(self) -> None:
        """End what was started."""
        self._listening.cancel()
        for server in self._servers:
            with suppress(ProcessLookupError):
                server.terminate()
            await server.wait()

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
            timeout=60,
        )

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = False,  # noqa: ARG002 - it is never: there may be words of a peer in it
    ) -> None:
        """Show a message for a moment, without anything that a terminal would obey."""
        shown = inert(message, but="\n")
        super().notify(shown, title=title, severity=severity, timeout=timeout, markup=False)

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
        self.run_worker(self._serve(path, filters))

    async def _serve(self, path: str, filters: Sequence[str]) -> None:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "acp_spy", "view", path, *filters, "--serve"),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env={**os.environ, "ACP_SPY_DIR": self._folder},
            start_new_session=True,
        )
        self._servers.append(process)
        assert process.stdout is not None
        url = (await process.stdout.readline()).decode().strip()
        if not url:
            self.notify("cannot open the page: the server has ended", severity="error")
            return
        self.copy_to_clipboard(url)
        self.notify(
            f"{url}\nis opened in the browser; if not, paste it there: it works once",
            title="The page",
            timeout=20,
            markup=False,
        )


def run_console(folder: str, path: str, started: Started) -> int:
    """Run the console until the person leaves it."""
    reading = ReaderProcess(started)
    try:
        app = ConsoleApp(folder, path, reading)
        app.run()
    finally:
        reading.close()
    return app.return_code or 0
