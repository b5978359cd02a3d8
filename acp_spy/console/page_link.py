"""The page of a capture in the browser: the process that serves it, and the dialog with its URL."""

import asyncio
import json
import sys
from collections.abc import Sequence
from contextlib import suppress

import msgspec
from textual import events
from textual.app import ComposeResult
from textual.screen import ModalScreen

from acp_spy.console.panes import Head, Line
from acp_spy.errors import AcpSpyError
from acp_spy.wire.inert import inert

_LONGEST_REPLY = 1 << 20


class Link(msgspec.Struct, frozen=True):
    """A URL that works once, and whether a browser was opened with it."""

    url: str
    is_open: bool


class PageServer:
    """
    One process for the captures in `folder`, and for `named`, a capture that is elsewhere.

    It is started for the first link, and ends with the console: even if that is killed, because
    its stdin ends then.
    """

    def __init__(self, folder: str, named: str) -> None:
        self._words = (folder, named)
        self._process: asyncio.subprocess.Process | None = None
        self._turn = asyncio.Lock()

    async def link(self, path: str, filters: Sequence[str]) -> Link:
        """Return a new link to the page of a capture. Raises `AcpSpyError`."""
        async with self._turn:
            process = self._process = self._process or await self._start()
            assert process.stdin is not None
            assert process.stdout is not None
            request = {"path": path, "filters": list(filters)}
            with suppress(OSError):  # it has ended: there is no reply
                process.stdin.write(json.dumps(request).encode() + b"\n")
                await process.stdin.drain()
            reply = await process.stdout.readline()
            if not reply.endswith(b"\n"):
                self._process = None  # the next link begins with a new one
                process.stdin.close()
                await process.wait()
                raise AcpSpyError(
                    "cannot open the page: its server has ended",
                    hint="press o again, or run `acp-spy view --serve`",
                )
            fields = json.loads(reply)
            if "error" in fields:
                raise AcpSpyError(fields["error"], hint=fields["hint"])
            return Link(fields["url"], fields["is_open"])

    async def _start(self) -> asyncio.subprocess.Process:
        try:
            return await asyncio.create_subprocess_exec(
                *(sys.executable, "-P", "-m", "acp_spy.cli.page_links", *self._words),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                limit=_LONGEST_REPLY,
                start_new_session=True,  # Ctrl-C in an editor of the console is not for it
            )
        except OSError as error:
            raise AcpSpyError(f"cannot open the page: {error.strerror}") from None

    async def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()


class LinkDialog(ModalScreen[None]):
    """The URL, on lines of its own, until a key is pressed."""

    BINDINGS = [("y", "copy", ""), ("ctrl+c", "app.quit", "")]  # noqa: RUF012 - Textual's name

    def __init__(self, link: Link) -> None:
        super().__init__()
        self._link = link
        self._is_copied = False

    def compose(self) -> ComposeResult:
        """Give the lines."""
        yield Head([], id="link")

    def on_resize(self, event: events.Resize) -> None:
        """Break the URL at the edge of the terminal, where most can select it as one."""
        self._show(event.size.width)

    def _show(self, width: int) -> None:
        url = inert(self._link.url)
        what = "opened in the browser" if self._link.is_open else "open this URL in a browser"
        copied = "copied to the clipboard" if self._is_copied else "y copies it"
        parts = [url[at : at + width] for at in range(0, len(url), width)]
        lines: list[Line] = [
            [("bold", f"The page: {what}; it works once")],
            (),
            *([("name", part)] for part in parts),
            (),
            [("dim", f"{copied}; any other key goes back")],
        ]
        self.query_one(Head).show(lines)

    def on_key(self, event: events.Key) -> None:
        """Close it."""
        if event.key not in ("y", "ctrl+c"):
            event.stop()
            self._close()

    def on_click(self) -> None:
        """Close it."""
        self._close()

    def _close(self) -> None:
        if self.is_current:  # keys that were pressed fast close nothing else
            self.dismiss()

    def action_copy(self) -> None:
        """Copy the URL."""
        self.app.copy_to_clipboard(self._link.url)
        self._is_copied = True
        self._show(self.size.width)
