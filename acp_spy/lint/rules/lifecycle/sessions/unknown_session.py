"""Sessions are opened before they are used."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Conversation, Ending, Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._common import is_opening, quoted
from acp_spy.lint.rules.lifecycle._examples import HANDSHAKE, NEW_SESSION, PROMPT, transcript
from acp_spy.lint.rules.lifecycle._lost_frames import named
from acp_spy.protocol import events as ev
from acp_spy.wire.frame import Peer
from acp_spy.wire.jsonrpc import Request, Response, Unreadable
from acp_spy.wire.values import fields

_BLIND = "an answer that opened a session could not be read"


@rule(
    code="LIF029",
    name="unknown-session",
    severity=Severity.ERROR,
    summary="A message names a session that nobody opened",
    on=(
        "request:session/prompt",
        "request:session/set_mode",
        "request:session/set_config_option",
        "notification:session/cancel",
        "SessionAsked",
        "TurnStarted",
        "result:session/new",
        "result:session/fork",
        "unmatched",
        "lost",
        "end",
    ),
    covers=("SES-25",),
    spec="https://agentclientprotocol.com/protocol/session-setup#session-id",
    bad=transcript(
        HANDSHAKE,
        NEW_SESSION,
        """
        -> {"jsonrpc": "2.0", "id": 2, "method": "session/prompt", "params": {"sessionId": "S1", "prompt": [{"type": "text", "text": "Fix the test"}]}}
        """,
    ),
    good=transcript(HANDSHAKE, NEW_SESSION, PROMPT),
)
def unknown_session(moment: Step | Ending, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    The id of a session comes from the agent, by `session/new`, `session/fork` or `session/list`, and
    is good on the connection where the session was opened. After a restart of the agent, the
    client has to load or resume the session first. The other peer can only refuse, or drop, what
    names another id. Reported once for each id, unless the answer that gave it was broken.
    """
    if isinstance(moment, Ending):
        yield from _updates(moment, memory)
        return
    step = moment
    if isinstance(step.message, Response | Unreadable) and step.frame.sender is Peer.AGENT:
        for given in named(step, "sessionId"):
            remember(memory, (given,), True)
    if isinstance(step.message, Unreadable):
        return
    if isinstance(step.message, Response):
        if not isinstance(fields(step.body).get("sessionId"), str):
            memory[_BLIND] = True
        return
    key, name = _named(step)
    if not isinstance(name, str) or _BLIND in memory or (name,) in memory:
        return
    if isinstance(step.event, ev.SessionAsked):
        remember(memory, (name,), True)
    elif (step.session is None or step.session.how == "used") and not is_opening(step.state, name):
        remember(memory, (name,), True)
        yield Remark(
            f"`{step.method}` names session {quoted(name)}, which was never opened here",
            at=f"/params/{key}",
            hint="use the id that `session/new` returned, or load the session first",
        )


def _named(step: Step) -> tuple[str, Any]:
    """Return the key by which a message names a session, and the name; none for a lost prompt."""
    keys = _keys(step.state, step.frame.sender)
    key = next((key for key in keys if key in fields(step.body)), keys[0])
    if isinstance(step.event, ev.TurnStarted) and not isinstance(step.message, Request):
        return key, None  # nobody can answer it, which is told elsewhere
    return key, fields(step.body).get(key)


def _keys(state: Conversation, sender: Peer) -> tuple[str, ...]:
    """Return the keys under which a peer names sessions, the likeliest first."""
    dialect = state.dialects.understood(sender)
    return dialect.session_keys if dialect else ("sessionId",)


def _updates(ending: Ending, memory: dict[Any, Any]) -> Iterator[Remark]:
    """Judge updates for sessions that did not turn out to be anybody's."""
    opening = any(
        e.method in ("session/new", "session/fork") for e in ending.state.pending.values()
    )
    for session in ending.state.sessions.values():
        if session.id == ev.ONLY_SESSION:
            continue
        if session.how == "used" and not opening and not memory.keys() & {_BLIND, (session.id,)}:
            yield Remark(
                f"session {quoted(session.id)} was never opened here, yet the agent speaks in it",
                at=f"/params/{_keys(ending.state, Peer.AGENT)[-1]}",
                on=session.seq,
                blame=Peer.AGENT,
                hint="send updates under the id that `session/new` returned",
            )
