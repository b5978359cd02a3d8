"""
A capture as a page is given it, bit by bit: as it is by now, and then as it grows.

The page is sent lines of JSON. Each is an object whose fields say what is new: `about` (once),
`rows`, `findings` and `rules`, `fates` of rows, `state`, `stats`, `now` on the capture's clock,
`reading` (the percentage of a large file that has been read), `caughtUp` when all that was there at
first has been sent, and at the end `over` or `error`. `live.js` takes them.

Nothing here waits. One file, its timeline and its statistics are kept for each page: a page that
reads slowly is read for slowly, and nothing piles up.
"""

import os
import time
from collections.abc import Iterator
from threading import RLock
from typing import Any

import msgspec

from acp_spy.capture.files import Follower, is_capture, read
from acp_spy.capture.folder import is_running
from acp_spy.capture.opening import size_of
from acp_spy.capture.records import BESIDE, Delivery, Header, Record
from acp_spy.errors import AcpSpyError, file_word
from acp_spy.lint.ruleset import ALL_RULES, Ruleset
from acp_spy.lint.settings import Settings
from acp_spy.secrets.redactor import Redactor
from acp_spy.view import page_data
from acp_spy.view.budget_findings import BudgetFindings
from acp_spy.view.page_data import FindingData, row_values, rule_data, to_json
from acp_spy.view.pending import pending_requests
from acp_spy.view.stats.collect import Collector
from acp_spy.view.timeline import Timeline
from acp_spy.wire.frame import Frame

_AT_ONCE = 256 * 1024  # bytes that are read for one line
_MOST_PENDING = 20
_STATE_PAUSE = 0.5  # seconds between two lines about the state
_STATS_PAUSE = 2.0  # and about statistics, which may be long
_FOREIGN_AT_ONCE = 1000  # records
_LARGE = 2_000_000  # bytes: reading so many takes a while


class Choices(msgspec.Struct, frozen=True):
    """What was chosen on the command line, for all captures."""

    ruleset: Ruleset = ALL_RULES
    settings: Settings = Settings()
    masked: bool = True

    @property
    def rule_count(self) -> int:
        """How many rules judge a capture."""
        return len(self.ruleset.chosen)


class LiveCapture:
    """
    Call `take` for what is new, until it `is_over`.

    Raises `AcpSpyError` if the capture cannot be read, or is larger than a page can be.
    """

    def __init__(self, path: str, choices: Choices) -> None:
        self._path = path
        self._choices = choices
        self._size = size_of(path) or 0
        if self._size > page_data.MOST:
            raise too_long(path)
        self._records = _Source(path)
        self._lock = RLock()  # for the redactor
        self._redactor = Redactor() if choices.masked else None
        self._to_learn = _Source(path) if choices.masked else None
        self._learned = 0  # how much was known when that had been read
        self._budgets = None
        if self._redactor:
            self._budgets = BudgetFindings(choices.ruleset, self._redactor.text)
        self._timeline = Timeline(self._budgets.ruleset if self._budgets else choices.ruleset)
        self._collector = Collector()
        self._finding = FindingData().of
        self._codes: set[str] = set()
        self._header = Header()
        self._was_redacted = False  # before we have masked anything
        self._running = is_running(path)
        self._sent = self._count = 0  # characters of rows, and rows
        self._fresh: int | None = None  # the frame before, while its fate may follow
        self._caught_up = self._is_introduced = False
        self._percent = -1
        self._state: dict[str, Any] = {}
        self._state_at = self._stats_at = 0.0
        self._stats_due = False
        self.is_over = False
        self.is_idle = False  # the last `take` found nothing to read

    def take(self) -> list[str]:
        """Return what is new since the last time, as lines."""
        with self._lock:
            return [*self._progress(), *self._take()]

    def _progress(self) -> Iterator[str]:
        """Give how much of a large file has been read, if that has changed."""
        if self._caught_up or self._size < _LARGE:
            return
        both = (self._to_learn, self._records) if self._redactor else (self._records,)
        done = sum(self._size if source is None else source.place for source in both)
        percent = min(99, 100 * done // (len(both) * self._size))
        if percent > self._percent:
            self._percent = percent
            yield to_json({"reading": percent})

    def _take(self) -> list[str]:
        if self._to_learn:
            return self._learn(self._to_learn)
        was_running = self._running  # before the file is read to its end
        records = self._records.take(is_last=not was_running)
        self.is_idle = not records and self._records.at_end
        if records:
            return [*self._news(records)]
        return [*self._pause(was_running=was_running)] if self.is_idle else []

    @property
    def is_running(self) -> bool:
        """Whether it was being recorded when that was last looked at."""
        return self._running

    def close(self) -> None:
        """Read no more."""
        self._records.close()
        if self._to_learn:
            self._to_learn.close()

    def masked(self, text: str) -> str:
        """Return a text as the page may show it; also from another thread."""
        with self._lock:
            return self._redactor.text(text) if self._redactor else text

    def _learn(self, source: "_Source") -> list[str]:
        """Find the secrets of what is there already: one may come before what identifies it."""
        assert self._redactor is not None
        records = source.take(is_last=not self._running)
        for record in records:
            self._redactor.learn(record)
        if not records and source.at_end:
            source.close()
            self._to_learn = None
            self._learned = self._redactor.finder.learned_count
        return []

    def _shown(self, value: Any) -> Any:
        """
        Return a JSON value about records as the page may show it.

        What was read before a secret was known may be told of again.
        """
        if self._redactor and self._redactor.finder.learned_count != self._learned:
            return self._redactor.value(value)
        return value

    def _news(self, records: list[Record]) -> Iterator[str]:
        """Give the lines about new records."""
        sent = records
        if self._redactor:
            if self._caught_up:
                for record in records:
                    self._redactor.learn(record)
            records = [*map(self._redactor.record, records)]
        rows: list[str] = []
        findings: list[dict[str, Any]] = []
        fates: list[tuple[int, str]] = []
        for record, clear in zip(records, sent, strict=True):
            if isinstance(record, Header):
                self._header = record
                self._was_redacted = isinstance(clear, Header) and clear.redacted
                yield from self._introduce()
            if fate := self._fate(record):
                fates.append(fate)
            more = self._budgets.feed(clear) if self._budgets else []
            self._timeline.add_findings(more)
            for row in self._timeline.feed(record):
                last = self._timeline.last_seq
                # A finding may be of a frame from long before: the page knows where that is.
                findings += [
                    self._finding(each, self._count if each.seq == last else None)
                    for each in (*row.findings, *more)
                ]
                self._count += 1
                rows.append(to_json(self._shown(row_values(row))))
            self._collector.add(self._timeline.moment, self._timeline.state)
        self._stats_due = True
        self._sent += sum(map(len, rows))
        if self._sent > page_data.MOST:
            raise too_long(self._path)
        yield f'{{"rows":[{",".join(rows)}]}}'
        if fates:
            yield to_json({"fates": fates})
        yield from self._found(findings)

    def _fate(self, record: Record) -> tuple[int, str] | None:
        """Return what became of the frame before, as `with_fates` says it."""
        if isinstance(record, Frame):
            self._fresh = record.seq
        elif not isinstance(record, Delivery) or record.seq != self._fresh:
            self._fresh = None
        elif record.action not in BESIDE:
            self._fresh = None
            return record.seq, record.action
        return None

    def _found(self, findings: list[dict[str, Any]]) -> Iterator[str]:
        """Give findings, and the texts of rules that the page does not have yet."""
        if not findings:
            return
        new = {finding["code"] for finding in findings} - self._codes
        self._codes |= new
        rules = {code: rule_data(code) for code in sorted(new)}
        yield to_json({"findings": self._shown(findings), "rules": rules})

    def _introduce(self) -> Iterator[str]:
        """Give what the page must have before anything else."""
        if self._is_introduced:
            return
        self._is_introduced = True
        name, choices = os.path.basename(self._path), self._choices
        about = page_data.about_capture(
            self.masked(name),
            self._header,
            choices.settings,
            choices.rule_count,
            masked=choices.masked,
            was_redacted=self._was_redacted,
        )
        yield to_json({"about": about})

    def _pause(self, *, was_running: bool) -> Iterator[str]:
        """Give what is to be said when all has been read."""
        now = time.monotonic()
        is_first, self._caught_up = not self._caught_up, True
        if was_running and not is_first and now - self._state_at < _STATE_PAUSE:
            return
        yield from self._introduce()  # of a file without any line yet
        self._state_at = now
        if was_running:
            self._running = is_running(self._path)  # if it is no more, the end is yet to be read
        else:
            self.is_over = True
            more = self._budgets.close() if self._budgets else []
            self._timeline.add_findings(more)
            found = (*self._timeline.close(), *more)
            yield from self._found([self._finding(each, None) for each in found])
        news: dict[str, Any] = {}
        state = self._shown(self._state_now(running=was_running))
        if state != self._state:
            news["state"] = self._state = state
        if is_first or self.is_over or (self._stats_due and now - self._stats_at >= _STATS_PAUSE):
            self._stats_at, self._stats_due = now, False
            stats = self._collector.so_far(time.time() if was_running else None)
            news["stats"] = self._shown(page_data.about_stats(stats))
        if news and was_running:
            news["now"] = self._now
        if is_first:
            news["caughtUp"] = True
        if self.is_over:
            news["over"] = True
        if news:
            yield to_json(news)

    @property
    def _now(self) -> float:
        return max(self._header.elapsed(time.time()) or 0.0, self._timeline.state.t)

    def _state_now(self, *, running: bool) -> dict[str, Any]:
        diagnosis = self._timeline.diagnosis(self._now if running else None)
        masked = sum(self._redactor.counts.values()) if self._redactor else 0
        crashes = [*self._timeline.crashes, *(self._budgets.crashes if self._budgets else ())]
        return {
            **page_data.about_state(diagnosis, crashes, masked, running=running),
            "pending": [*self._pending()] if running else [],
        }

    def _pending(self) -> Iterator[dict[str, Any]]:
        for each in pending_requests(self._timeline.state)[:_MOST_PENDING]:
            yield {
                "seq": each.request.seq,
                "of": each.request.sender.other.value,
                "method": each.request.name[:200],
                "t": each.request.t,
                "kept": each.kept_by,
                "blocks": [request.seq for request in each.blocks],
            }


class _Source:
    """The records of a file: of a capture as it grows, of another tool's file all of them."""

    def __init__(self, path: str) -> None:
        self.at_end = False
        own = size_of(path) is None or is_capture(path)
        self._follower = Follower(path) if own else None
        self._foreign = None if own else read(path)

    def take(self, *, is_last: bool) -> list[Record]:
        """Return some records; none if there are no more: for now, or if `is_last` for ever."""
        if self._follower:
            records = self._follower.take(_AT_ONCE)
            if self._follower.at_end and is_last and not self.at_end:
                records = self._follower.last()
            self.at_end = self._follower.at_end
            return records
        assert self._foreign is not None
        some = [record for record, _ in zip(self._foreign, range(_FOREIGN_AT_ONCE), strict=False)]
        self.at_end = not some
        return some

    @property
    def place(self) -> int:
        """How many bytes have been read, if that can be known."""
        return self._follower.place if self._follower else 0

    def close(self) -> None:
        """Read no more."""
        if self._follower:
            self._follower.close()


def too_long(path: str) -> AcpSpyError:
    """Return why a capture is not shown, and what to do instead."""
    name = os.path.basename(path)
    word = file_word(name)
    return AcpSpyError(
        page_data.too_long(name).message,
        hint=f"use `acp-spy view {word}` on the terminal, or make a page of a part of it:"
        f" `acp-spy view {word} seq:1-100000 -o page.html`",
    )
