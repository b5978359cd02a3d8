"""How a live agent has ended, and whether that is a divergence, a note, or nothing."""

import msgspec

from acp_spy.replay.divergence import NO_MESSAGE, OTHER_END, Divergence, Note
from acp_spy.replay.requirements import Requirements
from acp_spy.replay.script import Script
from acp_spy.wire.inert import inert

_LAST_LINES = 3  # of what an agent wrote to stderr: the rest is where its stderr went


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


def with_last_lines(reason: str, stderr: str) -> str:
    """Return why an agent failed, and below it the last lines that it wrote to stderr."""
    lines = [line for line in inert(stderr, but="\n").split("\n") if line.strip()]
    return "\n  ".join([reason, *lines[-_LAST_LINES:]])
