"""
Bytes on their way to a reader that may be slow: kept until they are taken, so that nobody waits.

Two peers that write to each other and do not read would wait for ever. So writing never blocks
here: what is not taken at once is written when the reader has room.
"""

import os
from collections import deque
from select import POLLOUT

from acp_spy.engine import stdio
from acp_spy.engine.carrier import Carrier
from acp_spy.engine.ready import GONE


class Outbox:
    """One descriptor to write to; `carrier` reports when it has room again, or no reader."""

    def __init__(self, carrier: Carrier, descriptor: int, write: "stdio.Write" = os.write) -> None:
        self.descriptor = descriptor
        self._carrier = carrier
        self._write = write
        self._pending: deque[bytes] = deque()
        self._is_ending = False
        self.is_closed = False
        carrier.watch(descriptor, 0, self._on_event)

    @property
    def is_empty(self) -> bool:
        """Whether everything has been taken."""
        return not self._pending

    def put(self, data: bytes) -> None:
        """Write `data`, after whatever waits; nothing happens if nobody reads any more."""
        if data and not self.is_closed and not self._is_ending:
            self._pending.append(data)
            self._flush()

    def close(self) -> None:
        """End the stream once everything has been taken."""
        self._is_ending = True
        self._flush()

    def _on_event(self, events: int) -> None:
        if events & GONE:
            self._lose()
        else:
            self._flush()

    def _flush(self) -> None:
        if self.is_closed:
            return
        try:
            while self._pending:
                data = self._pending[0]
                written = self._write(self.descriptor, data)
                if written < len(data):
                    self._pending[0] = data[written:]
                else:
                    self._pending.popleft()
        except BlockingIOError:
            self._carrier.change(self.descriptor, POLLOUT)
            return
        except OSError:
            self._lose()
            return
        if self._is_ending:
            self._lose()
        else:
            self._carrier.change(self.descriptor, 0)

    def _lose(self) -> None:
        """Close the descriptor: nobody reads it any more, or the stream is over."""
        if not self.is_closed:
            self._pending.clear()
            self.is_closed = True
            self._carrier.forget(self.descriptor)
            stdio.let_go(self.descriptor)
