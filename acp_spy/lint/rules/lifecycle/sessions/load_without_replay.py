"""`session/load` replays the conversation."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._examples import (
    CHUNK,
    END_TURN,
    HANDSHAKE,
    NEW_SESSION,
    PROMPT,
    transcript,
)
from acp_spy.wire.jsonrpc import Request

_LOAD = """
    -> {"jsonrpc": "2.0", "id": 3, "method": "session/load", "params": {"sessionId": "s1", "cwd": "/home/dev/project", "mcpServers": []}}
"""
_LOADED = """
    <- {"jsonrpc": "2.0", "id": 3, "result": {}}
"""
_HISTORY = """
    <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "user_message_chunk", "content": {"type": "text", "text": "Fix the test"}}}}
"""


@rule(
    code="LIF024",
    name="load-without-replay",
    severity=Severity.ERROR,
    summary="A session was loaded without its history",
    on=("request:session/load", "result:session/load"),
    covers=("SES-08",),
    spec="https://agentclientprotocol.com/protocol/session-setup#loading-sessions",
    bad=transcript(HANDSHAKE, NEW_SESSION, PROMPT, CHUNK, END_TURN, _LOAD, _LOADED),
    good=transcript(
        HANDSHAKE, NEW_SESSION, PROMPT, CHUNK, END_TURN, _LOAD, _HISTORY, CHUNK, _LOADED
    ),
)
def load_without_replay(step: Step, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does
    Reports a result of `session/load` without any replayed update, for a session that had a turn on
    this connection. Other sessions may have had nothing to replay.

    ## Why it matters
    `session/load` replays the whole conversation as `session/update` notifications, so that the
    client can show it. Without the replay, the user sees an empty conversation.

    ## Use instead
    Send the conversation as `session/update` notifications, then the result. If the agent cannot
    replay, offer `session/resume` instead.
    """
    session = step.session
    if isinstance(step.message, Request):
        if session is not None and session.turn_count and not session.turns:
            replayed = session.stray.count if session.stray else 0
            remember(memory, session.id, (step.frame.seq, replayed))
        return
    asked, replayed = memory.pop(session.id, (0, 0)) if session else (0, 0)
    if session is None or step.exchange is None or asked != step.exchange.seq:
        return
    if (session.stray.count if session.stray else 0) == replayed:
        yield Remark(
            "`session/load` was answered without any update, although the session had"
            f" {session.turn_count} turn{'s' if session.turn_count > 1 else ''}; expected its"
            " history first",
            at="/result",
            see=asked,
            hint="send the conversation as `session/update` notifications, then the result",
        )
