"""Version 2: the agent sends nothing for a closed session."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._pending import pending
from acp_spy.lint.rules.lifecycle.version_2._examples import (
    IDLE,
    REPLY,
    TURN,
    request_line,
    result_line,
    transcript,
)
from acp_spy.wire.frame import Peer

_CLOSE = transcript(request_line(3, "session/close", '"sessionId": "s1"'), result_line(3))


@rule(
    code="LIF220",
    name="message-after-close",
    severity=Severity.ERROR,
    summary="The agent sent a message for a closed session",
    on=(
        "notification:session/update",
        "request:session/request_permission",
        "request:elicitation/create",
    ),
    version=2,
    covers=("V2-16",),
    spec="https://agentclientprotocol.com/protocol/v2/session-setup",
    bad=transcript(TURN, IDLE, _CLOSE, REPLY),
    good=transcript(TURN, REPLY, IDLE, _CLOSE),
)
def message_after_close(step: Step, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does

    In version 2, reports updates and requests of the agent for a session after its response to
    `session/close`.

    ## Why it matters

    The client no longer knows the session. It drops updates and never answers requests.

    ## Use instead

    Stop all work, including background work, and send the remaining updates. Then answer
    `session/close`.
    """
    session = step.session
    if session is None or session.closed != "close" or step.frame.sender is not Peer.AGENT:
        return
    if session.id in memory:
        return
    if not pending(step.state, "session/resume", session.id):
        remember(memory, session.id, True)
        yield Remark(
            f"`{step.method}` for closed session `{session.id[:80]}`;"
            " expected no messages after `session/close`",
            at="/params/sessionId",
            hint="send remaining messages before the response to `session/close`",
        )
