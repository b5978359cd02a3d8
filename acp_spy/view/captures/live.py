"""
The captures of a folder while they are being recorded: what each is about, and what it waits for.

A capture is read as far as it is, and then on, so looking again costs only what is new. The work
comes in small pieces: a list is shown at once, and what is not known yet follows. The console and
the start page of the page show this.
"""

import os
from collections.abc import Iterator

import msgspec

from acp_spy.capture.codec import FINDING_START
from acp_spy.capture.file_names import agent_name
from acp_spy.capture.files import Follower
from acp_spy.capture.folder import Entry, files_in, look_at
from acp_spy.capture.records import Exit, Record
from acp_spy.conversation.chunk import Chunk
from acp_spy.conversation.tracker import Tracker
from acp_spy.diagnosis.diagnose import Diagnoser
from acp_spy.diagnosis.kinds import Diagnosis
from acp_spy.errors import AcpSpyError
from acp_spy.lint.rule import Finding
from acp_spy.secrets.redactor import Redactor
from acp_spy.view.captures.summary import (
    MOST_TO_DIAGNOSE,
    MOST_TO_DIAGNOSE_TOGETHER,
    PeerName,
    State,
    Summary,
    peer_name,
    state_of,
    summarize,
    without_quotes,
)
from acp_spy.view.pending import pending_at_end, pending_requests, pending_so_far
from acp_spy.view.stats.model import PendingRequest
from acp_spy.wire.frame import Frame, Peer

PIECE = 64 * 1024  # bytes that are read at a time: some milliseconds of work
# Of a capture that is being recorded, that are read for its diagnosis.
MOST_TO_FOLLOW = 256_000_000
_LONGEST_NAME = 500
_finding = msgspec.json.Decoder(Finding).decode


class LiveCapture(msgspec.Struct, frozen=True):
    """
    A capture at a glance, at a moment.

    `pending` are the requests that are not answered (so far), those that block others first, with
    their age in `seconds`; `waiting` says the same in lines. Until it `is_read`, more may follow.
    """

    summary: Summary
    pending: tuple[PendingRequest, ...] = ()
    waiting: tuple[str, ...] = ()
    is_read: bool = True

    @property
    def is_running(self) -> bool:
        """Whether it is being recorded."""
        return self.summary.state is State.RUNNING


class LiveCaptures:
    """
    The captures in a folder; it need not exist yet.

    Call `refresh` now and then to see what is new, and `advance` until nothing is left to read.
    With `finds_secrets`, the secrets of each capture are found meanwhile, for `without_secrets`.
    """

    def __init__(self, folder: str, *, finds_secrets: bool = False) -> None:
        self.folder = folder
        self._finds_secrets = finds_secrets
        self._known: dict[str, _Capture | None] = {}  # `None`: not a capture
        self._stamps: dict[str, tuple[int, int]] = {}
        self._order: list[_Capture] = []

    def refresh(self) -> None:
        """Look which captures there are, and which are running. Raises `AcpSpyError`."""
        found = files_in(self.folder)
        for path in self._known.keys() - set(found):
            self._forget(path)
        for path in found:
            known = self._known.get(path)
            try:
                status = os.stat(path, follow_symlinks=False)
            except OSError:  # gone by now
                self._forget(path)
                continue
            stamp = status.st_size, status.st_mtime_ns
            if self._stamps.get(path) == stamp and (known is None or not known.entry.running):
                continue
            self._stamps[path] = stamp
            entry = look_at(path)
            if entry is None:
                self._forget(path)
                self._known[path] = None
            elif known is None:
                self._known[path] = _Capture(entry, finds_secrets=self._finds_secrets)
            else:
                known.is_read = known.is_read and known.entry.size == entry.size
                known.is_read = known.is_read and known.entry.running == entry.running
                known.entry = entry
        captures = [each for each in self._known.values() if each is not None]
        captures.sort(key=lambda each: (each.entry.running, each.entry.started, each.entry.path))
        self._order = captures[::-1]

    def advance(self, most: int = PIECE) -> bool:
        """Read at most about `most` bytes more; return whether there is more to read."""
        # The one with the least left: one that grows as fast as it is read would keep all others.
        growing = [each for each in self._order if each.entry.running and not each.is_read]
        if growing:
            min(growing, key=lambda each: each.left).advance(most)
            return True
        left = MOST_TO_DIAGNOSE_TOGETHER
        for capture in self._order:
            if capture.entry.running:
                continue
            size = capture.entry.size
            reads_all = size <= min(left, MOST_TO_DIAGNOSE)
            left -= size
            if not capture.is_read:
                capture.advance(most if reads_all else 0)
                return True
        return False

    def listed(self, now: float) -> list[LiveCapture]:
        """
        Return the captures: those that are being recorded first, then the newest first.

        `now` is in seconds since the epoch.
        """
        return [capture.shown(now) for capture in self._order]

    def without_secrets(self, path: str, text: str) -> str:
        """Return a text about a capture without the secrets that were found in it so far."""
        capture = self._known.get(path)
        return text if capture is None else capture.without_secrets(text)

    def close(self) -> None:
        """Read no more."""
        for path in list(self._known):
            self._forget(path)
        self._order = []

    def _forget(self, path: str) -> None:
        capture = self._known.pop(path, None)
        if capture is not None:
            capture.close()


class _Capture:
    """One capture, as far as it has been read."""

    def __init__(self, entry: Entry, *, finds_secrets: bool) -> None:
        self.entry = entry
        self._finds_secrets = finds_secrets
        self.is_read = False
        self._follower: Follower | None = None
        self._glance: Summary | None = None  # of one that is not read
        self._kept: tuple[Entry, LiveCapture] | None = None  # until something changes
        self._start()

    def _start(self) -> None:
        self._redactor = Redactor() if self._finds_secrets else None
        self._tracker = Tracker()
        self._diagnoser = Diagnoser(self._tracker.state)
        self._findings: dict[str, int] = {}
        self._frames = 0
        self._t = 0.0
        self._exit: Exit | None = None
        self._caught_up = False  # with the file, once at least
        self._failed = False

    @property
    def left(self) -> int:
        """How many bytes have not been read."""
        return self.entry.size - (self._follower.place if self._follower else 0)

    def advance(self, most: int) -> None:
        """Read on; only its first and last lines if `most` is 0, or it is too large."""
        self._kept = None
        if not most or self._failed or self.entry.size > MOST_TO_FOLLOW:
            self._glance = summarize(self.entry, 0.0, most=0)
            self.is_read = True
            return
        self._glance = None
        try:
            if self._follower is None:
                self._start()
                self._follower = Follower(self.entry.path)
            for _, line in self._follower.take_lines(most):
                self._take(line)
            if not self._follower.at_end:
                return
            if not self.entry.running:
                for record in self._follower.last():
                    self._follow(record)
                self.close()
        except (AcpSpyError, OSError):  # damaged, replaced or removed
            self.close()
            self._failed = True
            return
        self.is_read = self._caught_up = True

    def _take(self, line: bytes) -> None:
        assert self._follower is not None
        record = self._follower.record_in(line)
        if record is not None:
            self._follow(record)
        elif line.startswith(FINDING_START):
            self._count(line)

    def _count(self, line: bytes) -> None:
        try:
            finding = _finding(line)
        except (msgspec.DecodeError, RecursionError):
            return
        if finding.because is None:
            level = finding.severity.value
            self._findings[level] = self._findings.get(level, 0) + 1
            self._diagnoser.add_findings([without_quotes(finding) if self._redactor else finding])

    def without_secrets(self, text: str) -> str:
        """Return a text without the secrets that were found so far."""
        return self._redactor.text(text) if self._redactor else text

    def _follow(self, record: Record) -> None:
        if self._redactor:
            self._redactor.learn(record)
            # What is quoted of it lacks the lines that show a secret to be one.
            record = self._redactor.record(record)
        moment = self._tracker.look(record)
        if type(moment) is not Chunk:
            self._diagnoser.feed(moment)
        self._tracker.advance(moment)
        if isinstance(record, Frame):
            self._frames = record.seq
        elif isinstance(record, Exit):
            self._exit = record
        self._t = getattr(record, "t", self._t)

    def shown(self, now: float) -> LiveCapture:
        """Return the capture at `now`."""
        if self.entry.running:  # time passes
            return self._shown(now)
        if self._kept is None or self._kept[0] is not self.entry:
            self._kept = self.entry, self._shown(now)
        return self._kept[1]

    def _shown(self, now: float) -> LiveCapture:
        running, elapsed = self.entry.running, self.entry.header.elapsed(now) or 0.0
        if self._glance is not None:
            glance = self._glance
            if running:
                seconds = max(glance.seconds or 0.0, elapsed)
                glance = msgspec.structs.replace(glance, seconds=seconds, size=self.entry.size)
            return LiveCapture(glance)
        clock = max(elapsed, self._t) if running else self._t
        return LiveCapture(
            self._summary(clock),
            tuple(self._pending(clock)),
            tuple(self._waiting(clock)),
            self.is_read,
        )

    def _summary(self, clock: float) -> Summary:
        entry, end, info = self.entry, self._exit, self._tracker.state.info
        header = entry.header
        unnamed = PeerName(agent_name(header.command) if header.command else "")
        return Summary(
            path=entry.path,
            name=entry.name,
            started=entry.started,
            state=state_of(entry, None if end is None else end.status),
            agent=peer_name(info.get(Peer.AGENT)) or unnamed,
            client=peer_name(info.get(Peer.CLIENT)) or PeerName(""),
            frames=self._frames,
            findings=dict(self._findings),
            seconds=None if header.is_imported and not clock else clock,
            status=None if end is None else end.status,
            size=entry.size,
            reason="" if end is None else end.reason,
            diagnosis=self._diagnosis(clock),
        )

    def _diagnosis(self, clock: float) -> Diagnosis | None:
        """Return what is wrong, once that is known: of a beginning it could be anything."""
        if not self._caught_up:
            return None
        return self._diagnoser.diagnosis(clock if self.entry.running else None)

    def _pending(self, clock: float) -> Iterator[PendingRequest]:
        for each in pending_requests(self._tracker.state):
            for request in (each.request, *each.blocks):
                age = max(clock - request.t, 0.0)
                name = request.name[:_LONGEST_NAME]
                kept = each.kept_by if request is each.request else None
                asker = request.sender.value
                yield PendingRequest(request.seq, asker, name, request.t, age, kept)

    def _waiting(self, clock: float) -> list[str]:
        state = self._tracker.state
        if self.entry.running:
            return pending_so_far(state, clock)
        return pending_at_end(state, self._exit.t if self._exit else None)

    def close(self) -> None:
        """Close the file."""
        if self._follower is not None:
            self._follower.close()
            self._follower = None
