"""A capture as rows: judged beforehand if it is small, filtered, masked if wanted."""

import os
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property

from acp_spy.capture.files import read
from acp_spy.capture.records import Header, Record, Stderr
from acp_spy.errors import AcpSpyError
from acp_spy.lint.linter import Crash
from acp_spy.lint.rule import Finding
from acp_spy.lint.ruleset import ALL_RULES, Ruleset
from acp_spy.secrets.redactor import masked as without_secrets
from acp_spy.view.filters import Wants
from acp_spy.view.frame import Whole
from acp_spy.view.timeline import Row, Survey, Timeline, survey
from acp_spy.wire.frame import Frame

# Up to here a capture is judged before it is shown, so that every finding stands with its frame.
# A megabyte of requests takes a third of a second, one of text less: nobody wants to wait longer
# than for the start of the program itself.
JUDGED_FIRST = 2_000_000


def reader(path: str) -> Callable[[], Iterable[Record]]:
    """
    Return what gives the records at `path` each time it is called.

    A file is read anew, so that memory does not grow with it. A pipe can be read only once: what
    it gave is kept.
    """
    if os.path.isfile(path):
        return lambda: read(path)
    kept = list(read(path))
    return lambda: kept


class Viewed:
    """A capture, ready to be shown once."""

    def __init__(
        self,
        path: str,
        wants: Wants,
        judging: Ruleset = ALL_RULES,
        *,
        filtered: bool = False,
        masked: bool = False,
    ) -> None:
        self.path = path
        self._read = reader(path)
        self._judging = judging
        self.frames = 0
        self.frames_shown = 0
        self.t = 0.0
        self.ended = False
        self.tally: dict[str, int] = {}
        self.filtered = filtered
        self._wants = wants
        self._shown = without_secrets(self._read) if masked else self._read
        first = next(self._records(), Header())
        self.header = first if isinstance(first, Header) else Header()

    @property
    def sessions(self) -> int:
        """How many sessions there are; 0 for not known."""
        return self._survey.sessions if self._survey else 0

    @property
    def crashes(self) -> list[Crash]:
        """The rules that raised so far: what they would have found is not known."""
        return self._timeline.crashes

    @cached_property
    def _survey(self) -> Survey | None:
        small = self._size() <= JUDGED_FIRST
        return survey(self._records(), self._judging) if small else None

    def _size(self) -> int:
        if os.path.isfile(self.path):
            return os.path.getsize(self.path)
        return sum(len(each.raw) for each in self._read() if isinstance(each, Frame | Stderr))

    @cached_property
    def _timeline(self) -> Timeline:
        return Timeline(self._judging, self._survey.late if self._survey else None)

    def rows(self) -> Iterator[Row]:
        """Give the rows that are wanted."""
        for row in self._all_rows():
            self.t = row.t
            self.ended = row.kind == "exit"
            self.frames += row.seq is not None
            self._count(row.findings)
            if self._wants(row):
                self.frames_shown += row.seq is not None
                yield row

    def late(self) -> Iterator[Finding]:
        """Give the findings without a row, when all rows have been given."""
        found = self._timeline.close()
        self._count(found)
        yield from found

    def frame(self, seq: int) -> Whole:
        """
        Return frame `seq` with all that belongs to it.

        A large capture is not read to its end for it: what came to light later is then missing.
        """
        whole: Whole | None = None
        for row in self._all_rows():
            if row.seq == seq:
                whole = Whole(row)
            if whole is not None:
                whole.findings += [found for found in row.findings if found.seq == seq]
                if row.partner == seq:
                    whole.answer = row
                if self._survey is None and (whole.answer or whole.row.kind != "request"):
                    break
        if whole is None:
            last = self._timeline.last_seq
            raise AcpSpyError(
                f"`{self.path}` has no frame {seq}",
                hint=f"its frames are 1 to {last}" if last else "it has no frames at all",
            )
        if whole.row.partner is not None:
            whole.question = self._find(whole.row.partner)
        return whole

    def _all_rows(self) -> Iterator[Row]:
        for record in self._records():
            yield from self._timeline.feed(record)

    def _find(self, seq: int) -> Row | None:
        timeline = Timeline(None)
        for record in self._records():
            for row in timeline.feed(record):
                if row.seq == seq:
                    return row
        return None

    def _count(self, findings: Iterable[Finding]) -> None:
        for finding in findings:
            level = finding.severity.value
            self.tally[level] = self.tally.get(level, 0) + 1

    def _records(self) -> Iterator[Record]:
        return iter(self._shown())
