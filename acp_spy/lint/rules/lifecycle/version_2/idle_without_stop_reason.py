"""Version 2: the end of work has a stop reason."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._pending import pending
from acp_spy.lint.rules.lifecycle.version_2._common import is_working, name_of_session, update_of
from acp_spy.lint.rules.lifecycle.version_2._examples import (
    IDLE,
    REPLY,
    TURN,
    state_line,
    transcript,
)


@rule(
    code="LIF206",
    name="idle-without-stop-reason",
    severity=Severity.WARNING,
    summary="The agent became idle without a stop reason",
    on=("update:state_update",),
    version=2,
    covers=("V2-07",),
    spec="https://agentclientprotocol.com/protocol/v2/prompt-lifecycle#stop-reasons",
    bad=transcript(TURN, REPLY, state_line("idle")),
    good=transcript(TURN, REPLY, IDLE),
)
def idle_without_stop_reason(step: Step) -> Iterator[Remark]:
    """
    ## What it does

    In version 2, reports the `idle` update that ends the work without a `stopReason`.

    ## Why it matters

    The client cannot distinguish a finished reply from one that was cut off, refused or cancelled.

    ## Use instead

    Send `"stopReason": "end_turn"`, or the reason that applies.
    """
    update = update_of(step)
    if update.get("state") != "idle" or update.get("stopReason") is not None:
        return
    if step.session is None or not is_working(step.session, step.state):
        return
    if not pending(step.state, "session/resume", name_of_session(step)):
        yield Remark(
            "`idle` ended the work without a reason; expected `stopReason`",
            at="/params/update",
            hint='add `"stopReason": "end_turn"`, or the reason that applies',
        )
