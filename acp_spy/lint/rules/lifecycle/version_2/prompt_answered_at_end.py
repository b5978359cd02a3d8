"""Version 2: a prompt is answered when it is accepted, not when the work is done."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._pending import pending
from acp_spy.lint.rules.lifecycle.version_2._common import asked_at, name_of_session, update_of
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
from acp_spy.wire.values import fields


@rule(
    code="LIF203",
    name="prompt-answered-at-end",
    severity=Severity.ERROR,
    summary="A prompt was answered only after its work had ended",
    on=(
        "result:session/prompt",
        "update:user_message",
        "update:user_message_chunk",
        "update:state_update",
    ),
    version=2,
    covers=("V2-05",),
    spec="https://agentclientprotocol.com/protocol/v2/prompt-lifecycle#2-prompt-accepted",
    bad=transcript(SESSION, PROMPT, ECHO, RUNNING, REPLY, IDLE, ACCEPTED),
    good=transcript(SESSION, PROMPT, ECHO, ACCEPTED, RUNNING, REPLY, IDLE),
)
def prompt_answered_at_end(step: Step, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    In version 2 the answer to `session/prompt` says that the message has become part of the
    conversation, and no more. That the work goes on or has ended is told by `state_update`. An
    agent that holds its answer back until the end, as version 1 wants it, keeps the client from
    showing the message as sent and from sending the next one.

    Answer with the `messageId` as soon as the message is inserted.
    """
    session = name_of_session(step)
    if step.exchange is not None:
        message = fields(step.body).get("messageId")
        if isinstance(message, str) and memory.pop((session, message), False):
            yield Remark(
                f"the prompt was answered after the work on message `{message}` had ended;"
                " the answer was expected when it was accepted",
                see=asked_at(step),
                hint="answer when the message is inserted, and tell the end by `state_update`",
            )
        return
    update = update_of(step)
    if update.get("sessionUpdate") == "state_update":
        if update.get("state") == "idle" and update.get("stopReason") is not None:
            for key in memory:
                if key[0] == session:
                    memory[key] = True
        return
    message = update.get("messageId")
    if isinstance(message, str) and pending(step.state, "session/prompt", session):
        remember(memory, (session, message), memory.get((session, message), False))
