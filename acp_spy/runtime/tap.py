"""
Show what passes to the recorder and put it on disk, at no risk to the traffic.

Whatever goes wrong here, be it a full disk or a bug of ours, is told once on stderr; from then
on nothing more is recorded, and the conversation goes on.
"""

import time
import traceback
from collections.abc import Callable, Sequence
from typing import Any

from acp_spy.capture.files import CaptureFile
from acp_spy.capture.recorder import Recorder
from acp_spy.capture.records import Header, Record
from acp_spy.wire.frame import Peer


class Tap:
    """Keeps one run. `complain` takes one line for the person who reads stderr."""

    def __init__(self, started_ns: int, complain: Callable[[str], None]) -> None:
        self._started_ns = started_ns
        self._complain = complain
        self._file: CaptureFile | None = None
        self.recorder = Recorder()

    @property
    def path(self) -> str:
        """Where the run is being recorded; empty when it is not."""
        return self._file.path if self._file else ""

    @property
    def counts(self) -> tuple[int, int]:
        """How many frames the client has sent, and the agent."""
        return self.recorder.counts[Peer.CLIENT], self.recorder.counts[Peer.AGENT]

    def open(self, path: str, header: Header) -> None:
        """Begin the capture at `path`."""
        try:
            self._file = CaptureFile(path, header)
        except OSError as error:
            self._complain(f"nothing is recorded: `{path}` cannot be written: {error.strerror}")

    def client(self, chunk: bytes) -> None:
        """Take a chunk that the client sent."""
        self._keep(CaptureFile.append_chunk, self.recorder.frames, Peer.CLIENT, chunk)

    def agent(self, chunk: bytes) -> None:
        """Take a chunk that the agent sent."""
        self._keep(CaptureFile.append_chunk, self.recorder.frames, Peer.AGENT, chunk)

    def client_end(self) -> None:
        """Take the end of what the client sends."""
        self._keep(CaptureFile.append, self.recorder.closed, Peer.CLIENT)

    def agent_end(self) -> None:
        """Take the end of what the agent sends."""
        self._keep(CaptureFile.append, self.recorder.closed, Peer.AGENT)

    def stderr(self, chunk: bytes) -> None:
        """Take a chunk of the agent's standard error."""
        self._keep(CaptureFile.append, self.recorder.stderr, chunk)

    def exit(self, status: int, undelivered: dict[str, int]) -> None:
        """Take the end of the run."""
        self._keep(CaptureFile.append, self.recorder.exit, status, undelivered)

    def _keep(
        self,
        append: Callable[[CaptureFile, Any], None],
        make_records: Callable[..., Sequence[Record]],
        *what: Any,
    ) -> None:
        if self._file is None:
            return
        t = (time.monotonic_ns() - self._started_ns) // 1000 / 1_000_000
        try:
            records = make_records(*what, t)
            if records:
                append(self._file, records)
        except OSError as error:
            self._give_up(f"recording ends: `{self.path}` cannot be written: {error.strerror}")
        except Exception as error:  # noqa: BLE001 - a bug of ours must not stop the traffic
            where = traceback.extract_tb(error.__traceback__)[-1]
            self._give_up(
                f"recording ends: a bug in acp-spy, please report it: {error!r}"
                f" at {where.name}:{where.lineno}"
            )

    def _give_up(self, why: str) -> None:
        self._file = None
        self._complain(f"{why}; the conversation goes on")
