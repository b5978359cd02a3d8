"""`session/load` replays the conversation."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Ending, Exchange, Session, Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._examples import (
    CHUNK,
    END_TURN,
    HANDSHAKE,
    NEW_SESSION,
    PROMPT,
    transcript,
)
from acp_spy.lint.rules.lifecycle._strays import MOMENTS
from acp_spy.units import counted
from acp_spy.wire.frame import Peer
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
    on=("request:session/load", "result:session/load", *MOMENTS),
    covers=("SES-08",),
    spec="https://agentclientprotocol.com/protocol/session-setup#loading-sessions",
    bad=transcript(HANDSHAKE, NEW_SESSION, PROMPT, CHUNK, END_TURN, _LOAD, _LOADED),
    good=transcript(
        HANDSHAKE, NEW_SESSION, PROMPT, CHUNK, END_TURN, _LOAD, _HISTORY, CHUNK, _LOADED
    ),
)
def load_without_replay(moment: Step | Ending, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does
    Reports a result of `session/load` without any replayed update, for a session that had a turn on
    this connection. Other sessions may have had nothing to replay. Over HTTP, where updates may
    come after the response, they are waited for until the next turn.

    ## Why it matters
    `session/load` replays the whole conversation as `session/update` notifications, so that the
    client can show it. Without the replay, the user sees an empty conversation.

    ## Use instead
    Send the conversation as `session/update` notifications, then the result. If the agent cannot
    replay, offer `session/resume` instead.
    """
    if moment.__class__ is not Step:  # to ask for the type is a call
        for one in moment.state.sessions.values():
            yield from _judge_late(one, memory)
    elif moment.session is not None:
        if memory:
            yield from _judge_late(moment.session, memory)
        if moment.exchange is not None and moment.exchange.method == "session/load":
            yield from _judge(moment, moment.exchange, moment.session, memory)


def _judge(
    step: Step, exchange: Exchange, session: Session, memory: dict[Any, Any]
) -> Iterator[Remark]:
    """Report a load whose history has not come, unless it may come by another stream."""
    if isinstance(step.message, Request):
        if session.turn_count and not session.turns:
            remember(memory, session.id, (step.frame.seq, _replayed(session)))
        return
    asked, replayed = memory.pop(session.id, (0, 0))
    if asked != exchange.seq or _replayed(session) != replayed:
        return
    via = step.frame.via
    if via is not None and via.may_overtake_updates:
        remember(memory, (session.id, "late"), (step.frame.seq, asked))
    else:
        yield _remark(session, step.frame.seq, asked)


def _judge_late(session: Session, memory: dict[Any, Any]) -> Iterator[Remark]:
    """Report a load whose history did not come after the response either."""
    answered, asked = memory.pop((session.id, "late"), (0, 0))
    if answered and not _replayed(session):
        yield _remark(session, answered, asked)


def _replayed(session: Session) -> int:
    """Return how many updates have come outside of a turn."""
    return session.stray.count if session.stray else 0


def _remark(session: Session, answered: int, asked: int) -> Remark:
    return Remark(
        "`session/load` was answered without any update, although the session had"
        f" {counted(session.turn_count, 'turn')}; expected its history first",
        at="/result",
        on=answered,
        blame=Peer.AGENT,
        see=asked,
        hint="send the conversation as `session/update` notifications, then the result",
    )
