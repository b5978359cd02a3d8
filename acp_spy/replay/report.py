"""What a play has to tell, in its order: divergences, which count, and notes, which do not."""

from acp_spy.replay.divergence import Divergence, Note
from acp_spy.replay.requirements import Demands


class Report:
    """`divergences` are what has counted so far; `told` is all that is worth telling."""

    def __init__(self, demands: Demands) -> None:
        self.divergences: list[Divergence] = []
        self.told: list[Divergence | Note] = []
        self._demands = demands

    def add(self, told: Divergence | Note) -> bool:
        """Take what is to be told; return whether it counts: who is driven may ask for more."""
        if isinstance(told, Divergence) and told.got and not self._demands.count(told.got):
            told = Note(None, f"{told.summary}; with --expect none that does not count")
        self.told.append(told)
        if isinstance(told, Note):
            return False
        self.divergences.append(told)
        return True
