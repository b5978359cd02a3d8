"""Version 2: an agent that works says so."""

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
    name="work-without-running",
    severity=Severity.ERROR,
    summary="The agent works on a prompt without having reported `running`",
    on=(*(f"update:{name}" for name in _WORDS), "update:state_update"),
    version=2,
    covers=("V2-07", "V2-08"),
    spec="https://agentclientprotocol.com/protocol/v2/prompt-lifecycle#session-states",
    bad=transcript(SESSION, PROMPT, ACCEPTED, ECHO, REPLY, IDLE),
    good=transcript(SESSION, PROMPT, ACCEPTED, ECHO, RUNNING, REPLY, IDLE),
)
def work_without_running(step: Step, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    In version 2 only `state_update` tells whether the agent is at work. It reports `running` when
    work begins, `requires_action` when it waits for the user, `running` again when it goes on, and
    `idle` at the end. A client that is not told shows no spinner and no stop button, or goes on
    asking the user for something that is settled.

    Report `running` before the first words of a reply, and again after a wait. Words while the
    session `requires_action` are told as a warning: they may come from work in the background.
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
        return  # what is being told now is history
    remember(memory, name, True)
    if is_blocked:
        yield Remark(
            "the agent goes on talking while its state is `requires_action`;"
            " `running` was expected first",
            severity=Severity.WARNING,
            hint="report `running` when the work goes on",
        )
    else:
        yield Remark(
            "the agent talks, but has not reported `running` since the prompt was accepted",
            see=session.turns[-1].exchange.seq,
            hint='send a `state_update` with `"state": "running"` when work begins',
        )


def _has_begun_silently(session: Session, step: Step) -> bool:
    """Tell whether a prompt was accepted since the last `idle`, and no state was told since."""
    if session.state not in (None, "idle") or not session.turns:
        return False
    prompt = session.turns[-1].exchange
    return step.state.pending.get((prompt.sender, prompt.id)) is not prompt
