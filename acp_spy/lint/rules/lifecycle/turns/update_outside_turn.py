"""Text and tool calls are sent during a turn."""

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
    summary="Text or a tool call was sent while no turn was open",
    on=(*MOMENTS, *LOST_PROMPTS),
    version=1,
    covers=("PRM-07",),
    spec="https://agentclientprotocol.com/protocol/prompt-turn",
    bad=transcript(HANDSHAKE, NEW_SESSION, PROMPT, CHUNK, END_TURN, CHUNK),
    good=transcript(HANDSHAKE, NEW_SESSION, PROMPT, CHUNK, END_TURN),
)
def update_outside_turn(moment: Step | Ending, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does
    Reports text and tool calls that are sent before the first prompt or between two turns, once per
    pause. Commands, modes, options, usage and notices may be sent at any time.

    ## Why it matters
    Many clients stop listening after the response, and the last text is lost; others show it in the
    next turn. Output of background work may be intended, but not every client shows it.

    ## Use instead
    Send all updates before the response to their prompt. If updates and responses use different
    queues, drain the first one.
    """
    if type(moment) is Step and is_lost_prompt(moment):
        for name in ids_named(moment, "sessionId"):
            remember(memory, name, moment.frame.t)
        return
    if type(moment) is Step and isinstance(moment.message, Unreadable):
        return
    for session, stray in strays(moment, memory, Sign.OTHER):
        if (session.last_turn_end or 0.0) <= memory.get(session.id, -1.0) <= stray.t:
            continue
        if session.last_turn_end is None:
            when = "before the first prompt of the session"
            hint = "wait for the first prompt before sending text"
        else:
            late = stray.t - session.last_turn_end
            when = f"{late:.3f} s after the turn was answered, while no turn was open"
            hint = "send all updates of a turn before its response"
        yield Remark(
            f"{named(stray)} came {when}; some clients drop it",
            at="/params/update",
            on=stray.seq,
            blame=Peer.AGENT,
            hint=hint,
        )
