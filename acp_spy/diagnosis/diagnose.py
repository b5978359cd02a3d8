"""From the moments of a conversation to its one diagnosis, at any time."""

import os
from collections.abc import Iterable

from acp_spy.capture.files import records_of
from acp_spy.capture.records import Capture, Record
from acp_spy.conversation.chunk import Chunk
from acp_spy.conversation.state import Conversation
from acp_spy.conversation.tracker import Tracker
from acp_spy.diagnosis import cases  # noqa: F401 - declares the kinds
from acp_spy.diagnosis.evidence import Evidence
from acp_spy.diagnosis.kinds import KINDS, Diagnosis
from acp_spy.lint.rule import Finding


class Diagnoser:
    """
    Show it each moment of a conversation before the tracker advances, with what was found in it.

    Plain chunks of text need not be shown to it. `state` is that of the tracker.
    """

    def __init__(self, state: Conversation) -> None:
        self._seen = Evidence(state)
        self.feed = self._seen.note
        self.add_findings = self._seen.note_findings

    def diagnosis(self, now: float | None = None) -> Diagnosis:
        """
        Return the diagnosis so far.

        While the recording runs, `now` is the time on the capture's clock.
        """
        seen = self._seen
        seen.running = now is not None
        seen.now = seen.end if now is None else max(now, seen.end)
        for kind in KINDS.values():
            if cause := kind.find(seen):
                return Diagnosis(kind.name, cause.text, cause.blame, cause.seq, cause.hint)
        raise AssertionError("the last kind holds always")


def diagnose(
    capture: Capture | str | os.PathLike[str] | Iterable[Record],
    now: float | None = None,
    findings: Iterable[Finding] = (),
) -> Diagnosis:
    """
    Return the diagnosis of a capture, a path or any records, without checking it.

    `findings` are those that are known; `now` is the time of a recording that runs.
    """
    tracker = Tracker()
    diagnoser = Diagnoser(tracker.state)
    for record in records_of(capture):
        moment = tracker.look(record)
        if type(moment) is not Chunk:
            diagnoser.feed(moment)
        tracker.advance(moment)
    diagnoser.add_findings(findings)
    return diagnoser.diagnosis(now)
