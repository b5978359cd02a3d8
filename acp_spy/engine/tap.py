"""
Record what passes, and write it to disk, at no risk to the traffic.

Whatever goes wrong here, be it a full disk or a bug of ours, is reported once on stderr; from then
on nothing more is recorded, and the conversation goes on.
"""

import time
from collections.abc import Callable, Sequence

import msgspec

from acp_spy.capture.files import CaptureFile
from acp_spy.capture.recorder import Recorder
from acp_spy.capture.records import Header, Record
from acp_spy.errors import reason_of
from acp_spy.wire.frame import Frame, Peer, Via

TYPE_CHECKING = False  # who does not redact need not load what finds secrets
if TYPE_CHECKING:
    from acp_spy.secrets.redactor import Redactor

_CLIENT, _AGENT = Peer.CLIENT, Peer.AGENT  # to look up a member of an enum is a call of Python


class Tap:
    """
    Keeps one run. `complain` takes one line for the person who reads stderr.

    `redactor`, if given, makes of each record the one that is kept; the traffic it does not see.
    """

    def __init__(
        self,
        started_ns: int,
        complain: Callable[[str], None],
        redactor: "Redactor | None" = None,
    ) -> None:
        self._started_ns = started_ns
        self._complain = complain
        self._redactor = redactor
        self._file: CaptureFile | None = None
        self.recorder = Recorder()
        # Called after each write, with its time.
        self.on_write: Callable[[float], None] | None = None

    @property
    def path(self) -> str:
        """Where the run is being recorded; empty when it is not."""
        return self._file.path if self._file else ""

    @property
    def can_be_followed(self) -> bool:
        """Whether somebody can read what is recorded while it is."""
        return self._file is not None and self._file.can_be_followed

    @property
    def counts(self) -> tuple[int, int]:
        """How many frames the client has sent, and the agent."""
        return self.recorder.counts[Peer.CLIENT], self.recorder.counts[Peer.AGENT]

    def open(self, path: str, header: Header) -> None:
        """Begin the capture at `path`."""
        try:
            if self._redactor:
                header = self._redactor.header(header)
            self._file = CaptureFile(path, header)
        except OSError as error:
            self._complain(f"not recording: cannot write `{path}`: {error.strerror}")

    def client(self, chunk: bytes) -> None:
        """Take a chunk that the client sent."""
        self._keep_lines(_CLIENT, chunk)

    def agent(self, chunk: bytes) -> None:
        """Take a chunk that the agent sent."""
        self._keep_lines(_AGENT, chunk)

    def keep_cut(self, frames: Sequence[Frame]) -> None:
        """Take the frames of one chunk, all of them and nothing else."""
        if self._file is None or self._redactor:
            self.keep(lambda _t: frames)
            return
        try:
            first, lines = frames[0], [frame.raw for frame in frames]
            self._file.append_chunk(first.seq, first.t, first.sender, lines)
            if self.on_write:
                self.on_write(self.now())
        except Exception as error:  # noqa: BLE001 - a bug of ours must not stop the traffic
            self._fail(error)

    def messages(self, sender: Peer, payloads: Sequence[bytes], via: Via) -> int:
        """Take messages that came whole, and not on stdio; return the number of the last."""
        if len(payloads) > 1 and b"\n" in b"".join(payloads):
            for payload in payloads:
                self.messages(sender, [payload], via)
        else:
            lines = [payload + b"\n" for payload in payloads]
            self._keep_lines(sender, b"", lines, via)
        return self.recorder.last

    def found_messages(self, sender: Peer, values: list[msgspec.Raw], via: Via) -> None:
        """Take messages that `messages_in` has found."""
        if self._redactor:
            self._keep_lines(sender, b"", [bytes(value) + b"\n" for value in values], via)
        elif self._file is not None:
            try:
                first, _ = self.recorder.lines(sender, b"", values)
                self._file.append_messages(first, self.now(), sender, values, via)
                if self.on_write:
                    self.on_write(self.now())
            except Exception as error:  # noqa: BLE001 - a bug of ours must not stop the traffic
                self._fail(error)

    def close(self) -> None:
        """Record no more; there are other runs in this process."""
        if self._file:
            self._file.close()
            self._file = None

    def client_end(self) -> None:
        """Take the end of what the client sends."""
        self.keep(lambda t: self.recorder.closed(Peer.CLIENT, t))

    def agent_end(self) -> None:
        """Take the end of what the agent sends."""
        self.keep(lambda t: self.recorder.closed(Peer.AGENT, t))

    def stderr(self, chunk: bytes) -> None:
        """Take a chunk of the agent's standard error."""
        self.keep(lambda t: self.recorder.stderr(chunk, t))

    def exit(self, status: int, undelivered: dict[str, int], reason: str = "") -> None:
        """Take the end of the run; `reason` is why the agent could not be started at all."""
        self.keep(lambda t: self.recorder.exit(status, undelivered, t, reason))

    def check_file(self) -> None:
        """
        Check that the file is still as we have written it; if not, report it and record no more.

        Not after each write, for which the messages wait: when the checker fails because of it,
        and before the end, while stderr is still open.
        """
        if self._file is None:
            return
        try:
            spoilt = self._file.spoilt_by_others()
        except OSError as error:
            self._fail(error)
            return
        if spoilt:
            path, self._file = self.path, None
            self._complain(
                f"recording stopped: another program {spoilt} `{path}`;"
                " the conversation is not affected"
            )

    def findings(self, lines: bytes) -> None:
        """Take what was found in what was recorded, as lines of the capture."""
        if self._file is None:
            return
        try:
            self._file.append_lines(lines)
        except OSError as error:
            self._fail(error)

    def _keep_lines(
        self,
        sender: Peer,
        chunk: bytes,
        whole: Sequence[bytes] | None = None,
        via: Via | None = None,
    ) -> None:
        # Every message waits for this, so it is written out rather than passed through `keep`.
        if self._file is None:
            return
        try:
            t = self.now()
            first, lines = self.recorder.lines(sender, chunk, whole)
            if not lines:
                return
            if self._redactor:
                redact, frames = self._redactor.record, enumerate(lines, first)
                self._file.append(
                    redact(Frame(number, t, sender, line, (), via)) for number, line in frames
                )
            else:
                self._file.append_chunk(first, t, sender, lines, via)
            if self.on_write:
                self.on_write(self.now())  # not `t`: redacting and writing may have taken long
        except Exception as error:  # noqa: BLE001 - a bug of ours must not stop the traffic
            self._fail(error)

    def keep(self, make_records: Callable[[float], Sequence[Record]]) -> None:
        """Take records, which are made for the time that it is now."""
        if self._file is None:
            return
        try:
            t = self.now()
            records = make_records(t)
            if self._redactor:
                records = [self._redactor.record(record) for record in records]
            self._file.append(records)
            if self.on_write:
                self.on_write(self.now())
        except Exception as error:  # noqa: BLE001 - a bug of ours must not stop the traffic
            self._fail(error)

    def now(self) -> float:
        """Return the time on the capture's clock."""
        return (time.monotonic_ns() - self._started_ns) // 1000 / 1_000_000

    def _fail(self, error: Exception) -> None:
        reason = reason_of(error)  # not enough memory, perhaps: a line is held until it ends
        if isinstance(error, OSError):
            reason = f"cannot write `{self.path}`: {error.strerror}"
        self._file = None
        self._complain(f"recording stopped: {reason}; the conversation continues")
