"""A session has one turn at a time."""

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
    summary="A prompt was sent while a turn was open",
    on=("request:session/prompt", "unmatched", "lost"),
    version=1,
    covers=("PRM-06",),
    spec="https://agentclientprotocol.com/protocol/prompt-turn",
    bad=transcript(HANDSHAKE, NEW_SESSION, PROMPT, _SECOND, CHUNK, END_TURN),
    good=transcript(HANDSHAKE, NEW_SESSION, PROMPT, CHUNK, END_TURN, _SECOND),
)
def prompt_during_turn(step: Step, facts: Facts, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does
    Reports a prompt before the previous one in the session was answered, even if it was cancelled.
    Agents that advertise `promptQueueing` in the `_meta` of their capabilities are not reported,
    nor are turns whose response could not be matched.

    ## Why it matters
    The specification does not define it. Agents refuse, queue, drop or mix the prompts, and updates
    do not say which prompt they belong to.

    ## Use instead
    Wait for the response to the previous prompt, also after `session/cancel`.
    """
    if not step.method:
        for exchange in _botched(step, facts):
            remember(memory, exchange.seq, True)
        return
    turn = step.session.turn if step.session else None
    if turn is None or _queues(step) or turn.exchange.seq in memory:
        return
    cancelled = "cancelled but " if turn.cancelled_at is not None else ""
    yield Remark(
        f"a prompt was sent to session {quoted(turn.exchange.session)} while the previous one was"
        f" {cancelled}not answered; expected its response first",
        at="/method",
        see=turn.exchange.seq,
        hint="wait for the response to the previous `session/prompt`",
    )


def _botched(step: Step, facts: Facts) -> list[Exchange]:
    """Return the open prompts that the agent may have answered with a malformed response."""
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
    """Return whether the agent advertised that it accepts prompts at any time."""
    capabilities = fields(step.state.capabilities.get(Peer.AGENT))
    holders = [capabilities, fields(capabilities.get("promptCapabilities"))]
    for meta in (fields(holder.get("_meta")) for holder in holders):
        vendors = (fields(vendor) for vendor in meta.values())
        if any(place.get("promptQueueing") is True for place in (meta, *vendors)):
            return True
    return False
