"""
Our own messages on a stderr that may be read slowly: kept until they are read.

The traffic does not wait for them: they lie in a queue, which the carrier empties as the reader
goes on. When the traffic is over, we wait for the reader, as for one of the agent's. What a full
queue could not take is counted, and reported.
"""

import os
from select import POLLOUT

from acp_spy.engine import stdio
from acp_spy.engine.carrier import Carrier

_MOST = 1024 * 1024  # bytes that wait: ten thousand findings
_AT_ONCE = 64 * 1024


class StderrQueue:
    """
    Writes to `descriptor`; `write` returns at once when nothing is taken, as a sink's does.

    An agent that closes its stderr closes ours with it. To write after that takes a descriptor of
    our own, and its reader sees its end only at ours. So there is one only where `-v` was given,
    once something could not be written at once, and when the agent has ended.
    """

    def __init__(self, carrier: Carrier, descriptor: int, write: "stdio.Write") -> None:
        self._carrier: Carrier | None = carrier
        self._descriptor = descriptor
        self._write = write
        self._waiting = bytearray()
        self._left_out = 0
        self._is_watched = False

    @property
    def descriptor(self) -> int:
        """Where it writes."""
        return self._descriptor

    @property
    def is_empty(self) -> bool:
        """Whether everything has been written."""
        return not self._waiting

    def put(self, line: bytes) -> None:
        """Take a line. It is written when there is room for it."""
        if len(self._waiting) > _MOST:
            self._left_out += 1
            return
        self._waiting += self._omission() + line
        self.flush()

    def detach(self) -> None:
        """Leave the carrier: from now on only `flush` writes."""
        if self._carrier and self._is_watched:
            self._carrier.forget(self._descriptor)
        self._carrier, self._is_watched = None, False
        self._waiting += self._omission()

    def leave_rest(self) -> None:
        """Leave what waits in the reader's pipe, as far as that can be made to hold it."""
        stdio.widen(self._descriptor)
        self.flush()

    def flush(self) -> None:
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
        """Wait for room only while something waits for it."""
        if self._carrier and self._is_watched != bool(self._waiting):
            self._is_watched = bool(self._waiting)
            if self._is_watched:
                self._carrier.watch(self._descriptor, POLLOUT, lambda _events: self.flush())
            else:
                self._carrier.forget(self._descriptor)

    def _omission(self) -> bytes:
        """Return the message about what was left out, once."""
        if not self._left_out:
            return b""
        left_out, self._left_out = self._left_out, 0
        return b"acp-spy: lines omitted here because stderr was not read: %d\n" % left_out
