"""Version 2: work that has started ends before the next starts."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._pending import pending
from acp_spy.lint.rules.lifecycle.version_2._common import name_of_session, update_of
from acp_spy.lint.rules.lifecycle.version_2._examples import (
    ACCEPTED,
    ECHO,
    IDLE,
    PROMPT,
    REPLY,
    RUNNING,
    TURN,
    transcript,
)

_AGAIN = transcript(PROMPT, ACCEPTED, ECHO).replace('"id": 2', '"id": 3').replace("m1", "m3")


@rule(
    code="LIF222",
    name="running-twice",
    severity=Severity.ERROR,
    summary="The agent reported `running` twice without `idle` in between",
    on=("update:state_update",),
    version=2,
    covers=("V2-07", "V2-08"),
    spec="https://agentclientprotocol.com/protocol/v2/prompt-lifecycle#session-states",
    since="0.2",
    bad=transcript(TURN, REPLY, _AGAIN, RUNNING, IDLE),
    good=transcript(TURN, REPLY, IDLE, _AGAIN, RUNNING, IDLE),
)
def running_twice(step: Step, facts: Facts, running: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does

    In version 2, reports a `state_update` with `running` while the state is `running` already. If no
    prompt came in between, this is a warning, and nothing is reported if `background` changed.

    ## Why it matters

    The `idle` that ends the first work is missing. The client does not know where it ended, with
    which stop reason, and whether the next prompt was queued or started.

    ## Use instead

    Report `idle` with a stop reason when work ends, then `running` when the next work starts.
    """
    update, name = update_of(step), name_of_session(step)
    if step.session is None or facts.is_replayed or pending(step.state, "session/resume", name):
        running.pop(name, None)
        return
    state, background = update.get("state"), update.get("background")
    if state != "running":
        running.pop(name, None)
        return
    seq, turns, listed = running.get(name, (None, 0, None))
    remember(running, name, (step.frame.seq, step.session.turn_count, background))
    if seq is None or step.session.state != "running":
        return
    has_prompt = step.session.turn_count > turns
    if has_prompt or background == listed:
        yield Remark(
            "the agent reported `running` again; expected `idle` in between"
            if has_prompt
            else "the agent reported `running` again, although nothing changed",
            at="/params/update/state",
            see=seq,
            severity=None if has_prompt else Severity.WARNING,
            hint="report `idle` with a stop reason when work ends",
        )
