"""Version 2: the agent reports the state of a resumed session."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle.version_2._common import name_of_session, request_seq
from acp_spy.lint.rules.lifecycle.version_2._examples import (
    INITIALIZE,
    INITIALIZED,
    request_line,
    result_line,
    state_line,
    transcript,
)

_RESUME = request_line(1, "session/resume", '"sessionId": "s1", "cwd": "/home/dev/project"')


@rule(
    code="LIF213",
    name="resume-without-state",
    severity=Severity.ERROR,
    summary="A session was resumed without a `state_update` before the response",
    on=("request:session/resume", "update:state_update", "result:session/resume"),
    version=2,
    covers=("V2-15",),
    spec="https://agentclientprotocol.com/protocol/v2/session-setup#current-state-synchronization",
    bad=transcript(INITIALIZE, INITIALIZED, _RESUME, result_line(1)),
    good=transcript(INITIALIZE, INITIALIZED, _RESUME, state_line("idle"), result_line(1)),
)
def resume_without_state(step: Step, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does

    In version 2, reports a response to `session/resume` without a `state_update` before it. The
    update comes after the replay, if one was requested.

    ## Why it matters

    The response alone does not mean `idle`. The client does not know whether it may send a prompt,
    or whether the agent still works on the last one.

    ## Use instead

    Send the current `state_update` before the response.
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
            "`session/resume` was answered without a state;"
            " expected a `state_update` before the response",
            see=request_seq(step),
            hint="send the current `state_update` before the response",
        )
