"""
How findings get into the capture: they are sent to the proxy, which writes them while it lives.

Once it has gone, be it by SIGKILL, they are written from here: first what it was sent and has not
written, then what is found after that. So there is one writer at any time. SIGKILL may tear a
line that is being written. If it was a finding, the rest of it is written; behind a torn frame
nothing is put, for a torn line is normal only at the end of a capture.
"""

import os
from collections import deque

from acp_spy.capture.codec import FINDING_START
from acp_spy.engine.ready import FOR_EVER, events_at
from acp_spy.live_check import DONE

# Bytes sent last that are kept: more than can be on their way through the pipe and the proxy.
_KEPT = 256 * 1024


class FindingsWriter:
    """`output` is the pipe to the proxy; `capture` is open, to be read and appended to."""

    def __init__(self, capture: int, output: int) -> None:
        self._capture = capture
        self._output = output
        self._count = 0
        self._kept: deque[bytes] = deque()
        self._kept_bytes = 0
        self._proxy_has_gone = False
        self._torn = b""
        self._can_write = True

    def send(self, line: bytes) -> None:
        """Send the proxy something that is not a finding, in one line."""
        if not self._proxy_has_gone and not self._send(line + b"\n"):
            self._take_over()

    def complain(self, text: str) -> None:
        """Have the proxy print something on stderr."""
        self.send(" ".join(text.split()).encode(errors="backslashreplace"))

    def write(self, findings: list[bytes]) -> None:
        """Write findings, as lines of the capture."""
        if self._proxy_has_gone:
            self._append(findings)
            return
        while self._kept_bytes > _KEPT:
            self._kept_bytes -= len(self._kept.popleft())
        self._kept.extend(findings)
        self._kept_bytes += sum(map(len, findings))
        self._count += len(findings)
        if not self._send(b"".join(findings)):
            self._take_over()

    def end(self) -> None:
        """Make sure that everything has been written."""
        self.send(DONE)
        # The proxy ends us when it has written everything; or it has gone itself.
        events_at(self._output, 0, FOR_EVER)
        if not self._proxy_has_gone:
            self._take_over()

    def _send(self, data: bytes) -> bool:
        """Write to the proxy. `False` when it has gone."""
        try:
            while data:
                data = data[os.write(self._output, data) :]
        except BrokenPipeError:
            return False
        return True

    def _take_over(self) -> None:
        self._proxy_has_gone = True
        written = 0
        with open(self._capture, "rb", closefd=False) as file:
            file.seek(0)
            for line in file:
                if not line.endswith(b"\n"):
                    self._torn = line
                elif line.startswith(FINDING_START):
                    written += 1
        missing = max(0, self._count - written)
        self._append(list(self._kept)[-missing:] if missing else [])
        self._kept.clear()

    def _append(self, findings: list[bytes]) -> None:
        data = b"".join(findings)
        if not data:
            return
        self._can_write &= data.startswith(self._torn)
        data, self._torn = data[len(self._torn) :], b""
        try:
            while data and self._can_write:
                data = data[os.write(self._capture, data) :]
        except OSError:  # the disk is full, and there is nobody left to report it to
            self._can_write = False
