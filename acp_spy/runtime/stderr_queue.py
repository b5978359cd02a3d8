"""
Our own messages on a stderr that may be read slowly: kept until they are read.

The traffic does not wait for them: they lie in a queue, which the loop empties as the reader goes
on. When the traffic is over, we wait for the reader, as for one of the agent's. What a full
queue could not take is counted, and reported.
"""

import os
from select import POLLIN, POLLOUT, poll

from acp_spy.runtime import stdio

_MOST = 1024 * 1024  # bytes that wait: ten thousand findings
_AT_ONCE = 64 * 1024


class StderrQueue:
    """
    Writes to `descriptor`; `write` returns at once when nothing is taken, as a sink's does.

    An agent that closes its stderr closes ours with it. To write after that takes a descriptor of
    our own, and its reader sees its end only at ours. So there is one only where `-v` was given,
    once something could not be written at once, and when the agent has ended.
    """

    def __init__(self, descriptor: int, write: "stdio.Write") -> None:
        self._descriptor = descriptor
        self._write = write
        self._waiting = bytearray()
        self._left_out = 0
        self._poller: poll | None = None
        self._handlers: stdio.Handlers = {}
        self._is_watched = False
        self._end: tuple[int, float | None] | None = None

    def put(self, line: bytes) -> None:
        """Take a line. It is written when there is room for it."""
        if len(self._waiting) > _MOST:
            self._left_out += 1
            return
        self._waiting += self._omission() + line
        self._flush()
        if self._end:
            self._wait(*self._end)

    def attach(self, poller: poll, handlers: "stdio.Handlers") -> None:
        """Join a loop that polls and calls `handlers` with the events."""
        self._poller, self._handlers = poller, handlers
        self._watch()

    def detach(self) -> None:
        """Leave the loop."""
        if self._poller and self._is_watched:
            self._poller.unregister(self._descriptor)
        self._poller, self._is_watched = None, False

    def wait_for_reader(self, wake: int, patience: float | None) -> None:
        """
        From now on wait for the reader: nobody else waits for us.

        Until `wake` becomes readable, or for `patience` seconds in which nothing is taken; `None`
        is for ever. Then the rest is left in the pipe, as far as that can be made to hold it.
        """
        self.detach()
        self._waiting += self._omission()
        self._end = wake, patience
        self._wait(wake, patience)

    def _wait(self, wake: int, patience: float | None) -> None:
        poller = poll()
        poller.register(self._descriptor, POLLOUT)
        if wake >= 0:
            poller.register(wake, POLLIN)
        while self._waiting:
            events = poller.poll(None if patience is None else patience * 1000)
            if self._descriptor not in dict(events):
                self._end = wake, 0
                stdio.widen(self._descriptor)
                self._flush()
                return
            self._flush()

    def _flush(self) -> None:
        """Write of what waits as much as is taken."""
        try:
            while self._waiting:
                written = self._write(self._descriptor, bytes(self._waiting[:_AT_ONCE]))
                del self._waiting[:written]
        except BlockingIOError:
            self.own_descriptor()
        except OSError:
            self._waiting.clear()  # there is nowhere left to write it
        self._watch()

    def own_descriptor(self) -> None:
        """Have a descriptor of our own: number 2 is the pump's, which may close it."""
        if self._descriptor > 2:
            return
        try:
            self._descriptor = os.dup(self._descriptor)
        except OSError:  # too many open files
            self._waiting.clear()

    def _watch(self) -> None:
        """Have the loop wait for room only while something waits for it."""
        if self._poller and self._is_watched != bool(self._waiting):
            self._is_watched = bool(self._waiting)
            if self._is_watched:
                self._handlers[self._descriptor] = lambda _events: self._flush()
                self._poller.register(self._descriptor, POLLOUT)
            else:
                self._poller.unregister(self._descriptor)

    def _omission(self) -> bytes:
        """Return the message about what was left out, once."""
        if not self._left_out:
            return b""
        left_out, self._left_out = self._left_out, 0
        return b"acp-spy: lines omitted here because stderr was not read: %d\n" % left_out
