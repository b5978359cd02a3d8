"""What belongs to a turn comes before its end."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Ending, Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._examples import (
    CHUNK,
    END_TURN,
    HANDSHAKE,
    NEW_SESSION,
    PROMPT,
    transcript,
)
from acp_spy.lint.rules.lifecycle._lost_frames import LOST_PROMPTS, is_lost_prompt
from acp_spy.lint.rules.lifecycle._lost_frames import named as ids_named
from acp_spy.lint.rules.lifecycle._strays import MOMENTS, Sign, named, strays
from acp_spy.wire.frame import Peer
from acp_spy.wire.jsonrpc import Unreadable


@rule(
    code="LIF052",
    name="update-outside-turn",
    severity=Severity.WARNING,
    summary="Text or a tool call came while no turn was open",
    on=(*MOMENTS, *LOST_PROMPTS),
    version=1,
    covers=("PRM-07",),
    spec="https://agentclientprotocol.com/protocol/prompt-turn",
    bad=transcript(HANDSHAKE, NEW_SESSION, PROMPT, CHUNK, END_TURN, CHUNK),
    good=transcript(HANDSHAKE, NEW_SESSION, PROMPT, CHUNK, END_TURN),
)
def update_outside_turn(moment: Step | Ending, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    Text and tool calls belong to a turn: they come after `session/prompt` and before its answer.
    Many clients stop listening when the answer is there, and the last words are lost; others show
    them with the next turn. Work in the background may be meant to speak later, but not every
    client will hear it. Commands, modes, options, usage and notices may come at any time.

    Write all updates before the answer: when both go through different queues, drain the first.
    Reported once for each pause between two turns, when it is over, unless there was a prompt in it
    that is broken.
    """
    if isinstance(moment, Step) and is_lost_prompt(moment):
        for name in ids_named(moment, "sessionId"):
            remember(memory, name, moment.frame.t)
        return
    if isinstance(moment, Step) and isinstance(moment.message, Unreadable):
        return
    for session, stray in strays(moment, memory, Sign.OTHER):
        if (session.last_turn_end or 0.0) <= memory.get(session.id, -1.0) <= stray.t:
            continue
        if session.last_turn_end is None:
            when = "before the first prompt of the session"
        else:
            late = stray.t - session.last_turn_end
            when = f"{late:.3f} s after the turn was answered, while no other was open"
        yield Remark(
            f"{named(stray)} came {when}; clients may drop it",
            at="/params/update",
            on=stray.seq,
            blame=Peer.AGENT,
            hint="send what belongs to a turn before its response",
        )
