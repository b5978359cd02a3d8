"""The tool calls of one turn: how long each took from its first mention to its end."""

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import ToolCall
from acp_spy.view.stats.longest import Longest
from acp_spy.view.stats.model import Tool

MOST = 50  # that are kept of a turn
_LONGEST_TEXT = 500


class Tools:
    """Feed it what the tracker knows of a call after each of its updates."""

    def __init__(self) -> None:
        self.count = 0
        self.open: dict[str, Tool] = {}
        self._ended: Longest[Tool] = Longest(MOST)

    def change(self, call: ToolCall, seq: int, t: float) -> Tool | None:
        """Take in that `call` is as it is now; return it if it has ended by that."""
        known = self.open.get(call.id)
        if known is None:
            if call.seq != seq:
                return None  # ended before, or begun in another turn
            self.count += 1
        began = known.t if known else t
        tool = Tool(
            id=call.id[:_LONGEST_TEXT],
            seq=call.seq,
            title=(call.title or call.name)[:_LONGEST_TEXT],
            kind=call.kind[:_LONGEST_TEXT],
            status=call.status[:_LONGEST_TEXT],
            t=began,
            seconds=None if call.is_open else round(max(0.0, t - began), 6),
        )
        if tool.seconds is None:
            remember(self.open, call.id, tool)
            return None
        self.open.pop(call.id, None)
        self._ended.add(tool.seconds, tool)
        return tool

    def result(self) -> tuple[Tool, ...]:
        """Return the longest, in their order; those without an end count as such."""
        longest = [*self.open.values(), *self._ended.things()][:MOST]
        return tuple(sorted(longest, key=lambda tool: tool.seq))
