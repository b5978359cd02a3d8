"""
Bytes on their way: a sink, and a stream to it from a source, past a gate, as the bytes come.

Two peers that write to each other and do not read would wait for ever. So writing never blocks
here: what is not taken at once is kept, and written when the reader has room. A stream knows
nothing of lines. It reads only when all it has read is written, so that a reader that stops makes
the writer stop; and it passes on both kinds of end, as a pipe would: the end of the source closes
the sink, and the loss of the sink's reader closes the source.
"""

import os
from collections.abc import Callable
from select import POLLIN, POLLOUT

from acp_spy.engine import stdio
from acp_spy.engine.carrier import Carrier
from acp_spy.engine.ready import FOR_EVER, GONE, events_at, is_gone


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
                del self.pending[: self._write(self.descriptor, self.pending[: stdio.CHUNK])]
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


class Gate:
    """
    What a stream passes: `show` is called with each chunk before it is written.

    If it returns `True` it has taken the chunk: it is not written, and the gate passes on by the
    stream's `put` whatever it likes, when it likes. `show_end` is called when the source ends. If
    it returns `False` the end is held: the sink stays open until the stream's `release`.
    """

    def __init__(
        self, show: Callable[[bytes], bool | None], show_end: Callable[[], bool | None]
    ) -> None:
        self.show = show
        self.show_end = show_end


class Stream(Sink):
    """A sink that is written to from a source, past a gate."""

    def __init__(self, carrier: Carrier, source: int, sink: int, gate: Gate) -> None:
        super().__init__(carrier, sink)
        self._source = source
        self._gate = gate
        self._source_has_ended = False
        self._may_be_read_again = stdio.has_a_name(sink)
        self.on_empty()

    def on_empty(self) -> None:
        """Read on. Of the sink it is of interest only that its reader has gone, and for good."""
        if self._may_be_read_again:
            self.carrier.forget(self.descriptor)
        else:
            self.carrier.watch(self.descriptor, 0, self._on_events)
        if not self._source_has_ended:
            self.carrier.watch(self._source, POLLIN, self._pass_on)

    def on_full(self) -> None:
        """Wait for room before anything more is read."""
        # Not even a hang-up is wanted from the source: it would be reported again and again until
        # the sink has taken what is pending.
        self.carrier.forget(self._source)
        super().on_full()

    def on_lost(self) -> None:
        """Nobody will take another byte: show what the writer has sent, and let it know."""
        if is_gone(self.descriptor):
            self.undelivered += stdio.unread(self.descriptor)
        self.is_ending = True  # what a gate has taken and puts now, nobody gets either
        self.drop()
        self.take_rest()
        self.on_end()

    def on_end(self) -> None:
        """Pass on the end to both sides."""
        if not self.done:
            super().on_end()
            self.carrier.forget(self._source)
            stdio.let_go(self._source)

    def release(self) -> None:
        """Pass on the end that the gate has held, if it has come, after what is pending."""
        if self._source_has_ended:
            self.close()

    def stop(self) -> None:
        """
        End now. What the reader has yet to take is left in its pipe, as the agent would have.

        The pipe is made wider for it; what does not fit even so is undelivered.
        """
        if not self.done and not is_gone(self.descriptor):
            stdio.widen(self.descriptor)
            self.take_rest()
            self.flush()
        if not self.done:
            self.on_lost()

    def cut(self) -> None:
        """Let the reader see the end now. What comes is still shown, and goes nowhere."""
        if self.done:
            return
        self.drop()
        self.carrier.forget(self.descriptor)
        stdio.discard(self.descriptor)
        self._write = os.write
        self.on_empty()

    def take_rest(self) -> None:
        """Pass on what lies in the source's pipe now; who goes on writing is not waited for."""
        left = 0 if self.done else stdio.unread(self._source)
        while left > 0 and not self.done:
            left -= len(self._pass_on(0, left)) or left

    def _pass_on(self, _events: int, most: int = stdio.CHUNK) -> bytes:
        """Pass on what is read at once, or the end; return it."""
        try:
            chunk = os.read(self._source, most)
        except BlockingIOError:
            return b""  # somebody who shares it was faster
        except OSError:
            chunk = b""  # a terminal hung up, a connection reset: an end like any other
        if not chunk:
            self.carrier.forget(self._source)
            self._source_has_ended = True
            if self._gate.show_end() is not False:
                self.close()
            return chunk
        is_taken: bool | None = False
        try:
            is_taken = self._gate.show(chunk)
        finally:  # whatever it raises: what has been read is passed on
            if not is_taken:
                self.put(chunk)
        return chunk
