"""
Record what passes, and write it to disk, at no risk to the traffic.

Whatever goes wrong here, be it a full disk or a bug of ours, is reported once on stderr; from then
on nothing more is recorded, and the conversation goes on.
"""

import errno
from _thread import allocate_lock
from collections.abc import Callable, Sequence
from functools import partial
from time import monotonic_ns

import msgspec

from acp_spy.capture.codec import encode, encode_chunk, encode_messages
from acp_spy.capture.files import CaptureFile
from acp_spy.capture.recorder import Recorder
from acp_spy.capture.records import Header, Record
from acp_spy.engine.full_pipes import FullPipe
from acp_spy.errors import reason_of
from acp_spy.wire.frame import Frame, Peer, Via, number_frames

TYPE_CHECKING = False  # who does not redact need not load what finds secrets
if TYPE_CHECKING:
    from acp_spy.engine.backlog import Backlog
    from acp_spy.secrets.redactor import Redactor

STILL_REDACTING = "still redacting what was recorded; to leave it out, end acp-spy once more"
END_LEFT_OUT = "recording stopped: the end of the capture is left out"
SOON = 0.5  # seconds
_A_MOMENT = 0.05
_AT_ONCE = 2048  # bytes of records: to redact them takes at most some milliseconds


class Tap:
    """
    Keeps one run. `complain` takes one line for the person who reads stderr.

    `redactor`, if given, makes of each record the one that is kept; the traffic it does not see.
    With a `backlog`, the traffic does not wait for it either, unless a record is small.
    `client` and `agent` take a chunk that the peer sent, `client_end` and `agent_end` its end.
    `on_write` is called after each write that a checker should know of.
    """

    def __init__(
        self,
        started_ns: int,
        complain: Callable[[str], None],
        redactor: "Redactor | None" = None,
        backlog: "Backlog | None" = None,
    ) -> None:
        self._started_ns = started_ns
        self._complain = complain
        self.redactor = redactor
        self._backlog = backlog
        self._redacting = allocate_lock()  # of `redactor`
        self._writing = allocate_lock()  # of `_file`
        self._failure: Exception | None = None  # of the backlog, not yet reported
        self._file: CaptureFile | None = None
        self.recorder = Recorder()
        self.on_write: Callable[[], None] | None = None
        self.client: Callable[[bytes], None] = partial(self._keep_lines, Peer.CLIENT)
        self.agent: Callable[[bytes], None] = partial(self._keep_lines, Peer.AGENT)
        self.client_end = partial(self._keep_end, Peer.CLIENT)
        self.agent_end = partial(self._keep_end, Peer.AGENT)

    @property
    def path(self) -> str:
        """Where the run is being recorded; empty when it is not."""
        file = self._file  # once: the thread of the backlog asks, too
        return file.path if file else ""

    @property
    def can_be_followed(self) -> bool:
        """Whether somebody can read what is recorded while it is."""
        return self._file is not None and self._file.can_be_followed

    def open_again(self) -> int:
        """Open what is recorded, to follow it. Raises `OSError`, also if nothing is recorded."""
        if self._file is None:
            raise OSError(errno.EBADF, "nothing is recorded")
        return self._file.open_again()

    @property
    def counts(self) -> tuple[int, int]:
        """How many frames the client has sent, and the agent."""
        return self.recorder.counts[Peer.CLIENT], self.recorder.counts[Peer.AGENT]

    def open(self, path: str, header: Header) -> None:
        """Begin the capture at `path`."""
        try:
            if self.redactor:
                header = self.redactor.header(header)
            self._file = CaptureFile(path, header, FullPipe().write)
        except OSError as error:
            self._complain(f"not recording: cannot write `{path}`: {error.strerror}")

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
        """Take messages, JSON values with nothing around them, as lines of their own."""
        if self.redactor:
            self._keep_lines(sender, b"", [bytes(value) + b"\n" for value in values], via)
            return

        def append(file: CaptureFile) -> None:
            first, _ = self.recorder.lines(sender, b"", values)
            file.append_lines(*encode_messages(first, self.now(), sender, values, via))

        self._append(append)

    def close(self) -> None:
        """Record no more: the process may go on, and have other runs."""
        with self._writing:
            file, self._file = self._file, None
            if file:
                file.close()

    def stderr(self, chunk: bytes) -> None:
        """Take a chunk of the agent's standard error."""
        self.keep(lambda t: self.recorder.stderr(chunk, t))

    def exit(self, status: int, undelivered: dict[str, int], reason: str = "") -> None:
        """Take the end of the run; `reason` is why the agent could not be started at all."""
        self.keep(lambda t: self.recorder.exit(status, undelivered, t, reason))

    def finish(
        self,
        is_urgent: Callable[[], bool] = lambda: False,
        announce: Callable[[str], None] = lambda _line: None,
    ) -> None:
        """
        Wait until all is written. If it becomes urgent meanwhile, give up the rest.

        `is_urgent` is whether somebody has asked for the end since it was called last. `announce`
        takes a line about that, which has no secrets: to mask it would take as long as the wait.
        """
        if self._backlog and self.path and not self._backlog.wait(SOON):
            is_urgent()  # the one that we end for
            announce(STILL_REDACTING)
            while self.path and not self._failure and not self._backlog.wait(SOON):
                if is_urgent():
                    announce(END_LEFT_OUT)
                    self.close()
                    return
        self._report_failure()

    @property
    def is_written(self) -> bool:
        """Whether nothing is left to redact."""
        return self._backlog is None or self._backlog.is_empty

    def when_written(self, call: Callable[[], None]) -> None:
        """Have `call` called, in whichever thread, when all is written; it must not raise."""
        if self._backlog:
            self._backlog.when_empty(call)
        else:
            call()

    def forget_checker(self) -> None:
        """Call `on_write` no more."""
        with self._writing:  # by another thread, perhaps
            self.on_write = None

    def learn(self, credential: str) -> None:
        """Take note of what is not recorded, and must not be if it comes again in a message."""
        if self.redactor:
            self._in_turn(0, partial(self.redactor.learn_credential, credential))

    def hide(self, pointer: str) -> None:
        """Record nothing of what is at this place of a message, if secrets are not recorded."""
        if self.redactor:
            self._in_turn(0, partial(self.redactor.finder.add_pointer, pointer))

    def mask(self, text: str) -> str:
        """
        Return a text without secrets, also those that are known from what was recorded.

        No traffic waits for a message: while something large is redacted, what is known by then.
        """
        if self.redactor is None:
            return text
        if not self._redacting.acquire(timeout=_A_MOMENT):
            return self.redactor.text_meanwhile(text)
        try:
            return self.redactor.text(text)
        finally:
            self._redacting.release()

    def check_file(self) -> None:
        """Check that the file is still as we have written it; if not, say so and record no more."""
        self._report_failure()
        try:
            with self._writing:
                spoilt = self._file.spoilt_by_others() if self._file else ""
        except OSError as error:
            self._fail(error)
            return
        if spoilt:
            self._complain(
                f"recording stopped: another program {spoilt} `{self.path}`;"
                " the conversation is not affected"
            )
            self.close()

    def findings(self, lines: bytes) -> None:
        """Take what was found in what was recorded, as lines of the capture."""
        self._append(lambda file: file.append_lines(lines), is_checked=True)

    def keep(self, make_records: Callable[[float], Sequence[Record]]) -> None:
        """Take records, which are made for the time that it is now."""
        if self._file is None:
            return
        try:
            records = make_records(self.now())
            if self.redactor:
                self._redact(records)
            else:
                self._append(lambda file: file.append(records))
        except Exception as error:  # noqa: BLE001 - a bug of ours must not stop the traffic
            self._fail(error)

    def keep_cut(self, frames: Sequence[Frame], lines: Sequence[bytes]) -> None:
        """Take the frames of one chunk, all of them and nothing else; `lines` are their bytes."""
        if self.redactor:
            self.keep(lambda _t: frames)
            return
        first = frames[0]
        shared = first.seq, first.t, first.sender
        self._append(lambda file: file.append_lines(*encode_chunk(*shared, lines)))

    def _keep_end(self, sender: Peer) -> None:
        self.keep(lambda t: self.recorder.closed(sender, t))

    def _keep_lines(
        self, sender: Peer, chunk: bytes, whole: Sequence[bytes] = (), via: Via | None = None
    ) -> None:
        # Every message waits for this, so it is written out rather than passed through `_append`.
        if self._file is None:
            return
        try:
            t = (monotonic_ns() - self._started_ns) // 1000 / 1_000_000
            first, lines = self.recorder.lines(sender, chunk, whole)
            if not lines:
                return
            if self.redactor:
                self._redact(number_frames(first, t, sender, lines, via))
                return
            self._file.append_lines(*encode_chunk(first, t, sender, lines, via))
            if self.on_write:
                self.on_write()
        except Exception as error:  # noqa: BLE001 - a bug of ours must not stop the traffic
            self._fail(error)

    def _redact(self, records: Sequence[Record]) -> None:
        """Keep records without their secrets."""
        self._in_turn(sum(map(_size_of, records)), partial(self._keep_redacted, records))

    def _in_turn(self, size: int, work: Callable[[], None]) -> None:
        """Do something with the redactor: now if it is small, else when there is time for it."""
        if self._backlog is None or (size <= _AT_ONCE and self._backlog.is_empty):
            self._attempt(work)
        else:
            self._backlog.put(size, partial(self._attempt, work))
        self._report_failure()

    def _attempt(self, work: Callable[[], None]) -> None:
        """Do it, in whichever thread. What fails is kept, and reported by that of the traffic."""
        try:
            if not self._failure:
                with self._redacting:
                    work()
        except Exception as error:  # noqa: BLE001 - a bug of ours must not stop the traffic
            self._failure = error

    def _keep_redacted(self, records: Sequence[Record]) -> None:
        if not self.path:
            return
        assert self.redactor is not None
        lines = encode([self.redactor.record(record) for record in records])
        with self._writing:
            if self._file is None:
                return
            try:
                self._file.append_lines(lines)
            except Exception as error:  # noqa: BLE001 - as above
                self._failure = error  # before anything can be put behind half a line
                return
            if self.on_write:
                self.on_write()

    def _report_failure(self) -> None:
        if self._failure:
            self._fail(self._failure)  # until it is closed, nothing after this may be written
            self._failure = None

    def _append(self, append: Callable[[CaptureFile], None], *, is_checked: bool = False) -> None:
        self._report_failure()
        if self._file is None:
            return
        try:
            with self._writing:
                if self._failure:  # by now
                    return
                append(self._file)
                if self.on_write and not is_checked:
                    self.on_write()
        except Exception as error:  # noqa: BLE001 - a bug of ours must not stop the traffic
            self._fail(error)

    def now(self) -> float:
        """Return the time on the capture's clock."""
        return (monotonic_ns() - self._started_ns) // 1000 / 1_000_000

    def _fail(self, error: Exception) -> None:
        if self._file is None:  # that has been reported
            return
        reason = reason_of(error)  # not enough memory, perhaps: a line is held until it ends
        if isinstance(error, OSError):
            reason = f"cannot write `{self.path}`: {error.strerror}"
        self.close()
        self._complain(f"recording stopped: {reason}; the conversation continues")


def _size_of(value: object) -> int:
    """Return how many bytes and letters there are to redact in a record, or in a part of one."""
    if isinstance(value, str | bytes):
        return len(value)
    if isinstance(value, msgspec.Struct):
        return sum(_size_of(getattr(value, name)) for name in value.__struct_fields__)
    if isinstance(value, dict):
        return sum(map(_size_of, (*value, *value.values())))
    return sum(map(_size_of, value)) if isinstance(value, tuple) else 0
