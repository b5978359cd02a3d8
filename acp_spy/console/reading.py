"""
The reader in a process of its own: started, asked and read by the console, and what it does.

The console must answer a key at once while thousands of frames a second are read and checked, and
two threads of Python take turns. So another process reads; what it has read is on the shelf, and
only short messages pass between the two. It runs at a low priority: the traffic comes first.
"""

import asyncio
import os
import select
import struct
import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress

import msgspec

from acp_spy.capture.files import Follower
from acp_spy.capture.folder import is_running
from acp_spy.capture.opening import FoundPath
from acp_spy.capture.records import Record
from acp_spy.console import priority
from acp_spy.console.reader import Reader, Status
from acp_spy.console.shelf import Region, Shelf, no_room
from acp_spy.console.starting import Started
from acp_spy.conversation.tracker import Tracker
from acp_spy.errors import AcpSpyError
from acp_spy.lint.rule import Finding
from acp_spy.lint.ruleset import ALL_RULES, Ruleset
from acp_spy.view.stats.collect import Collector
from acp_spy.view.stats.model import Stats
from acp_spy.wire.inert import inert

_LENGTH = struct.Struct("<I")
_PAUSE = 0.03  # seconds between two looks at a capture that grows
_BETWEEN = 0.1  # seconds between two messages about it
_AGES = 0.5  # the same, if only time has passed
_MOST_COMPLETE = 4  # filters whose rows are not read again
_Rows = tuple[tuple[str, ...], bool]  # filters, and whether they are folded
_STATS_PIECE = 256 * 1024  # bytes


class Show(msgspec.Struct, frozen=True, tag="show"):
    """Read this capture, for these rows, from now on; without a path, none."""

    run: int  # counts these commands
    path: bytes = b""  # as the file system has it: it need not be UTF-8
    filters: tuple[str, ...] = ()
    fold: bool = True


class Ask(msgspec.Struct, frozen=True, tag="ask"):
    """Send a report: `Findings`, `Errors` or `Statistics`."""

    what: str  # findings, stderr, stats


class Findings(msgspec.Struct, frozen=True, tag="findings"):
    """Findings in the order in which they were made; of many, the first ones."""

    run: int  # of `Show`
    findings: list[Finding]
    count: int


class Errors(msgspec.Struct, frozen=True, tag="stderr"):
    """The last lines of the agent's stderr, each with its time."""

    run: int
    lines: list[tuple[float, str]]


class Statistics(msgspec.Struct, frozen=True, tag="stats"):
    """The statistics, once the whole capture has been read for them."""

    run: int
    stats: Stats


class Progress(msgspec.Struct, frozen=True, tag="status"):
    """How far it is read, and what is known."""

    status: Status


class Failed(msgspec.Struct, frozen=True, tag="failed"):
    """Why it cannot be read."""

    run: int
    message: str
    hint: str = ""


Command = Show | Ask
Message = Findings | Errors | Statistics | Progress | Failed
_commands = msgspec.msgpack.Decoder(Command)
_messages = msgspec.msgpack.Decoder(Message)
_encode = msgspec.msgpack.Encoder().encode


def _spelled(message: Command | Message) -> bytes:
    data = _encode(message)
    return _LENGTH.pack(len(data)) + data


class Work:
    """What the process does, in steps: commands in, messages out."""

    def __init__(self, shelf: Shelf, ruleset: Ruleset = ALL_RULES) -> None:
        self._path = ""
        self._run = 0
        self._shelf = shelf
        self._ruleset = ruleset
        self._reader: Reader | None = None
        self._rows: _Rows = ((), True)  # that are read
        self._complete: dict[_Rows, tuple[Reader, Region]] = {}  # of this capture
        self._stats: _Statistics | None = None
        self._asked_for_stats = False
        self._sent = self._last_new = 0.0
        self.is_busy = False

    def obey(self, command: Command) -> list[Message]:
        """Do what the console asks for."""
        try:
            return self._obey(command)
        except OSError as error:
            return self._end(no_room(error))

    def _obey(self, command: Command) -> list[Message]:
        if isinstance(command, Show):
            return self._start(command)
        if self._reader is None:
            return []
        match command.what:
            case "findings":
                count = sum(self._reader.status(time.time()).counts.values())
                return [Findings(self._run, list(self._reader.findings), count)]
            case "stderr":
                return [Errors(self._run, list(self._reader.stderr))]
            case _:
                self._asked_for_stats = True
                return []

    def _start(self, command: Show) -> list[Message]:
        path = FoundPath(os.fsdecode(command.path))
        is_same = path == self._path
        before = self._leave_reader(is_same=is_same)
        if self._stats is not None and not is_same:  # with other filters they stay the same
            self._stats.close()
            self._stats = None
        self._asked_for_stats = self.is_busy = False
        self._run = command.run
        if not path:  # what is there may still be on the screen
            return []
        self._path, self._rows = path, (command.filters, command.fold)
        if known := self._complete.get(self._rows):
            self._shelf.return_to(known[1])
            self._reader = known[0]
            self._reader.run = command.run
            return [Progress(self._reader.status(time.time()))]
        self._shelf.restart(empty=not is_same)
        try:
            self._reader = Reader(
                self._path,
                self._shelf,
                command.filters,
                run=command.run,
                fold=command.fold,
                ruleset=self._ruleset,
                late=before.late if before else None,
                known=before.known if before else None,
            )
        except AcpSpyError as error:
            return self._end(error)
        self.is_busy = True
        self._sent = 0.0
        return []

    def _leave_reader(self, *, is_same: bool) -> Reader | None:
        """Keep what the reader has read, and return it, if that is complete."""
        reader, self._reader = self._reader, None
        if not is_same:
            self._complete = {}
        if reader is None:
            return None
        reader.close()
        if not is_same or not reader.is_over:
            return None
        self._complete.pop(self._rows, None)
        self._complete[self._rows] = reader, self._shelf.region
        while len(self._complete) > _MOST_COMPLETE:
            del self._complete[next(iter(self._complete))]
        return reader

    def step(self, now: float) -> list[Message]:
        """Read one piece; return what there is to say. `now` is a clock that only runs forward."""
        reader = self._reader
        if reader is None:
            self.is_busy = False
            return []
        try:
            self.is_busy = reader.advance()
            messages = self._statistics()
            if self.is_busy:
                self._last_new = now
            # What is new is shown soon, but not more often than can be seen.
            is_news = self._last_new >= self._sent or not self._sent
            if now - self._sent >= (_BETWEEN if is_news else _AGES):
                messages.append(Progress(reader.status(time.time())))
                self._sent = now
        except AcpSpyError as error:
            with suppress(OSError):
                return [Progress(reader.status(time.time())), *self._end(error)]
            return self._end(error)
        except OSError as error:
            return self._end(no_room(error))
        return messages

    def _end(self, error: AcpSpyError) -> list[Message]:
        """Read no more, and say why."""
        self.close()
        self._asked_for_stats = self.is_busy = False
        return [Failed(self._run, inert(error.message), inert(error.hint))]

    def close(self) -> None:
        """Read no more."""
        for each in (self._reader, self._stats):
            if each is not None:
                each.close()
        self._reader = self._stats = None

    @property
    def is_over(self) -> bool:
        """Whether nothing more will come by itself, and all has been said."""
        if self._asked_for_stats or self.is_busy:
            return False
        return self._reader is None or (self._reader.is_over and self._last_new < self._sent)

    def _statistics(self) -> list[Message]:
        if not self._asked_for_stats or self.is_busy:
            return []
        self._stats = self._stats or _Statistics(self._path)
        if self._stats.advance():
            self.is_busy = True  # until this is read, too
            return []
        self._asked_for_stats = False
        return [Statistics(self._run, self._stats.so_far())]


class _Statistics:
    """The statistics of a capture, piece by piece; asked for again, it reads what is new."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._follower = Follower(path)
        self._tracker, self._collector = Tracker(), Collector()
        self._is_over = False

    def advance(self) -> bool:
        """Read a piece; return whether there may be more."""
        self._take(self._follower.take(_STATS_PIECE))
        return not self._follower.at_end

    def so_far(self) -> Stats:
        """Return the statistics of what is read."""
        if is_running(self._path):
            return self._collector.so_far(time.time())
        if not self._is_over:
            self._is_over = True
            self._take(self._follower.last())
        return self._collector.so_far()

    def _take(self, records: Sequence[Record]) -> None:
        for record in records:
            self._collector.add(self._tracker.follow(record), self._tracker.state)

    def close(self) -> None:
        """Read no more."""
        self._follower.close()


def main(words: Sequence[str]) -> None:
    """Run the process: read commands from stdin and write messages to stdout."""
    index, items, frames = map(int, words)
    priority.lower()
    work = Work(Shelf((index, items, frames)))
    ALL_RULES.checker()  # loads the rules, before somebody waits for them
    held = b""
    while True:
        wait = None if work.is_over else 0 if work.is_busy else _PAUSE
        if select.select([0], [], [], wait)[0]:
            chunk = os.read(0, 65536)
            if not chunk:
                return
            held += chunk
            while len(held) >= 4 and len(held) >= 4 + _LENGTH.unpack_from(held)[0]:
                end = 4 + _LENGTH.unpack_from(held)[0]
                _write(work.obey(_commands.decode(held[4:end])))
                held = held[end:]
        _write(work.step(time.monotonic()))


def _write(messages: Sequence[Message]) -> None:
    for message in messages:
        data = memoryview(_spelled(message))
        while data:
            data = data[os.write(1, data) :]


class ReaderProcess:
    """That process, for the console."""

    def __init__(self, started: Started) -> None:
        self._process, self.shelf = started

    def send(self, command: Command) -> None:
        """Ask for something."""
        assert self._process.stdin is not None
        with suppress(OSError):  # it has ended: `messages` ends, too
            self._process.stdin.write(_spelled(command))
            self._process.stdin.flush()

    async def messages(self) -> AsyncIterator[Message]:
        """Give its messages until it ends."""
        stream = asyncio.StreamReader(limit=1 << 24)
        loop = asyncio.get_running_loop()
        await loop.connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(stream), self._process.stdout
        )
        with suppress(asyncio.IncompleteReadError):
            while True:
                length = await stream.readexactly(_LENGTH.size)
                data = await stream.readexactly(_LENGTH.unpack(length)[0])
                yield _messages.decode(data)

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()
        self.shelf.close()


if __name__ == "__main__":
    with suppress(KeyboardInterrupt, BrokenPipeError):
        main(sys.argv[1:])
