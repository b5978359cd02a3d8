"""The server of the live page in a thread of this process, and a capture that the test records."""

import queue
import threading
from contextlib import contextmanager

import trio

from acp_spy.capture.files import CaptureFile
from acp_spy.capture.records import Header
from acp_spy.live_page.access import Access
from acp_spy.live_page.find import name_in_url
from acp_spy.live_page.live_capture import Choices
from acp_spy.live_page.server import PageServer, serve

HEADER = Header(tool="acp-spy", started="2026-01-05T09:30:00.000000Z", command=("agent", "--acp"))


class Served:
    """A running server; `url` gives the link to a page, with a token that works once."""

    def __init__(self, port, access):
        self.port = port
        self.access = access
        self.origin = f"http://127.0.0.1:{port}"

    def url(self, path="", *, token=True, hash_=""):
        page = f"/capture/{name_in_url(str(path))}" if path else "/"
        parts = [*([hash_] if hash_ else []), *([f"token={self.access.token}"] if token else [])]
        return f"{self.origin}{page}" + (f"#{'&'.join(parts)}" if parts else "")


@contextmanager
def served(folder, *, port=0, access=None, choices=None):
    """
    Serve the captures in `folder` until the block is left.

    Nothing may be complained about, but that somebody else was refused.
    """
    complaints = []
    access = access or Access()
    ready = queue.Queue()

    async def main():
        with trio.CancelScope() as scope:
            token = trio.lowlevel.current_trio_token()
            await serve(
                port,
                lambda service: PageServer(service, access, choices or Choices(), str(folder)),
                lambda taken: ready.put((taken, token, scope)),
                complaints.append,
            )

    thread = threading.Thread(target=trio.run, args=(main,))
    thread.start()
    taken, token, scope = ready.get()
    try:
        yield Served(taken, access)
    finally:
        token.run_sync_soon(scope.cancel)
        thread.join()
    assert [each for each in complaints if "refused" not in each] == []


def record(folder, records=(), name="run.jsonl", header=HEADER):
    """Return a capture that is being recorded, with these records in it; close it when it ends."""
    file = CaptureFile(str(folder / name), header)
    file.append(records)
    return file


class Tab:
    """A tab with a page of ours: what it shows, and what must never happen."""

    def __init__(self, page, url):
        self.page = page
        self.context = page.context
        self.errors = []
        page.set_default_timeout(60_000)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("dialog", lambda dialog: (self.errors.append(dialog.message), dialog.dismiss()))
        page.goto(url)

    def waits(self, is_so, given=None):
        """Wait until a function in JavaScript says that something is so."""
        self.page.wait_for_function(is_so, arg=given)

    def shows_frames(self, number):
        """Wait until the page has so many frames."""
        self.waits("number => acpSpy.page && acpSpy.page.shown().length === number", number)

    def says(self, state):
        """Wait until the page says this about the connection."""
        self.waits("state => document.querySelector('.live').textContent === state", state)

    def text(self, selector):
        return self.page.locator(selector).inner_text()

    def wait_for_text(self, selector, words):
        """Wait until an element has these words."""
        self.waits(
            "([selector, words]) => { const found = document.querySelector(selector);"
            " return found && !found.hidden && found.innerText.includes(words); }",
            [selector, words],
        )

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)
