"""A session has one turn at a time."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Step
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
    severity=Severity.WARNING,
    summary="A prompt was sent while a turn was open",
    on=("request:session/prompt", "result:session/prompt", "error:session/prompt"),
    version=1,
    covers=("PRM-06",),
    spec="https://agentclientprotocol.com/protocol/prompt-turn",
    bad=transcript(HANDSHAKE, NEW_SESSION, PROMPT, _SECOND, CHUNK, END_TURN),
    good=transcript(HANDSHAKE, NEW_SESSION, PROMPT, CHUNK, END_TURN, _SECOND),
)
def prompt_during_turn(step: Step, overlaps: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does
    Reports a prompt before the previous one in the session was answered. It is not reported if the
    previous prompt was cancelled or is never answered: then the missing response is the mistake.
    Agents that advertise `promptQueueing` in the `_meta` of their capabilities are not reported.

    ## Why it matters
    The specification does not define it. Agents refuse, queue, drop or mix the prompts, and updates
    do not say which prompt they belong to.

    ## Use instead
    Wait for the response to the previous prompt.
    """
    exchange = step.exchange
    if isinstance(step.message, Response):
        if exchange is not None and (second := overlaps.pop(exchange.seq, None)):
            yield Remark(
                f"a prompt was sent to session {quoted(exchange.session)} while the previous one"
                " was not answered; expected its response first",
                at="/method",
                on=second,
                see=exchange.seq,
                blame=Peer.CLIENT,
                hint="wait for the response to the previous `session/prompt`",
            )
        return
    turn = step.session.turn if step.session else None
    if turn is not None and turn.cancelled_at is None and not _queues(step):
        remember(overlaps, turn.exchange.seq, step.frame.seq)


def _queues(step: Step) -> bool:
    """Return whether the agent advertised that it accepts prompts at any time."""
    capabilities = fields(step.state.capabilities.get(Peer.AGENT))
    holders = [capabilities, fields(capabilities.get("promptCapabilities"))]
    for meta in (fields(holder.get("_meta")) for holder in holders):
        vendors = (fields(vendor) for vendor in meta.values())
        if any(place.get("promptQueueing") is True for place in (meta, *vendors)):
            return True
    return False
