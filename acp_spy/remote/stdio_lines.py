"""The client's end of a bridge: lines from stdin, lines to stdout, by trio."""

from collections import deque
from typing import Self

import trio
from trio.lowlevel import checkpoint, wait_readable, wait_writable

from acp_spy.engine import stdio
from acp_spy.wire.framing import Framer


class LineReader:
    """Gives each line of the client, with its line end if it has one."""

    def __init__(self, descriptor: int = 0) -> None:
        self._descriptor = descriptor
        self._framer = Framer()
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
    """Writes whole lines, one writer at a time, and waits for a slow reader."""

    def __init__(self, descriptor: int = 1) -> None:
        self._descriptor = descriptor
        self._write = stdio.make_sink(descriptor)
        self._lock = trio.Lock()
        self.is_gone = False

    async def write(self, data: bytes) -> None:
        """Write `data`, unless the reader has gone."""
        async with self._lock:
            while data and not self.is_gone:
                try:
                    data = data[self._write(self._descriptor, data) :]
                except BlockingIOError:
                    await wait_writable(self._descriptor)
                except OSError:
                    self.is_gone = True
