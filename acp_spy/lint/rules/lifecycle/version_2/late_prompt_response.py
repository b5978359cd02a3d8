"""Version 2: a prompt is answered when it is accepted, not when the work is done."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._pending import pending
from acp_spy.lint.rules.lifecycle.version_2._common import name_of_session, request_seq, update_of
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
    name="late-prompt-response",
    severity=Severity.ERROR,
    summary="A prompt was answered only after its work ended",
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
def late_prompt_response(step: Step, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does

    Reports a response to `session/prompt` that comes after the work on the prompt ended. In version
    2 the response only confirms that the message was accepted; `state_update` reports the progress.

    ## Why it matters

    An agent that holds the response back, as in version 1, prevents the client from showing the
    message as sent and from sending the next one.

    ## Use instead

    Return the `messageId` as soon as the message is accepted.
    """
    session = name_of_session(step)
    if step.exchange is not None:
        message = fields(step.body).get("messageId")
        if isinstance(message, str) and memory.pop((session, message), False):
            yield Remark(
                f"the response came after the work on message `{message}` ended;"
                " expected it when the message was accepted",
                see=request_seq(step),
                hint="answer when the message is accepted, and report the end with `state_update`",
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
