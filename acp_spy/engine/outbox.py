"""
Bytes on their way to a reader that may be slow: kept until they are taken, so that nobody waits.

Two peers that write to each other and do not read would wait for ever. So writing never blocks
here: what is not taken at once is written when the reader has room. What nobody reads any more is
dropped.
"""

from select import POLLOUT

from acp_spy.engine import stdio
from acp_spy.engine.carrier import Carrier

_AT_ONCE = 64 * 1024


class Outbox:
    """Writes to `descriptor`; `write` returns at once when nothing is taken, as a sink's does."""

    def __init__(self, carrier: Carrier, descriptor: int, write: "stdio.Write") -> None:
        self.descriptor = descriptor
        self._carrier: Carrier | None = carrier
        self._write = write
        self._waiting = bytearray()
        self._is_watched = self._is_ending = self._is_closed = False

    @property
    def is_empty(self) -> bool:
        """Whether everything has been taken."""
        return not self._waiting

    def put(self, data: bytes) -> None:
        """Write `data`, after whatever waits."""
        if not self._is_ending:
            self._waiting += data
            self.flush()

    def close(self) -> None:
        """End the stream once everything has been taken."""
        self._is_ending = True
        self.flush()

    def detach(self) -> None:
        """Leave the carrier: from now on only `flush` writes."""
        if self._carrier and self._is_watched:
            self._carrier.forget(self.descriptor)
        self._carrier, self._is_watched = None, False

    def flush(self) -> None:
        """Write of what waits as much as is taken."""
        try:
            while self._waiting:
                written = self._write(self.descriptor, bytes(self._waiting[:_AT_ONCE]))
                del self._waiting[:written]
        except BlockingIOError:
            self.on_full()
        except OSError:
            self._waiting.clear()
        self._watch()
        if self._is_ending and not self._waiting and not self._is_closed:
            self._is_closed = True
            stdio.let_go(self.descriptor)

    def on_full(self) -> None:
        """Take notice that not everything could be written at once."""

    def _watch(self) -> None:
        """Wait for room only while something waits for it."""
        if self._carrier and self._is_watched != bool(self._waiting):
            self._is_watched = bool(self._waiting)
            if self._is_watched:
                self._carrier.watch(self.descriptor, POLLOUT, lambda _events: self.flush())
            else:
                self._carrier.forget(self.descriptor)
