"""
One stream: from its source, past its gate, to its sink, as the bytes come.

A stream knows nothing of lines. It reads only when all it has read is written, so that a reader
that stops makes the writer stop; and it passes on both kinds of end, as a pipe would: the end of
the source closes the sink, and the loss of the sink's reader closes the source.
"""

import os
from collections.abc import Callable, Iterator
from select import POLLIN, POLLOUT

from acp_spy.engine import stdio
from acp_spy.engine.carrier import Carrier
from acp_spy.engine.ready import GONE, is_gone

_CHUNK = 64 * 1024


class Gate:
    """
    What a stream passes: `show` is called with each chunk before it is written.

    If it returns `True` it has taken the chunk: it is not written, and the gate passes on by the
    stream's `send` whatever it likes, when it likes.

    `show_end` is called when the source ends. If it returns `False` the end is held: the sink
    stays open until the stream is told to `release` it.
    """

    def __init__(
        self, show: Callable[[bytes], bool | None], show_end: Callable[[], bool | None]
    ) -> None:
        self.show = show
        self.show_end = show_end


class Stream:
    """A source, a gate and a sink, carried by `carrier`; `write` writes to the sink."""

    def __init__(
        self,
        carrier: Carrier,
        source: int,
        sink: int,
        gate: Gate,
        write: "stdio.Write" = os.write,
    ) -> None:
        self._carrier = carrier
        self._source = source
        self._sink = sink
        self._gate = gate
        self._write_to = write
        self._pending = b""
        self._reading = True
        self._is_released = False
        self.is_held = False  # its end, by the gate
        self.done = False
        self.undelivered = 0
        carrier.watch(source, POLLIN, self._on_source)
        carrier.watch(sink, 0, self._on_sink)  # reports only that the reader has gone

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
        if not is_gone(self._sink):
            stdio.widen(self._sink)
            self._pending = self._left_of(self._pending)
            for chunk in self._last_chunks():
                if not self._gate.show(chunk):
                    self._pending += chunk
                self._pending = self._left_of(self._pending)
        self._lose_reader()

    def release(self) -> None:
        """Pass on the end that the gate has held, after what is pending."""
        self._is_released = True
        if self.is_held and not self.done and not self._pending:
            self._close()

    def send(self, data: bytes) -> None:
        """Write `data` after what is pending; for a gate that has taken chunks."""
        if self.done:
            self.undelivered += len(data)
        else:
            self._write(self._pending + data)

    def cut(self) -> None:
        """Let the reader see the end now. What comes is still shown, and goes nowhere."""
        if self.done:
            return
        self.undelivered += len(self._left_of(self._pending))
        self._carrier.forget(self._sink)
        stdio.discard(self._sink)
        self._write_to = os.write
        self._carrier.watch(self._sink, 0, self._on_sink)
        self._write(b"")  # read on, if it was full

    def _left_of(self, data: bytes) -> bytes:
        """Write what can be written of `data`, and return the rest."""
        try:
            while data:
                data = data[self._write_to(self._sink, data) :]
        except OSError:
            pass
        return data

    def _on_source(self, _events: int) -> None:
        try:
            chunk = os.read(self._source, _CHUNK)
        except BlockingIOError:
            return  # somebody who shares the source was faster
        except OSError:
            chunk = b""  # a terminal hung up, a connection reset: an end like any other
        if not chunk:
            self._end()
            return
        is_taken: bool | None = False
        try:
            is_taken = self._gate.show(chunk)
        finally:  # whatever it raises: what has been read is passed on
            if not is_taken:
                self._write(chunk)

    def _end(self) -> None:
        self._carrier.forget(self._source)
        self._reading = False
        self.is_held = self._gate.show_end() is False
        if not self.is_held:
            self._close()

    def _on_sink(self, events: int) -> None:
        if events & GONE:
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
        if self.is_held:
            self._carrier.change(self._sink, POLLOUT if self._pending else 0)
            if self._is_released and not self._pending:
                self._close()
        elif self._reading == bool(self._pending):
            self._pause_or_resume()

    def _pause_or_resume(self) -> None:
        # While it is paused, not even a hang-up is wanted from the source: it would be reported
        # again and again until the sink has taken what is pending.
        self._reading = not self._pending
        if self._reading:
            self._carrier.change(self._sink, 0)
            self._carrier.watch(self._source, POLLIN, self._on_source)
        else:
            self._carrier.forget(self._source)
            self._carrier.change(self._sink, POLLOUT)

    def _lose_reader(self) -> None:
        """Nobody will take another byte: show what the writer has sent, and let it know."""
        self.undelivered = len(self._pending)
        if is_gone(self._sink):
            self.undelivered += stdio.unread(self._sink)
        self._pending = b""
        self.done = True  # what a gate has taken and sends now, nobody gets either
        for chunk in self._last_chunks():
            if not self._gate.show(chunk):
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
        self._carrier.forget(self._source)
        self._carrier.forget(self._sink)
        stdio.let_go(self._sink)
        stdio.let_go(self._source)
        self.done = True
