"""The client's end of a bridge: lines from stdin, lines to stdout, by trio."""

from collections import deque
from typing import Self

import trio
from trio.lowlevel import checkpoint, wait_readable, wait_writable

from acp_spy.engine import stdio
from acp_spy.wire.framing import LONGEST_LINE, Framer

_AT_ONCE = 1024 * 1024  # bytes


class LineReader:
    """Gives each line of the client, with its line end if it has one."""

    def __init__(self, descriptor: int = 0) -> None:
        self._descriptor = descriptor
        self._framer = Framer(LONGEST_LINE)
        self._lines: deque[bytes] = deque()
        self._has_ended = False

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> bytes:
        while not self._lines and not self._has_ended:
            if chunk := await _read(self._descriptor):
                self._lines.extend(self._framer.feed(chunk))
            else:
                self._has_ended = True
                self._lines.extend(filter(None, [self._framer.close()]))
        if not self._lines:
            raise StopAsyncIteration
        return self._lines.popleft()


async def _read(descriptor: int) -> bytes:
    while True:
        try:
            await wait_readable(descriptor)
        except OSError:  # a file: it is always ready
            await checkpoint()
        if (chunk := stdio.read(descriptor)) is not None:
            return chunk


class LineWriter:
    """
    Writes whole lines, one after another, and waits for a slow reader.

    What was given to it stays in the queue if its writer is cancelled: the next one writes it
    first, so that nothing follows half a line.
    """

    def __init__(self, descriptor: int = 1) -> None:
        self._descriptor = descriptor
        self._write = stdio.make_sink(descriptor)
        self._lock = trio.Lock()
        self._queue: deque[bytes] = deque()
        self._start = 0  # of what is not written of the first in the queue
        self._given = self._taken = 0  # lines, as they were put into the queue and have left it
        self.is_gone = False
        self.waited = 0.0  # seconds for the reader to take something

    @property
    def is_behind(self) -> bool:
        """Whether something is not written yet, and somebody may still read it."""
        return bool(self._queue) and not self.is_gone

    async def write(self, data: bytes) -> None:
        """Write `data` after all that was given before, unless the reader has gone."""
        if data and not self.is_gone:
            self._queue.append(data)
            self._given += 1
        until = self._given
        async with self._lock:
            while self._taken < until and not self.is_gone:
                try:
                    self._write_some()
                except BlockingIOError:
                    since = trio.current_time()
                    await wait_writable(self._descriptor)
                    self.waited += trio.current_time() - since
                except OSError:
                    self.is_gone = True
                    self._queue.clear()

    def _write_some(self) -> None:
        line = self._queue[0]
        end = self._start + _AT_ONCE  # a part: no long line is copied each time
        self._start += self._write(self._descriptor, line[self._start : end])
        if self._start >= len(line):
            self._queue.popleft()
            self._start = 0
            self._taken += 1
