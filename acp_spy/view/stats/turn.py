"""
The statistics of one turn: time to the first update, stream, tool calls, waits and silences.

A stall is a silence within the turn, of `STALL` seconds or more, that only the agent could have
broken: none of its own requests was waiting for the client.
"""

import copy
from collections.abc import Sequence
from typing import Self

from acp_spy.conversation.state import Step
from acp_spy.conversation.state import Turn as TrackedTurn
from acp_spy.protocol import events as ev
from acp_spy.view.stats.calls import rounded
from acp_spy.view.stats.longest import Longest
from acp_spy.view.stats.model import Stall, Turn
from acp_spy.view.stats.tools import Tools
from acp_spy.wire.frame import Peer
from acp_spy.wire.jsonrpc import Request

STALL = 5.0
_LONGEST_STALLS = 10
_LONGEST_TEXT = 500


class TurnTally:
    """Feed it what concerns one open turn."""

    def __init__(self, turn: TrackedTurn, session: str) -> None:
        self.turn = turn
        self.session = session
        self.seq = turn.exchange.seq
        self.t = self._last = turn.exchange.t
        self.tools = Tools()
        self.first_update: float | None = None
        self._chunks = self._pairs = 0
        self._streamed = 0.0
        self._last_chunk: float | None = None
        # What the agent waits for, by frame or tool call, and whether it is permission.
        self._awaited: dict[int | str | None, bool] = {}
        self._permissions = self._permissions_open = 0
        self._asked_since = self._waited = 0.0
        self._stalls = 0
        self._stalled = 0.0
        self._longest: Longest[Stall] = Longest(_LONGEST_STALLS)

    def pass_time(self, t: float, seq: int | None) -> None:
        """Take in that nothing came in this session since the last time, until frame `seq`."""
        gap = t - self._last
        if gap >= STALL and not self._awaited:
            self._stalls += 1
            self._stalled += gap
            tool = next(reversed(self.tools.open), "")[:_LONGEST_TEXT]
            self._longest.add(gap, Stall(self._last, round(gap, 6), seq, tool))
        if t > self._last:  # noqa: PLR1730 - for every frame, and max() is a call
            self._last = t

    def note_frame(self, t: float, *, is_chunk: bool) -> None:
        """Take in a frame of the agent; `is_chunk` for a piece of text."""
        if self.first_update is None and self.turn.shown:
            self.first_update = max(0.0, t - self.t)
        if not is_chunk:
            self._last_chunk = None
            return
        self._chunks += 1
        last, self._last_chunk = self._last_chunk, t
        if last is not None and t - last < STALL:
            self._pairs += 1
            if t > last:
                self._streamed += t - last

    def note_requests(self, step: Step, events: Sequence[ev.Event]) -> None:
        """Take in what the agent waits for, if `step` asks the client something or answers it."""
        t, exchange = step.frame.t, step.exchange
        asks = next((event for event in events if isinstance(event, ev.PermissionAsked)), None)
        answers = next(
            (event for event in events if isinstance(event, ev.PermissionAnswered)), None
        )
        if exchange is not None and exchange.sender is Peer.AGENT:
            if isinstance(step.message, Request):
                self._ask(exchange.seq, t, permission=asks is not None)
            else:
                self.note_answer(exchange.seq, t)
        elif asks is not None:  # a dialect has notifications for it, which name the tool call
            self._ask(asks.tool_call, t, permission=True)
        elif answers is not None:
            self.note_answer(answers.tool_call, t)

    def _ask(self, what: int | str | None, t: float, *, permission: bool) -> None:
        if permission and what not in self._awaited:
            self._permissions += 1
            if not self._permissions_open:
                self._asked_since = t
            self._permissions_open += 1
        self._awaited[what] = permission

    def note_answer(self, what: int | str | None, t: float) -> None:
        """Take in that the agent waits no more for something: a frame or a tool call."""
        if self._awaited.pop(what, False):
            self._permissions_open -= 1
            if not self._permissions_open:
                self._waited += max(0.0, t - self._asked_since)

    def copy(self) -> Self:
        """Return another one of the same turn, to be ended while this one goes on."""
        other = copy.copy(self)
        vars(other).update(_longest=self._longest.copy())
        return other

    def result(self, t: float, outcome: str, stop_reason: str | None) -> Turn:
        """Return the statistics of the turn, which came to `outcome` at `t`."""
        if self._permissions_open:
            self._waited += max(0.0, t - self._asked_since)
        rate = self._pairs / self._streamed if self._streamed else None
        return Turn(
            seq=self.seq,
            session=self.session[:_LONGEST_TEXT],
            t=self.t,
            seconds=None if outcome == "open" else round(max(0.0, t - self.t), 6),
            outcome=outcome,
            stop_reason=stop_reason and stop_reason[:_LONGEST_TEXT],
            cancelled=self.turn.cancelled_at is not None,
            first_update=rounded(self.first_update),
            updates=self.turn.updates,
            chunks=self._chunks,
            chunk_rate=None if rate is None else round(rate, 3),
            tool_calls=self.tools.count,
            tools=self.tools.result(),
            permissions=self._permissions,
            permission_wait=round(self._waited, 6),
            stalls=self._stalls,
            stalled=round(self._stalled, 6),
            longest_stalls=tuple(sorted(self._longest.things(), key=lambda stall: stall.t)),
            number=self.turn.number,
            permissions_pending=self._permissions_open,
        )


def events_of(step: Step) -> Sequence[ev.Event]:
    """Return what a step brings about: nothing, one thing, or in some dialects several."""
    event = step.event
    if isinstance(event, ev.Several):
        return event.events
    return () if event is None else (event,)
