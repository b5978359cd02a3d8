"""Version 2: a resumed session says how it stands."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle.version_2._common import asked_at, name_of_session
from acp_spy.lint.rules.lifecycle.version_2._examples import (
    INITIALIZE,
    INITIALIZED,
    answer,
    ask,
    be,
    transcript,
)

_RESUME = ask(1, "session/resume", '"sessionId": "s1", "cwd": "/home/dev/project"')


@rule(
    code="LIF213",
    name="resume-without-state",
    severity=Severity.ERROR,
    summary="A session was resumed without a `state_update` before the answer",
    on=("request:session/resume", "update:state_update", "result:session/resume"),
    version=2,
    covers=("V2-15",),
    spec="https://agentclientprotocol.com/protocol/v2/session-setup#current-state-synchronization",
    bad=transcript(INITIALIZE, INITIALIZED, _RESUME, answer(1)),
    good=transcript(INITIALIZE, INITIALIZED, _RESUME, be("idle"), answer(1)),
)
def resume_without_state(step: Step, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    Before an agent answers `session/resume` in version 2, and after it has replayed what was asked
    for, it tells the session's state with one `state_update`. The answer alone does not mean
    `idle`: without the update a client does not know whether it may prompt, or whether the agent
    is still at work on the last prompt.

    Send a `state_update` first, then the answer.
    """
    session = name_of_session(step)
    if not session:
        return
    if step.exchange is None:
        if session in memory:
            memory[session] = True
    elif step.event is None or type(step.event).__name__ != "SessionOpened":
        remember(memory, session, False)
    elif not memory.pop(session, True):
        yield Remark(
            "the session was resumed, but no `state_update` came before this answer",
            see=asked_at(step),
            hint="send the session's current `state_update` before the answer",
        )
