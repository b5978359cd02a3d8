"""
Where bytes are written, for a reader that may be slow: kept until they are taken.

Two peers that write to each other and do not read would wait for ever. So writing never blocks
here: what is not taken at once is written when the reader has room.
"""

from select import POLLOUT

from acp_spy.engine import stdio
from acp_spy.engine.carrier import Carrier
from acp_spy.engine.ready import FOR_EVER, GONE, events_at

_AT_ONCE = 64 * 1024


class Sink:
    """
    Writes to `descriptor`, and closes it in the end.

    It is `is_ending` when nothing more is accepted, and `done` when it is closed. `pending` is what
    has yet to be taken, `undelivered` counts the bytes that nobody will take.
    """

    def __init__(self, carrier: Carrier, descriptor: int) -> None:
        self.descriptor = descriptor
        self.carrier = carrier
        self._write = stdio.make_sink(descriptor)
        self.pending = bytearray()
        self.is_ending = self.done = False
        self.undelivered = 0

    def put(self, data: bytes) -> None:
        """Write `data`, after what is pending."""
        if self.is_ending:
            self.undelivered += len(data)
            return
        if self.pending:
            self.pending += data
            return
        try:
            written = self._write(self.descriptor, data)
        except BlockingIOError:
            written = 0
        except OSError:
            self.pending += data
            self.on_lost()
            return
        if written < len(data):
            self.pending += data[written:]
            self.on_full()

    def flush(self) -> None:
        """Write of what is pending as much as is taken."""
        try:
            while self.pending:
                del self.pending[: self._write(self.descriptor, self.pending[:_AT_ONCE])]
        except BlockingIOError:
            return
        except OSError:
            self.on_lost()
            return
        if self.is_ending:
            self.on_end()
        else:
            self.on_empty()

    def wait(self) -> None:
        """Wait until everything has been taken."""
        while self.pending:
            events_at(self.descriptor, POLLOUT, FOR_EVER)
            self.flush()

    def close(self) -> None:
        """End the stream once everything has been taken."""
        self.is_ending = True
        if not self.pending:
            self.on_end()

    def drop(self) -> None:
        """Give up what is pending."""
        self.undelivered += len(self.pending)
        self.pending.clear()

    def on_full(self) -> None:
        """Wait for room."""
        self.carrier.watch(self.descriptor, POLLOUT, self._on_events)

    def on_empty(self) -> None:
        """Wait for nothing more."""
        self.carrier.forget(self.descriptor)

    def on_lost(self) -> None:
        """Take notice that nobody will take another byte."""
        self.drop()
        self.on_empty()

    def on_end(self) -> None:
        """Let the reader see the end, once."""
        if not self.done:
            self.done = True
            self.carrier.forget(self.descriptor)
            stdio.let_go(self.descriptor)

    def _on_events(self, events: int) -> None:
        if events & GONE:
            self.on_lost()
        else:
            self.flush()
