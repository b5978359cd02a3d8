"""A session is opened before it is used."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Conversation, Ending, Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._common import AGENT_REQUESTS, is_opening, quoted
from acp_spy.lint.rules.lifecycle._examples import HANDSHAKE, NEW_SESSION, PROMPT, transcript
from acp_spy.lint.rules.lifecycle._lost_frames import named
from acp_spy.protocol import events as ev
from acp_spy.wire.frame import Peer
from acp_spy.wire.jsonrpc import Request, Response, Unreadable
from acp_spy.wire.values import fields

_BLIND = "a response that opened a session could not be read"
_GIVEN = "an id in a response of the agent"
_HELD = "messages of the agent while the id of a new session is not known"


@rule(
    code="LIF029",
    name="unknown-session",
    severity=Severity.ERROR,
    summary="A message names a session that was never opened",
    on=(
        "request:session/prompt",
        "request:session/set_mode",
        "request:session/set_config_option",
        "request:session/close",
        "notification:session/cancel",
        "SessionAsked",
        "TurnStarted",
        "result:session/new",
        "result:session/fork",
        "unopened",
        *(f"request:{name}" for name in AGENT_REQUESTS),
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
    ## What it does
    Reports messages of either peer with a session id that was not opened on this connection: prompts
    and settings of the client, and `session/close` (a warning); updates, permission, file and
    terminal requests of the agent. Each id is reported once, and not at all if the response that
    contains it could not be read.

    ## Why it matters
    A session id comes from the agent and is valid only on the connection where the session was
    opened. The other peer can only refuse or drop the message.

    ## Use instead
    Use the id that `session/new` returned. After a restart of the agent, load or resume the session
    first.
    """
    if not isinstance(moment, Step):
        yield from _updates(moment, memory)
        return
    step = moment
    if type(step.message) in (Response, Unreadable):
        _note_given(step, memory)
        if memory.get(_HELD) and not step.state.pending.is_opening(step.exchange):
            yield from _held(step.state, memory)
        return
    if step.method == "session/update" and _has_subagents(step.state):
        return  # it may be one that is announced later: see `_updates`
    key, name = _named(step)
    if not isinstance(name, str) or _BLIND in memory:
        return
    if (name,) in memory and not _is_early(step, name, memory):
        return
    if isinstance(step.event, ev.SessionAsked):
        remember(memory, (name,), True)
    elif (step.session is None or step.session.how == "used") and not is_opening(step.state, name):
        remember(memory, (name,), True)
        remark = _remark(step, key, name)
        if step.frame.sender is Peer.AGENT and step.state.pending.is_opening():
            remember(memory.setdefault(_HELD, {}), name, remark)  # the response may name it
        else:
            yield remark


def _is_early(step: Step, name: str, memory: dict[Any, Any]) -> bool:
    """Return whether the client uses the id of a session that the agent has yet to open."""
    held = memory.get(_HELD, {})
    return step.frame.sender is Peer.CLIENT and held.pop(name, None) is not None


def _note_given(step: Step, memory: dict[Any, Any]) -> None:
    """Remember the ids in a response, and whether one that opens a session has none."""
    if step.frame.sender is Peer.AGENT:
        for given in named(step, "sessionId"):
            remember(memory, (given,), _GIVEN)
    is_response = isinstance(step.message, Response)
    if is_response and not isinstance(fields(step.body).get("sessionId"), str):
        memory[_BLIND] = True


def _remark(step: Step, key: str, name: str) -> Remark:
    if step.method == "session/update":
        return _update_remark(name, key, step.frame.seq)
    is_agent = step.frame.sender is Peer.AGENT
    return Remark(
        f"`{step.method}` names session {quoted(name)}, which was never opened on this connection",
        at=f"/params/{key}",
        on=step.frame.seq,
        blame=step.frame.sender,
        severity=Severity.WARNING if step.method == "session/close" else None,
        hint="use the id that `session/new` returned"
        + ("" if is_agent else ", or load the session first"),
    )


def _update_remark(name: str, key: str, seq: int) -> Remark:
    return Remark(
        f"the agent sent an update for session {quoted(name)}, which was never opened on this"
        " connection",
        at=f"/params/{key}",
        on=seq,
        blame=Peer.AGENT,
        hint="send updates under the id that `session/new` returned",
    )


def _named(step: Step) -> tuple[str, Any]:
    """Return the field in which a message names a session, and the id; none for a lost prompt."""
    keys = _keys(step.state, step.frame.sender)
    key = next((key for key in keys if key in fields(step.body)), keys[0])
    if isinstance(step.event, ev.TurnStarted) and not isinstance(step.message, Request):
        return key, None  # it cannot be answered, which RPC014 reports
    return key, fields(step.body).get(key)


def _keys(state: Conversation, sender: Peer) -> tuple[str, ...]:
    """Return the fields in which a peer names sessions, the likeliest first."""
    dialect = state.dialects.understood(sender)
    return dialect.session_keys if dialect else ("sessionId",)


def _has_subagents(state: Conversation) -> bool:
    return "subagents" in fields(state.capabilities.get(Peer.CLIENT))


def _held(state: Conversation, memory: dict[Any, Any]) -> Iterator[Remark]:
    """Report what waited for the id of a new session, and named another."""
    for name, remark in memory.pop(_HELD, {}).items():
        known = state.sessions.get(name)
        is_given = memory.get((name,)) == _GIVEN
        if _BLIND not in memory and not is_given and (known is None or known.how == "used"):
            yield remark


def _updates(ending: Ending, memory: dict[Any, Any]) -> Iterator[Remark]:
    """Report the rest at the end: updates of what may be a subagent, and those of a dialect."""
    if ending.state.pending.is_opening() or _BLIND in memory:
        return
    yield from _held(ending.state, memory)
    key = _keys(ending.state, Peer.AGENT)[-1]
    for session in ending.state.sessions.values():
        is_reported = session.id == ev.ONLY_SESSION or (session.id,) in memory
        if session.how == "used" and not is_reported:
            yield _update_remark(session.id, key, session.seq)
