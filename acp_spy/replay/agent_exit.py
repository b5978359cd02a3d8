"""What is to be said of how a live agent has ended: that it counts, that it may be why, nothing."""

import msgspec

from acp_spy.replay.divergence import OTHER_END, Divergence, Note
from acp_spy.replay.requirements import Demands
from acp_spy.replay.script import Script


class Ending(msgspec.Struct, frozen=True):
    """
    A status, or minus the signal that killed the agent.

    `overstayed` says what was done about one that did not end by itself.
    """

    status: int
    overstayed: str = ""

    @property
    def words(self) -> str:
        """What happened to it, in words that follow its name."""
        if self.overstayed:
            return self.overstayed
        how = "exited with status" if self.status >= 0 else "was killed by signal"
        return f"{how} {abs(self.status)}"

    def judge(
        self, script: Script, demands: Demands, *, has_parted: bool
    ) -> Divergence | Note | None:
        """Return what is told; a crash is worth it only if it may be why they `has_parted`."""
        recorded = script.status
        if demands.want_status(recorded, None if self.overstayed else self.status):
            detail = f": it {self.words}; the recorded one exited with status {recorded}"
            return Divergence(OTHER_END, script.name, detail=detail)
        if self.overstayed or (has_parted and self.status):
            return Note(None, f"the agent {self.words}")
        return None
