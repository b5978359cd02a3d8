"""Version 2: the agent reports that it is running."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Session, Step
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
    SESSION,
    transcript,
)

_WORDS = ("agent_message", "agent_message_chunk", "agent_thought", "agent_thought_chunk")


@rule(
    code="LIF205",
    name="running-not-reported",
    severity=Severity.ERROR,
    summary="The agent replied to a prompt without reporting `running`",
    on=(*(f"update:{name}" for name in _WORDS), "update:state_update"),
    version=2,
    covers=("V2-07", "V2-08"),
    spec="https://agentclientprotocol.com/protocol/v2/prompt-lifecycle#session-states",
    bad=transcript(SESSION, PROMPT, ACCEPTED, ECHO, REPLY, IDLE),
    good=transcript(SESSION, PROMPT, ACCEPTED, ECHO, RUNNING, REPLY, IDLE),
)
def running_not_reported(step: Step, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does

    In version 2, reports text of the agent after a prompt was accepted and before a `state_update`
    with `running`. Text while the state is `requires_action` is a warning, because it may come from
    background work.

    ## Why it matters

    In version 2 only `state_update` shows whether the agent is working. The client shows no spinner
    and no stop button, or keeps asking the user for an action.

    ## Use instead

    Report `running` when work starts, and again when it continues after `requires_action`.
    """
    session, name = step.session, name_of_session(step)
    if update_of(step).get("sessionUpdate") == "state_update":
        memory.pop(name, None)
        return
    if session is None or name in memory:
        return
    is_blocked = session.state == "requires_action"
    if not is_blocked and not _has_begun_silently(session, step):
        return
    if pending(step.state, "session/resume", name):
        return  # this is replayed history
    remember(memory, name, True)
    if is_blocked:
        yield Remark(
            "the agent sent text while its state is `requires_action`; expected `running` first",
            severity=Severity.WARNING,
            hint="report `running` when the work continues",
        )
    else:
        yield Remark(
            "the agent sent text after the prompt was accepted; expected `running` first",
            see=session.turns[-1].exchange.seq,
            hint='send a `state_update` with `"state": "running"` when work starts',
        )


def _has_begun_silently(session: Session, step: Step) -> bool:
    """Return whether a prompt was accepted and no state was reported since the last `idle`."""
    if session.state not in (None, "idle") or not session.turns:
        return False
    prompt = session.turns[-1].exchange
    return step.state.pending.get((prompt.sender, prompt.id)) is not prompt
