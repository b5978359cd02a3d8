"""Messages of the user and of the agent have different ids."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Ending, Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._common import quoted
from acp_spy.lint.rules.lifecycle._examples import (
    END_TURN,
    HANDSHAKE,
    NEW_SESSION,
    PROMPT,
    transcript,
)
from acp_spy.wire.frame import Peer

_ECHO = """
    <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "user_message_chunk", "messageId": "m1", "content": {"type": "text", "text": "Fix the test"}}}}
"""


@rule(
    code="LIF053",
    name="shared-message-id",
    severity=Severity.WARNING,
    summary="A message of the user and one of the agent have the same id",
    on=("TurnEnded", "SessionAsked", "SessionOpened", "end"),
    covers=("PRM-08",),
    spec="https://agentclientprotocol.com/protocol/prompt-turn",
    bad=transcript(
        HANDSHAKE,
        NEW_SESSION,
        PROMPT,
        _ECHO,
        """
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "agent_message_chunk", "messageId": "m1", "content": {"type": "text", "text": "Done."}}}}
        """,
        END_TURN,
    ),
    good=transcript(
        HANDSHAKE,
        NEW_SESSION,
        PROMPT,
        _ECHO,
        """
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "agent_message_chunk", "messageId": "m2", "content": {"type": "text", "text": "Done."}}}}
        """,
        END_TURN,
    ),
)
def shared_message_id(moment: Step | Ending, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does
    Reports a `messageId` that is used for text of the user and of the agent, once per session.
    Thoughts may have the id of the text that they lead to.

    ## Why it matters
    Chunks with the same `messageId` are one message. Clients join the user's text and the agent's.

    ## Use instead
    Give each message its own `messageId`.
    """
    if isinstance(moment, Step):
        sessions = [moment.session] if moment.session else []
    else:
        sessions = list(moment.state.sessions.values())
    for session in sessions:
        mixed = session.mixed_message
        if mixed is not None and session.id not in memory:
            remember(memory, session.id, True)
            yield Remark(
                f"message id {quoted(mixed.id)} is used for the user and for the agent; expected one id per"
                " message",
                at="/params/update/messageId",
                on=mixed.seq,
                see=mixed.first_seq,
                blame=Peer.AGENT,
                hint="give the agent's message another `messageId` than the prompt",
            )
