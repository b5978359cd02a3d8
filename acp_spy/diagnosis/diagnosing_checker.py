"""A checker whose conversation has a diagnosis, too."""

from acp_spy.conversation.tracker import Moment
from acp_spy.diagnosis.diagnose import Diagnoser
from acp_spy.diagnosis.kinds import Diagnosis
from acp_spy.lint.linter import Checker
from acp_spy.lint.rule import Finding


class DiagnosingChecker(Checker):
    """A checker that has a diagnosis, too."""

    def __init__(self, checker: Checker) -> None:
        super().__init__(checker.linter, checker.tracker)
        self._diagnoser = Diagnoser(checker.tracker.state)
        self.add_findings = self._diagnoser.add_findings

    def judge(self, moment: Moment) -> list[Finding]:
        """Return what is wrong with a moment, and note it for the diagnosis."""
        findings = self.linter.judge(moment)
        self._diagnoser.feed(moment, findings)
        return findings

    def close(self) -> list[Finding]:
        """Return what is wrong with the end."""
        findings = super().close()
        self.add_findings(findings)
        return findings

    def diagnosis(self, now: float | None = None) -> Diagnosis:
        """Return the diagnosis so far; `now` is the time of a recording that runs."""
        return self._diagnoser.diagnosis(now)
