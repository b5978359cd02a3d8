"""A capture to be shown: read, masked, judged and filtered into the rows that a renderer reads."""

import os
import time
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec

from acp_spy.capture.delivered import with_fates
from acp_spy.capture.files import read
from acp_spy.capture.folder import is_running
from acp_spy.capture.records import Delivery, Header, Record, Stderr
from acp_spy.diagnosis.kinds import Diagnosis
from acp_spy.errors import AcpSpyError
from acp_spy.lint.linter import Crash
from acp_spy.lint.rule import Finding
from acp_spy.lint.ruleset import ALL_RULES, Ruleset
from acp_spy.lint.settings import Settings
from acp_spy.view.budget_findings import BudgetFindings
from acp_spy.view.filters import row_filter, without_secrets
from acp_spy.view.layout import Layout
from acp_spy.view.timeline import Late, Row, Survey, Timeline, survey
from acp_spy.wire.frame import Frame

if TYPE_CHECKING:
    from acp_spy.secrets.redactor import Masked

# Up to this many bytes a capture is checked before it is shown, so that every finding is with its
# frame. A megabyte of requests takes a third of a second, one of text less: about as long as the
# program takes to start.
CHECKED_FIRST = 2_000_000
_PLAIN = Layout()
_DEFAULTS = Settings()


class FrameDetail(msgspec.Struct):
    """A frame, what belongs to it, and everything that was found in it."""

    row: Row
    request: Row | None = None
    response: Row | None = None
    findings: list[Finding] = msgspec.field(default_factory=list)
    running: bool = False  # the recording goes on: a response may still come


def reader(path: str) -> Callable[[], Iterable[Record]]:
    """
    Return what gives the records at `path` each time it is called.

    A file is read again, so that memory does not grow with it. A pipe can be read only once: what
    it gave is kept.
    """
    if os.path.isfile(path):
        return lambda: read(path)
    kept = list(read(path))
    return lambda: kept


def _without_secrets(read: Callable[[], Iterable[Record]]) -> "Masked":
    from acp_spy.secrets.redactor import Masked  # not light, and few formats need it

    return Masked(read)


class CaptureView:
    """
    A capture, ready to be shown once.

    `filters` choose the rows, as tokens; `masked`, placeholders replace secrets. `settings` are
    those that `ruleset` was made of. `records` gives the records of a capture that is not at
    `path`, each time it is called; `shared`, those of one whose secrets are masked already.
    """

    def __init__(
        self,
        path: str,
        filters: Sequence[str] = (),
        ruleset: Ruleset = ALL_RULES,
        *,
        masked: bool = False,
        layout: Layout = _PLAIN,
        settings: Settings = _DEFAULTS,
        records: Callable[[], Iterable[Record]] | None = None,
        shared: "Masked | None" = None,
    ) -> None:
        self.path = path
        self.name = os.path.basename(path)
        self.masked = masked
        self.layout = layout
        self.settings = settings
        self.frames = 0
        self.frames_shown = 0
        self.t = 0.0
        self.ended = False
        self._is_read = False
        self.counts: dict[str, int] = {}  # of findings that count, by severity
        self.only: Container[int] | None = None  # the numbers of the frames that are wanted
        self._ruleset = ruleset
        self._read = self._records = shared or records or reader(path)
        self._masked = _without_secrets(self._read) if masked else None
        if self._masked:
            self._records = self._masked
            mask = self._masked.redactor.text
            self.name = mask(self.name)  # it is shared with the page, and so are the filters
            filters = without_secrets(filters, mask)
        self._sent = self._masked or shared
        self._budgets = BudgetFindings(ruleset, self._sent.redactor.text) if self._sent else None
        if self._budgets:
            self._ruleset = self._budgets.ruleset
        self.filters = filters
        self._filter = row_filter(filters)
        self.running = records is None and is_running(path)
        first = next(iter(self._records()), None)
        self.header = first if isinstance(first, Header) else Header()

    @property
    def masked_places(self) -> int:
        """How many places are masked; known when all rows have been given."""
        return self._masked.count if self._masked else 0

    @cached_property
    def was_redacted(self) -> bool:
        """Whether the capture itself has placeholders: there may be nothing left to mask."""
        first = next(iter(self._masked.sent() if self._masked else self._read()), None)
        return isinstance(first, Header) and first.redacted

    @property
    def filters_shown(self) -> Sequence[str]:
        """
        The filters as they can be shared, when all rows have been given.

        A weak password is masked only where something names it, and in a filter nothing does.
        """
        if not self._masked:
            return self.filters
        return without_secrets(self.filters, self._masked.redactor.searched)

    @property
    def sessions(self) -> int:
        """How many sessions there are; 0 for not known."""
        return self._survey.sessions if self._survey else 0

    @property
    def rule_count(self) -> int:
        """How many rules judge it."""
        return len(self._ruleset.chosen)

    @property
    def crashes(self) -> list[Crash]:
        """The rules that raised so far: what they would have found is not known."""
        return [*self.timeline.crashes, *(self._budgets.crashes if self._budgets else ())]

    @cached_property
    def size(self) -> int:
        """How many bytes the capture has, about."""
        if os.path.isfile(self.path):
            return os.path.getsize(self.path)
        return sum(len(each.raw) for each in self._read() if isinstance(each, Frame | Stderr))

    @cached_property
    def timeline(self) -> Timeline:
        """What makes rows of the records."""
        return Timeline(self._ruleset, self._survey.late if self._survey else None)

    def check_first(self) -> None:
        """Judge the capture before it is shown, however large: each finding is with its frame."""
        self._survey = self._surveyed()

    def check_alongside(self) -> None:
        """Judge the capture while it is shown: a finding may come long after its frame."""
        self._survey = None

    @cached_property
    def _survey(self) -> Survey | None:
        return self._surveyed() if self.size <= CHECKED_FIRST else None

    def _surveyed(self) -> Survey:
        also = [each for found in self._of_budgets.values() for each in found]
        return survey(self._records(), self._ruleset, now=self.now, also=also)

    @cached_property
    def _of_budgets(self) -> Late:
        """What the budgets find in what was sent, by frame, without what has a row already."""
        found: Late = {}
        if self._budgets and self._sent:
            is_whole = not self.running
            for each in self._budgets.of_all(self._sent.sent(), is_whole=is_whole):
                found.setdefault(each.seq, []).append(each)
        return found

    @property
    def now(self) -> float | None:
        """The time on the capture's clock while it is being recorded, else nothing."""
        if not self.running:
            return None
        return max(self.header.elapsed(time.time()) or 0.0, self.t)

    @property
    def diagnosis(self) -> Diagnosis | None:
        """
        The one answer, if it is known yet.

        A large capture is not checked before it is shown: then it is known after the last row.
        """
        if self._survey:
            return self._survey.diagnosis
        return self.timeline.diagnosis(self.now) if self._is_read else None

    def steps(self) -> Iterator[list[Row]]:
        """Give, for each record, those of its rows that are wanted."""
        feed = self._feed
        for record, fate in with_fates(self._records()):
            rows = feed(record)
            if fate:
                rows = [msgspec.structs.replace(row, fate=fate) for row in rows]
            for row in rows:
                self.t = row.t
                self.ended = row.kind == "exit"
                self.frames += row.seq is not None
                self._count(row.findings)
                if self._filter(row) and (self.only is None or row.seq in self.only):
                    self.frames_shown += row.seq is not None
                else:
                    rows = []
            yield rows

    def rows(self) -> Iterator[Row]:
        """Give the rows that are wanted."""
        for rows in self.steps():
            yield from rows

    def late(self) -> Iterator[Finding]:
        """Give the findings without a row, when all rows have been given."""
        of_budgets = [each for found in self._of_budgets.values() for each in found]
        self.timeline.add_findings(of_budgets)
        found = [*self.timeline.close(running=self.running), *of_budgets]
        self._is_read = True
        self._count(found)
        yield from found

    def frame(self, seq: int) -> FrameDetail:
        """
        Return frame `seq` with all that belongs to it.

        A large capture is not read to its end for it: what came to light later is then missing.
        """
        detail: FrameDetail | None = None
        feed = self._feed
        for row in (row for record in self._records() for row in feed(record)):
            if row.seq == seq:
                detail = FrameDetail(row, running=self.running)
            if detail is not None:
                detail.findings += [found for found in row.findings if found.seq == seq]
                if row.partner == seq:
                    detail.response = row
                record = row.record
                if isinstance(record, Delivery) and record.seq == seq:
                    detail.row = msgspec.structs.replace(detail.row, fate=record.action)
                if self._survey is None and (detail.response or detail.row.kind != "request"):
                    break
        if detail is None:
            last = self.timeline.last_seq
            raise AcpSpyError(
                f"cannot show frame {seq} of `{self.path}`: no such frame",
                hint=f"use a frame from 1 to {last}" if last else "the capture has no frames",
            )
        if detail.row.partner is not None:
            look = Timeline(None).feed
            rows = (row for record in self._records() for row in look(record))
            detail.request = next((row for row in rows if row.seq == detail.row.partner), None)
        return detail

    @property
    def _feed(self) -> Callable[[Record], list[Row]]:
        """What returns the rows of a record, with all that was found in them."""
        return self._feed_with_budgets if self._of_budgets else self.timeline.feed

    def _feed_with_budgets(self, record: Record) -> list[Row]:
        rows = self.timeline.feed(record)
        for place, row in enumerate(rows):
            if more := self._of_budgets.pop(row.seq, None) if row.seq else None:
                self.timeline.add_findings(more)
                rows[place] = msgspec.structs.replace(row, findings=(*row.findings, *more))
        return rows

    def _count(self, findings: Iterable[Finding]) -> None:
        for finding in findings:
            if finding.because:
                continue
            level = finding.severity.value
            self.counts[level] = self.counts.get(level, 0) + 1
