"""How a live agent has ended, and whether that is a divergence, a note, or nothing."""

import re

import msgspec

from acp_spy.replay.divergence import NO_MESSAGE, OTHER_END, Divergence, Note
from acp_spy.replay.requirements import Requirements
from acp_spy.replay.script import Script
from acp_spy.wire.cut import cut_at_word
from acp_spy.wire.inert import inert

# Words of the line that says why a program failed, among all that it wrote.
_CAUSE = re.compile(r"error|exception|panic|fail|can't|cannot|not found|no such", re.IGNORECASE)
_LONGEST = 500  # characters


class AgentExit(msgspec.Struct, frozen=True):
    """
    A status, or minus the signal that killed the agent.

    `overstayed` says what was done about one that did not end by itself, `stderr` is the last that
    it wrote there.
    """

    status: int
    overstayed: str = ""
    stderr: str = ""

    @property
    def words(self) -> str:
        """What happened to it, in words that follow its name."""
        if self.overstayed:
            return self.overstayed
        how = "exited with status" if self.status >= 0 else "was killed by signal"
        return f"{how} {abs(self.status)}"

    def without_a_message(self, capture: str) -> Divergence:
        """Return the divergence of an agent that ended so before it sent any message."""
        detail = f": it {self.words}"
        return Divergence(NO_MESSAGE, capture, detail=detail, stderr=self.stderr)

    def to_report(
        self, script: Script, required: Requirements, *, has_diverged: bool
    ) -> Divergence | Note | None:
        """Return what to report; a crash only if it may be why the run `has_diverged`."""
        recorded = script.status
        if required.requires_status(recorded, None if self.overstayed else self.status):
            detail = f": it {self.words}; the recorded one exited with status {recorded}"
            return Divergence(OTHER_END, script.name, detail=detail)
        if self.overstayed or (has_diverged and self.status):
            return Note(None, f"the agent {self.words}")
        return None


def with_cause(reason: str, stderr: str) -> str:
    """
    Return why an agent failed, and below it the line of its stderr that is most likely to say more.

    One line: the rest is where its stderr went, and need not be read twice.
    """
    lines = [line for line in stderr.splitlines() if line.strip() and not line[0].isspace()]
    causes = [line for line in lines if _CAUSE.search(line)] or lines
    return "\n  ".join(
        map(inert, [reason, *(cut_at_word(cause, _LONGEST) for cause in causes[-1:])])
    )
