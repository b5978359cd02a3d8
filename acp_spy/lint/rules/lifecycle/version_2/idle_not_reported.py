"""Version 2: work that has started ends."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Ending, Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle.version_2._common import BUSY, is_working, name_of_session
from acp_spy.lint.rules.lifecycle.version_2._examples import (
    END,
    IDLE,
    REPLY,
    TURN,
    transcript,
)
from acp_spy.wire.frame import Peer


@rule(
    code="LIF223",
    name="idle-not-reported",
    severity=Severity.ERROR,
    summary="The agent never reported that its work ended",
    on=("update:state_update", "result:session/prompt", "notification:session/cancel", "end"),
    version=2,
    covers=("V2-07", "V2-08"),
    spec="https://agentclientprotocol.com/protocol/v2/prompt-lifecycle#session-states",
    since="0.2",
    bad=transcript(TURN, REPLY, END),
    good=transcript(TURN, REPLY, IDLE, END),
)
def idle_not_reported(moment: Step | Ending, busy: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does

    In version 2, reports a session whose last state is `running` or `requires_action` when the
    conversation ends, or that has accepted a prompt since it was `idle`. Work that the client cancelled is reported by LIF207, and a session that was
    closed by LIF216.

    ## Why it matters

    In version 2 the response to a prompt only says that it was accepted. Without `idle` the client
    waits forever, and the user cannot see that the reply is complete.

    ## Use instead

    Report `idle` with a stop reason when work ends, whatever ended it.
    """
    if isinstance(moment, Step):
        name = name_of_session(moment)
        if moment.method == "session/cancel":
            busy.pop(name, None)
        else:
            remember(busy, name, moment.frame.seq)
        return
    if moment.cut_off:
        return
    for name, seq in busy.items():
        session = moment.state.sessions.get(name)
        if session is None or session.closed or not is_working(session, moment.state):
            continue
        how = "" if moment.status in (0, None) else f" (the agent ended with {moment.status})"
        seen = f"the last state is `{session.state}`"
        if session.state not in BUSY:
            seen = "the prompt was accepted, and no state followed"
        yield Remark(
            f"{seen}{how}; expected `idle` with a stop reason",
            on=seq,
            blame=Peer.AGENT,
            hint="report `idle` with a stop reason when work ends",
        )
