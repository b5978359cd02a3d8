"""
What the judge's process does: follow the capture as it grows, and tell what is wrong with it.

The same linter is fed the same records in the same order as by `check`; so the findings are the
same. `findings_writer.py` sees to it that they get into the capture.
"""

import signal

from acp_spy.capture.codec import encode_finding
from acp_spy.capture.files import Follower
from acp_spy.capture.records import Record
from acp_spy.lint.rule import Finding
from acp_spy.lint.ruleset import ALL_RULES
from acp_spy.live_check.checker_output import READY
from acp_spy.live_check.findings_writer import Teller
from acp_spy.live_check.quiet_period import Lull

_STUCK = 20  # seconds of work on what was read at once are an endless loop


def follow(path: str, lull: Lull, told: int) -> None:
    """Judge the capture at `path` as it grows, in lulls, until nobody can ring the bell."""
    teller = Teller(path, told)
    judge = LiveJudge(Follower(path), teller)
    teller.say(READY)
    judge.look()
    while lull.wait():
        judge.look()
    judge.end()
    teller.end()


class LiveJudge:
    """Judges the records of one capture as they come."""

    def __init__(self, capture: Follower, teller: Teller) -> None:
        self._capture = capture
        self._teller = teller
        self._checker = ALL_RULES.checker()
        self._found: list[Finding] = []
        self._crashed: set[str] = set()

    def look(self) -> None:
        """Judge what has come since the last time."""
        try:
            while (records := self._capture.take()) or not self._capture.at_end:
                signal.setitimer(signal.ITIMER_VIRTUAL, _STUCK)
                self._judge(records)
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)  # whoever called lives on, be it a test

    def end(self) -> None:
        """Judge the rest, and the end."""
        self.look()
        self._judge(self._capture.last())
        self._found += self._checker.close()
        self._tell()

    def _judge(self, records: list[Record]) -> None:
        try:
            for record in records:
                self._found += self._checker.feed(record)
        finally:  # a bug in the linter does not take with it what was found before
            self._tell()

    def _tell(self) -> None:
        if self._found:
            self._teller.tell([encode_finding(finding) for finding in self._found])
            self._found.clear()
        for crash in self._checker.crashes:
            if crash.code not in self._crashed:
                self._crashed.add(crash.code)
                self._teller.complain(
                    f"a bug in acp-spy, please report it: rule {crash.code} raised {crash.error}"
                    f" at frame {crash.seq}"
                )
