"""
Our own messages on a stderr that may be read slowly: kept until they are read.

The traffic does not wait for them. When it is over, we wait while the reader goes on reading.
What a full queue could not take is counted, and reported.
"""

import os

from acp_spy.engine import stdio
from acp_spy.engine.stream import Sink

_MOST = 1024 * 1024  # bytes that wait: ten thousand findings


class StderrQueue(Sink):
    """
    Takes whole lines. An agent that closes its stderr closes ours with it.

    To write after that takes a descriptor of our own, whose reader sees its end only at ours. So
    there is one only where `-v` was given, for what must wait, and when the agent has ended.
    """

    _left_out = 0
    _is_detached = False

    def put(self, data: bytes) -> None:
        """Take a line. It is written when there is room for it."""
        if len(self.pending) > _MOST:
            self._left_out += 1
        else:
            super().put(self._omission() + data)

    def announce(self, line: str) -> None:
        """Take a line of ours that is known to have no secrets: it is not masked."""
        self.put(f"acp-spy: {line}\n".encode())

    def on_full(self) -> None:
        """Wait for room; the stream that number 2 belongs to may close it meanwhile."""
        self.own_descriptor()
        if self.pending and not self._is_detached:
            super().on_full()

    def on_empty(self) -> None:
        """Wait for nothing more; number 2 is watched by that stream."""
        if self.descriptor > 2:
            super().on_empty()

    def detach(self) -> None:
        """Leave the carrier, and say what was left out: from now on only `flush` writes."""
        self.on_empty()
        self._is_detached = True
        self.pending += self._omission()

    def leave_rest(self) -> None:
        """Leave what waits in the reader's pipe, as far as that can be made to hold it."""
        stdio.widen(self.descriptor)
        self.flush()

    def own_descriptor(self) -> None:
        """Have a descriptor of our own: number 2 is a stream's, which may close it."""
        if self.descriptor > 2:
            return
        try:
            self.descriptor = os.dup(self.descriptor)
        except OSError:  # too many open files
            self.drop()

    def _omission(self) -> bytes:
        """Return the message about what was left out, once."""
        if not self._left_out:
            return b""
        left_out, self._left_out = self._left_out, 0
        return b"acp-spy: lines omitted here because stderr was not read: %d\n" % left_out
