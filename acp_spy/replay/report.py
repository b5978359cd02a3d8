"""What a play has to tell, in its order: divergences, which count, and notes, which do not."""

from acp_spy.replay.demands import Demands
from acp_spy.replay.divergence import Divergence, Note


class Report:
    """`divergences` are what has counted so far; `told` is all that is worth telling."""

    def __init__(self, demands: Demands) -> None:
        self.divergences: list[Divergence] = []
        self.told: list[Divergence | Note] = []
        self._demands = demands

    def add(self, divergence: Divergence) -> bool:
        """Take a divergence; return whether it counts: who is only driven may ask for more."""
        got = divergence.got
        if got is not None and not self._demands.count(got):
            self.told.append(
                Note(None, f"{divergence.summary}; with --expect none that does not count")
            )
            return False
        self.divergences.append(divergence)
        self.told.append(divergence)
        return True
