"""
The statistics of a whole capture for a page that shows a part of it: nothing of what is left out.

Numbers stay those of the whole, as a part would be wrong: requests without their responses would
all be unanswered. A name that a peer gave is shown only where a row that is shown has it, too.
"""

from msgspec.structs import replace

from acp_spy.view.stats.model import Stats, Turn
from acp_spy.view.timeline import Row
from acp_spy.wire.frame import Peer


class Part:
    """Feed it the rows that are shown; it removes from the statistics what they do not have."""

    def __init__(self) -> None:
        self._greeted: set[Peer | None] = set()
        self._mcp: set[tuple[str, str]] = set()
        self._seqs: set[int | None] = set()
        self._methods: set[str] = set()
        self._prompts: set[int | None] = set()
        self._ends: set[int | None] = set()
        self._tools: set[tuple[str | None, str | None]] = set()

    def feed(self, row: Row) -> None:
        """Take a row that is shown."""
        self._methods.add(row.method)
        self._seqs.add(row.seq)
        self._mcp.add((row.server, row.mcp))
        if row.method in ("initialize", "proxy/initialize") and not row.hop:
            self._greeted.add(row.sender)
        if row.tool is not None:
            self._tools.add((row.session, row.tool))
        if row.turn_edge == "start":
            self._prompts.add(row.turn)
        elif row.turn_edge == "end":
            self._ends.add(row.turn)

    def of(self, stats: Stats) -> Stats:
        """Return `stats` with the names that the rows have, and no others."""
        turns = (self._turn(turn) for turn in stats.turns.longest if turn.seq in self._prompts)
        return replace(
            stats,
            agent=stats.agent if Peer.AGENT in self._greeted else "",
            client=stats.client if Peer.CLIENT in self._greeted else "",
            methods=tuple(each for each in stats.methods if each.method in self._methods),
            turns=replace(stats.turns, longest=tuple(turns)),
            reason=None,
            slowest=tuple(each for each in stats.slowest if each.seq in self._seqs),
            mcp=tuple(each for each in stats.mcp if (each.server, each.method) in self._mcp),
            pending=tuple(each for each in stats.pending if each.seq in self._seqs),
        )

    def _turn(self, turn: Turn) -> Turn:
        return replace(
            turn,
            stop_reason=turn.stop_reason if turn.seq in self._ends else None,
            tools=tuple(tool for tool in turn.tools if (turn.session, tool.id) in self._tools),
            longest_stalls=(),
        )
