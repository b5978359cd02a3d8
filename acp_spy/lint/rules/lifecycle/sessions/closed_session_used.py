"""A closed session is not used."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Ending, Session, Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._common import AGENT_REQUESTS, is_opening, quoted
from acp_spy.lint.rules.lifecycle._examples import HANDSHAKE, NEW_SESSION, PROMPT, transcript
from acp_spy.lint.rules.lifecycle._reading import is_first
from acp_spy.protocol import events as ev
from acp_spy.wire.frame import Peer

_CLEANUP = ("terminal/kill", "terminal/release")
_CLOSED = """
    -> {"jsonrpc": "2.0", "id": 3, "method": "session/close", "params": {"sessionId": "s1"}}
    <- {"jsonrpc": "2.0", "id": 3, "result": {}}
"""
_RESUMED = """
    -> {"jsonrpc": "2.0", "id": 4, "method": "session/resume", "params": {"sessionId": "s1", "cwd": "/home/dev/project", "mcpServers": []}}
    <- {"jsonrpc": "2.0", "id": 4, "result": {}}
"""


@rule(
    code="LIF030",
    name="closed-session-used",
    severity=Severity.ERROR,
    summary="A message names a session that was closed or deleted",
    on=(
        "request:session/prompt",
        "request:session/set_mode",
        "request:session/set_config_option",
        *(f"request:{name}" for name in AGENT_REQUESTS if name not in _CLEANUP),
        "SessionAsked",
        "end",
    ),
    covers=("SES-25",),
    spec="https://agentclientprotocol.com/protocol/session-setup#closing-active-sessions",
    bad=transcript(HANDSHAKE, NEW_SESSION, _CLOSED, PROMPT),
    good=transcript(HANDSHAKE, NEW_SESSION, _CLOSED, _RESUMED, PROMPT),
)
def closed_session_used(moment: Step | Ending, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does
    Reports messages of either peer for a session after `session/close` or `session/delete` was
    answered, once per session. The agent may still kill and release terminals.

    ## Why it matters
    The agent keeps nothing of a closed session. If it still sends updates, it has work running that
    nobody can see or stop.

    ## Use instead
    Load or resume the session before using it again. In the agent, stop all work before answering.
    """
    if isinstance(moment, Ending):
        for each in moment.state.sessions.values() if not moment.state.is_draft else ():
            yield from _updates(each, memory)
        return
    session = moment.session
    if session is None or not session.closed:
        return
    if isinstance(moment.event, ev.SessionAsked):
        if not moment.state.is_draft:
            yield from _updates(session, memory)
        remember(memory, _key(session))  # what comes now may be its history
        return
    is_agent = moment.frame.sender is Peer.AGENT
    if is_agent and moment.state.is_draft:
        return  # LIF220 reports it
    if not is_opening(moment.state, session.id) and is_first(memory, _key(session)):
        expected = "no more requests" if is_agent else "the session to be loaded or resumed first"
        yield Remark(
            f"`{moment.method}` names session {quoted(session.id)} after"
            f" `session/{session.closed}`; expected {expected}",
            at="/params/sessionId",
            see=session.seq,
            hint="stop the work of the session before answering"
            if is_agent
            else "load or resume the session before using it again",
        )


def _updates(session: Session, memory: dict[Any, Any]) -> Iterator[Remark]:
    """Report the first update since the session was closed, once it is not about to be opened."""
    if session.after_close is not None and _key(session) not in memory:
        yield Remark(
            f"the agent sent an update for session {quoted(session.id)} after it answered"
            f" `session/{session.closed}`; expected none",
            at="/params/sessionId",
            on=session.after_close,
            blame=Peer.AGENT,
            severity=Severity.WARNING,
            hint="stop the work of the session before answering",
        )


def _key(session: Session) -> tuple[str, int]:
    """Return what names a session until it is opened again."""
    return session.id, session.seq
