"""Version 2: history is replayed to those who ask for it."""

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
    answer,
    ask,
    be,
    transcript,
)
from acp_spy.wire.values import fields

_PARAMS = '"sessionId": "s1", "cwd": "/home/dev/project"'


@rule(
    code="LIF214",
    name="unasked-replay",
    severity=Severity.ERROR,
    summary="A session was replayed though the client did not ask for it",
    on=("update:user_message", "update:user_message_chunk"),
    version=2,
    covers=("V2-15",),
    spec="https://agentclientprotocol.com/protocol/v2/session-setup",
    bad=transcript(
        INITIALIZE,
        INITIALIZED,
        ask(1, "session/resume", _PARAMS),
        ECHO,
        be("idle"),
        answer(1),
    ),
    good=transcript(
        INITIALIZE,
        INITIALIZED,
        ask(1, "session/resume", _PARAMS + ', "replayFrom": {"type": "start"}'),
        ECHO,
        be("idle"),
        answer(1),
    ),
)
def unasked_replay(step: Step, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    In version 2 `session/resume` replays history only if it has a `replayFrom`. A client that
    leaves it out has the conversation already. Told once more, every message stands there twice.

    Replay only what `replayFrom` asks for.
    """
    session = name_of_session(step)
    resume = pending(step.state, "session/resume", session)
    if resume is None or fields(resume.params).get("replayFrom") is not None:
        return
    if (step.session and step.session.turns) or memory.get(session) == resume.seq:
        return  # a prompt of this very moment; or it was told
    remember(memory, session, resume.seq)
    yield Remark(
        "a user message is replayed, but `session/resume` was asked for without `replayFrom`",
        at="/params/update",
        see=resume.seq,
        hint="replay history only for a `replayFrom`",
    )
