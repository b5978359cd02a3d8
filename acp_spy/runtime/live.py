"""
What the judge's process does: follow the capture as it grows, and tell what is wrong with it.

The same linter is fed the same records in the same order as by `check`; so the findings are the
same. `telling.py` sees to it that they get into the capture.
"""

import os
import signal
from select import POLLIN, poll

from acp_spy.capture.codec import encode_finding
from acp_spy.capture.files import Follower
from acp_spy.capture.records import Record
from acp_spy.lint.catalogue import CATALOGUE
from acp_spy.lint.engine import Linter
from acp_spy.lint.model import Finding
from acp_spy.runtime.judge import BETWEEN_RINGS, READY
from acp_spy.runtime.telling import Teller

_STUCK = 20  # seconds of work on what was read at once are an endless loop
TIME_FOR_THE_REST = 10  # seconds by the clock, once the proxy has ended


def follow(path: str, bell: int, told: int) -> None:
    """Judge the capture at `path` as it grows, until nobody can ring the bell any more."""
    for alarm in (signal.SIGVTALRM, signal.SIGALRM):
        # To die of: a loop in a regular expression lets no handler of Python's run.
        signal.signal(alarm, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {alarm})
    teller = Teller(path, told)
    judge = LiveJudge(Follower(path), teller, bell)
    teller.say(READY)
    rung = True
    while not judge.sees_end:
        judge.look()
        # What comes soon after a ring is not rung for: so look once more after that time.
        rung = judge.wait(1.2 * BETWEEN_RINGS if rung else None)
    judge.end()
    teller.end()


class LiveJudge:
    """Judges the records of one capture as they come; `bell` is how it is rung for."""

    def __init__(self, capture: Follower, teller: Teller, bell: int) -> None:
        self._capture = capture
        self._teller = teller
        self._bell = bell
        self._poller = poll()
        self._poller.register(bell, POLLIN)
        self._linter = Linter(CATALOGUE.values())
        self._found: list[Finding] = []
        self._crashed: set[str] = set()
        self.sees_end = False

    def wait(self, seconds: float | None) -> bool:
        """Wait for a ring, or the end. Return whether it came in time."""
        rung = self._poller.poll(None if seconds is None else seconds * 1000)
        if rung and not self.sees_end and not os.read(self._bell, 4096):
            self.sees_end = True
            signal.alarm(TIME_FOR_THE_REST)
        return bool(rung)

    def look(self) -> None:
        """Judge what has come since the last time."""
        while (records := self._capture.take()) or not self._capture.at_end:
            signal.setitimer(signal.ITIMER_VIRTUAL, _STUCK)
            self._judge(records)
            self._tell()
            self.wait(0)  # the end may come while there is still much to do
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)

    def end(self) -> None:
        """Judge the rest, and the end."""
        self.look()
        self._judge(self._capture.last())
        self._found += self._linter.close()
        self._tell()

    def _judge(self, records: list[Record]) -> None:
        for record in records:
            self._found += self._linter.feed(record)

    def _tell(self) -> None:
        if self._found:
            self._teller.tell([encode_finding(finding) for finding in self._found])
            self._found.clear()
        for crash in self._linter.crashes:
            if crash.code not in self._crashed:
                self._crashed.add(crash.code)
                self._teller.complain(
                    f"a bug in acp-spy, please report it: rule {crash.code} raised {crash.error}"
                    f" at frame {crash.seq}"
                )
        self._linter.crashes.clear()
