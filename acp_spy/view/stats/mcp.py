"""Requests to MCP servers over ACP, by server and tool: how often, and how long they took."""

from acp_spy.conversation.state import Step
from acp_spy.view.gists.mcp import is_mcp_error
from acp_spy.view.stats.calls import spans
from acp_spy.view.stats.model import McpMethod
from acp_spy.view.stats.quantiles import Quantiles
from acp_spy.wire.jsonrpc import Request, Response

_MOST = 200  # that are told apart
_LONGEST = 200


class _Tally:
    def __init__(self) -> None:
        self.requests = self.answers = self.errors = 0
        self.latency = Quantiles()


class McpCalls:
    """Feed it the steps that may carry an MCP message."""

    def __init__(self) -> None:
        self._tallies: dict[tuple[str, str, str], _Tally] = {}

    def add(self, step: Step) -> None:
        """Take a request or its response; anything else is not counted."""
        mcp, message, exchange = step.mcp, step.message, step.exchange
        if mcp is None or exchange is None or not mcp.method:
            return
        key = mcp.server[:_LONGEST], mcp.method[:_LONGEST], mcp.tool[:_LONGEST]
        tally = self._tallies.get(key)
        if tally is None:
            if len(self._tallies) >= _MOST:
                return
            tally = self._tallies[key] = _Tally()
        if isinstance(message, Request):
            tally.requests += 1
        elif isinstance(message, Response):
            tally.answers += 1
            tally.errors += message.failed or is_mcp_error(step)
            tally.latency.add(step.frame.t - exchange.t)

    def result(self) -> tuple[McpMethod, ...]:
        """Return them in the order of first use."""
        return tuple(
            McpMethod(
                *key,
                tally.requests,
                tally.errors,
                max(0, tally.requests - tally.answers),
                spans(tally.latency),
            )
            for key, tally in self._tallies.items()
        )
