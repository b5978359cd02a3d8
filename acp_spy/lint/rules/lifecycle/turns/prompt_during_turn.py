"""One turn at a time."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Exchange, Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.pairing import only_open
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._common import quoted
from acp_spy.lint.rules.lifecycle._examples import (
    CHUNK,
    END_TURN,
    HANDSHAKE,
    NEW_SESSION,
    PROMPT,
    transcript,
)
from acp_spy.wire.frame import Peer
from acp_spy.wire.jsonrpc import Response
from acp_spy.wire.values import fields

_SECOND = """
    -> {"jsonrpc": "2.0", "id": 3, "method": "session/prompt", "params": {"sessionId": "s1", "prompt": [{"type": "text", "text": "And the docs"}]}}
"""


@rule(
    code="LIF051",
    name="prompt-during-turn",
    severity=Severity.ERROR,
    summary="A session was prompted again before its turn was over",
    on=("request:session/prompt", "unmatched", "lost"),
    version=1,
    covers=("PRM-06",),
    spec="https://agentclientprotocol.com/protocol/prompt-turn",
    bad=transcript(HANDSHAKE, NEW_SESSION, PROMPT, _SECOND, CHUNK, END_TURN),
    good=transcript(HANDSHAKE, NEW_SESSION, PROMPT, CHUNK, END_TURN, _SECOND),
)
def prompt_during_turn(step: Step, facts: Facts, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    The next prompt comes after the answer to the last one. Nobody says what a second prompt means
    while a turn is open: agents refuse it, queue it, drop it or mix the two, and updates do not say
    which prompt they belong to.

    Wait for the answer; after `session/cancel`, too. Agents that queue prompts and say so in the
    `_meta` of their capabilities (`promptQueueing`) are taken at their word.

    A turn whose answer was botched, with a changed id or over several lines, is passed over: that is
    told elsewhere.
    """
    if not step.method:
        for exchange in _botched(step, facts):
            remember(memory, exchange.seq, True)
        return
    turn = step.session.turn if step.session else None
    if turn is None or _queues(step) or turn.exchange.seq in memory:
        return
    cancelled = ", which was cancelled but" if turn.cancelled_at is not None else ", which"
    yield Remark(
        f"session {quoted(turn.exchange.session)} is prompted during a turn{cancelled} has not"
        " been answered yet",
        at="/method",
        see=turn.exchange.seq,
        hint="wait for the response to the first `session/prompt`",
    )


def _botched(step: Step, facts: Facts) -> list[Exchange]:
    """Return the open prompts that the agent may have meant to answer with what is no answer."""
    if step.frame.sender is not Peer.AGENT:
        return []
    if not isinstance(step.message, Response):
        return [
            exchange
            for exchange in step.state.pending.values()
            if exchange.method == "session/prompt" and facts.pairing.lost(Peer.AGENT, exchange.id)
        ]
    reason, meant = facts.pairing.reason(step, step.message)
    if reason in ("no id", "unknown"):
        meant = only_open(step)
    return [meant] if meant else []


def _queues(step: Step) -> bool:
    """Tell whether the agent has advertised that it takes prompts at any time."""
    capabilities = fields(step.state.capabilities.get(Peer.AGENT))
    holders = [capabilities, fields(capabilities.get("promptCapabilities"))]
    for meta in (fields(holder.get("_meta")) for holder in holders):
        vendors = (fields(vendor) for vendor in meta.values())
        if any(place.get("promptQueueing") is True for place in (meta, *vendors)):
            return True
    return False
