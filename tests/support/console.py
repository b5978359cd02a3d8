"""The console without a terminal and without another process: what reads does so in between."""

import asyncio
from contextlib import asynccontextmanager
from itertools import count

from acp_spy.console.app import ConsoleApp
from acp_spy.console.captures_screen import CapturesScreen
from acp_spy.console.conversation_screen import ConversationScreen
from acp_spy.console.reader import Reader
from acp_spy.console.reading import _BETWEEN, Work
from acp_spy.console.shelf import Shelf


class InlineReading:
    """A reader in the console's own process: all is read before a test goes on."""

    def __init__(self):
        self.shelf = Shelf.create()
        self._work = Work(Shelf(self.shelf.descriptors))  # as the other process has it
        self._messages = []
        self._news = asyncio.Event()
        self._clock = count()
        self.is_idle = True

    def send(self, command):
        self._messages += self._work.obey(command)
        self.is_idle = False
        self._news.set()

    async def messages(self):
        while True:
            if self._messages:
                yield self._messages.pop(0)
            elif not self._work.is_over:
                self._messages += self._work.step(next(self._clock))
                # A recording that grows is not looked at all the time: Textual's pilot waits
                # until nothing is done, and for a second if that never is so.
                await asyncio.sleep(0 if self._work.is_busy else _BETWEEN)
            else:
                self.is_idle = True
                await self._news.wait()
                self._news.clear()

    def close(self):
        self._work.close()
        self.shelf.close()


@asynccontextmanager
async def console(folder, path="", size=(80, 24)):
    """Give the pilot of a console that shows `folder`, or the capture at `path`."""
    reading = InlineReading()
    app = ConsoleApp(str(folder), str(path), reading)
    async with app.run_test(size=size) as pilot:
        await settled(pilot, reading)
        pilot.settled = lambda: settled(pilot, reading)
        yield pilot
    reading.close()


async def settled(pilot, reading):
    """Wait until everything is read, written and drawn."""
    await pilot.pause()
    while not reading.is_idle or _is_reading_the_list(pilot) or _is_working(pilot):
        await pilot.pause()
    await pilot.pause()


def _is_reading_the_list(pilot):
    """Whether it goes on in a moment: how much is read at once depends on how fast the machine is."""
    screen = pilot.app.screen
    return isinstance(screen, CapturesScreen) and not screen.is_read


def _is_working(pilot):
    groups = ("export", "search")
    return any(each.group in groups and not each.is_finished for each in pilot.app.workers)


async def press(pilot, *keys):
    """Press keys, one after the other, and wait for what they do."""
    await pilot.press(*keys)
    await pilot.settled()


async def answer(pilot, key, text):
    """Press a key that asks for a line, and type it; key by key it would take long."""
    await pilot.press(key)
    pilot.app.screen.query_one("#line").value = text
    await press(pilot, "enter")


def lines(pilot):
    """Return what is on the screen, line by line."""
    width, height = pilot.app.size
    screen = pilot.app.screen
    strips = screen._compositor.render_strips()
    return ["".join(segment.text for segment in strip).rstrip()[:width] for strip in strips][
        :height
    ]


def conversation(pilot):
    """Return the screen of the conversation, wherever it is."""
    return next(each for each in pilot.app.screen_stack if isinstance(each, ConversationScreen))


def read_all(path, *filters, **how):
    """Read a capture to a new shelf; return both."""
    shelf = Shelf.create()
    reader = Reader(str(path), shelf, filters, run=1, **how)
    while reader.advance():
        pass
    return reader, shelf
