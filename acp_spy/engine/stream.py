"""
Carry the bytes of one stream from its source to its sink, past a tap, as they come.

The pump knows nothing of lines. It reads only when all it has read is written, so that a reader
that stops makes the writer stop; and it passes on both kinds of end, as a pipe would: the end of
the source closes the sink, and the loss of the sink's reader closes the source.
"""

import os
from collections.abc import Callable, Iterator
from select import POLLERR, POLLHUP, POLLIN, POLLNVAL, POLLOUT, poll

from acp_spy.engine import stdio

_CHUNK = 64 * 1024
_GONE = POLLERR | POLLHUP | POLLNVAL


class Pump:
    """
    One stream. Give `handlers` to the loop that polls; it calls them with the events.

    `show` is called with each chunk before it is written, and `show_end` when the source ends.
    """

    def __init__(
        self,
        poller: poll,
        source: int,
        sink: int,
        show: Callable[[bytes], None],
        show_end: Callable[[], None],
        write: Callable[[int, bytes], int] = os.write,
    ) -> None:
        self._poller = poller
        self._source = source
        self._sink = sink
        self._show = show
        self._show_end = show_end
        self._write_to = write
        self._pending = b""
        self._reading = True
        self.done = False
        self.undelivered = 0
        self.handlers: stdio.Handlers = {source: self._on_source, sink: self._on_sink}
        poller.register(source, POLLIN)
        poller.register(sink, 0)  # reports only that the reader has gone

    @property
    def blocked(self) -> bool:
        """Whether there are bytes that the reader has yet to take."""
        return bool(self._pending)

    def stop(self) -> None:
        """
        End now. What the reader has yet to take is left in its pipe, as the agent would have.

        The pipe is made wider for it; what does not fit even so is undelivered.
        """
        if self.done:
            return
        if not _events_at(self._sink, 0) & _GONE:
            stdio.widen(self._sink)
            self._pending = self._left_of(self._pending)
            for chunk in self._last_chunks():
                self._show(chunk)
                self._pending = self._left_of(self._pending + chunk)
        self._lose_reader()

    def _left_of(self, data: bytes) -> bytes:
        """Write what can be written of `data`, and return the rest."""
        try:
            while data:
                data = data[self._write_to(self._sink, data) :]
        except OSError:
            pass
        return data

    def _on_source(self, _events: int) -> None:
        if self.done:
            return
        try:
            chunk = os.read(self._source, _CHUNK)
        except BlockingIOError:
            return  # somebody who shares the source was faster
        except OSError:
            chunk = b""  # a terminal hung up, a connection reset: an end like any other
        if not chunk:
            self._show_end()
            self._close()
            return
        self._show(chunk)
        self._write(chunk)

    def _on_sink(self, events: int) -> None:
        if self.done:
            return
        if events & _GONE:
            self._lose_reader()
        else:
            self._write(self._pending)

    def _write(self, data: bytes) -> None:
        try:
            written = self._write_to(self._sink, data)
        except BlockingIOError:
            written = 0
        except OSError:
            self._pending = data
            self._lose_reader()
            return
        if written == len(data) and self._reading:  # nothing was pending, and nothing is
            return
        self._pending = data[written:]
        if self._reading == bool(self._pending):
            self._pause_or_resume()

    def _pause_or_resume(self) -> None:
        # While it is paused, not even a hang-up is wanted from the source: it would be reported
        # again and again until the sink has taken what is pending.
        self._reading = not self._pending
        if self._reading:
            self._poller.modify(self._sink, 0)
            self._poller.register(self._source, POLLIN)
        else:
            self._poller.unregister(self._source)
            self._poller.modify(self._sink, POLLOUT)

    def _lose_reader(self) -> None:
        """Nobody will take another byte: show what the writer has sent, and let it know."""
        self.undelivered = len(self._pending)
        if _events_at(self._sink, 0) & _GONE:
            self.undelivered += stdio.unread(self._sink)
        self._pending = b""
        for chunk in self._last_chunks():
            self._show(chunk)
            self.undelivered += len(chunk)
        self._close()

    def _last_chunks(self) -> Iterator[bytes]:
        """Give what lies in the source's pipe now; who goes on writing is not waited for."""
        left = stdio.unread(self._source)
        while left > 0:
            try:
                chunk = os.read(self._source, min(left, _CHUNK))
            except OSError:
                return
            left -= len(chunk) or left
            yield chunk

    def _close(self) -> None:
        if self._reading:
            self._poller.unregister(self._source)
        self._poller.unregister(self._sink)
        stdio.let_go(self._sink)
        stdio.let_go(self._source)
        self.done = True


def _events_at(descriptor: int, wanted: int) -> int:
    """Return what is true of `descriptor` right now."""
    poller = poll()
    poller.register(descriptor, wanted)
    return sum(events for _, events in poller.poll(0))
