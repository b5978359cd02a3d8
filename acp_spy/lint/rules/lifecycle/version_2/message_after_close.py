"""Version 2: a closed session is silent."""

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
    answer,
    ask,
    transcript,
)
from acp_spy.wire.frame import Peer

_CLOSE = transcript(ask(3, "session/close", '"sessionId": "s1"'), answer(3))


@rule(
    code="LIF220",
    name="message-after-close",
    severity=Severity.ERROR,
    summary="The agent sent something for a session after it had closed it",
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
    The answer to `session/close` is the last word about a session on this connection. Closing also
    stops its work in the background. What comes later finds a client that has forgotten the
    session: it is dropped, and a question is never answered.

    Stop everything and send what is left, then answer.
    """
    session = step.session
    if session is None or session.closed != "close" or step.frame.sender is not Peer.AGENT:
        return
    if session.id in memory:
        return
    if not pending(step.state, "session/resume", session.id):
        remember(memory, session.id, True)
        yield Remark(
            f"`{step.method}` for session `{session.id[:80]}`, which the agent has closed",
            at="/params/sessionId",
            hint="send what is left before the answer to `session/close`",
        )
