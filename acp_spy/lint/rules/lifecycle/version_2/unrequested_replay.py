"""Version 2: history is replayed only on request."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._pending import pending
from acp_spy.lint.rules.lifecycle.version_2._common import name_of_session
from acp_spy.lint.rules.lifecycle.version_2._examples import (
    ECHO,
    INITIALIZE,
    INITIALIZED,
    request_line,
    result_line,
    state_line,
    transcript,
)
from acp_spy.wire.values import fields

_PARAMS = '"sessionId": "s1", "cwd": "/home/dev/project"'


@rule(
    code="LIF214",
    name="unrequested-replay",
    severity=Severity.ERROR,
    summary="A session was replayed although the client did not request it",
    on=("update:user_message", "update:user_message_chunk"),
    version=2,
    covers=("V2-15",),
    spec="https://agentclientprotocol.com/protocol/v2/session-setup",
    bad=transcript(
        INITIALIZE,
        INITIALIZED,
        request_line(1, "session/resume", _PARAMS),
        ECHO,
        state_line("idle"),
        result_line(1),
    ),
    good=transcript(
        INITIALIZE,
        INITIALIZED,
        request_line(1, "session/resume", _PARAMS + ', "replayFrom": {"type": "start"}'),
        ECHO,
        state_line("idle"),
        result_line(1),
    ),
)
def unrequested_replay(step: Step, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does

    In version 2, reports user messages that are replayed before the response to a `session/resume`
    without `replayFrom`.

    ## Why it matters

    A client that omits `replayFrom` already has the conversation. Every message then appears twice.

    ## Use instead

    Replay history only if the request has `replayFrom`.
    """
    session = name_of_session(step)
    resume = pending(step.state, "session/resume", session)
    if resume is None or fields(resume.params).get("replayFrom") is not None:
        return
    if (step.session and step.session.turns) or memory.get(session) == resume.seq:
        return  # the echo of a new prompt, or already reported
    remember(memory, session, resume.seq)
    yield Remark(
        "a user message was replayed, but `session/resume` had no `replayFrom`; expected no replay",
        at="/params/update",
        see=resume.seq,
        hint="replay history only if the request has `replayFrom`",
    )
