"""
What the checker's process does: follow the capture as it grows, and lint it.

The same linter is fed the same records in the same order as by `check`; so the findings are the
same. `findings_writer.py` gets them into the capture.
"""

import signal

from acp_spy.capture.codec import encode_finding
from acp_spy.capture.files import Follower
from acp_spy.capture.records import Record
from acp_spy.lint.rule import Finding
from acp_spy.lint.ruleset import ALL_RULES
from acp_spy.live_check import READY
from acp_spy.live_check.findings_writer import FindingsWriter
from acp_spy.live_check.quiet_period import QuietPeriod

_STUCK = 20  # seconds of work on what was read at once are an endless loop


def follow(path: str, capture: int, quiet: QuietPeriod, output: int) -> None:
    """
    Lint the capture as it grows, in quiet periods, until no wakeup can come.

    It is open, and its path is for messages: another file may be there by now.
    """
    writer = FindingsWriter(capture, output)
    linter = LiveLinter(Follower(path, capture), writer)
    writer.send(READY)
    linter.lint_new()
    while quiet.wait():
        linter.lint_new()
    linter.lint_end()
    writer.end()


class LiveLinter:
    """Lints the records of one capture as they come."""

    def __init__(self, capture: Follower, writer: FindingsWriter) -> None:
        self._capture = capture
        self._writer = writer
        self._checker = ALL_RULES.checker()
        self._found: list[Finding] = []
        self._crashed: set[str] = set()

    def lint_new(self) -> None:
        """Lint what has come since the last time."""
        try:
            while (records := self._capture.take()) or not self._capture.at_end:
                signal.setitimer(signal.ITIMER_VIRTUAL, _STUCK)
                self._lint(records)
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)  # the caller may live on, as a test does

    def lint_end(self) -> None:
        """Lint the rest, and the end."""
        self.lint_new()
        self._lint(self._capture.last())
        self._found += self._checker.close()
        self._write()

    def _lint(self, records: list[Record]) -> None:
        try:
            for record in records:
                self._found += self._checker.feed(record)
        finally:  # a bug in the linter does not take with it what was found before
            self._write()

    def _write(self) -> None:
        if self._found:
            self._writer.write([encode_finding(finding) for finding in self._found])
            self._found.clear()
        for crash in self._checker.crashes:
            if crash.code not in self._crashed:
                self._crashed.add(crash.code)
                self._writer.complain(
                    f"a bug in acp-spy, please report it: rule {crash.code} raised {crash.error}"
                    f" at frame {crash.seq}"
                )
