"""A new session has a name of its own."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._common import quoted
from acp_spy.lint.rules.lifecycle._examples import HANDSHAKE, NEW_SESSION, transcript
from acp_spy.wire.values import fields


@rule(
    code="LIF020",
    name="duplicate-session-id",
    severity=Severity.ERROR,
    summary="A new session got the id of an earlier one",
    on=("result:session/new", "result:session/fork"),
    covers=("SES-02",),
    spec="https://agentclientprotocol.com/protocol/session-setup#creating-a-session",
    bad=transcript(
        HANDSHAKE,
        NEW_SESSION,
        """
        -> {"jsonrpc": "2.0", "id": 2, "method": "session/new", "params": {"cwd": "/home/dev/other", "mcpServers": []}}
        <- {"jsonrpc": "2.0", "id": 2, "result": {"sessionId": "s1"}}
        """,
    ),
    good=transcript(
        HANDSHAKE,
        NEW_SESSION,
        """
        -> {"jsonrpc": "2.0", "id": 2, "method": "session/new", "params": {"cwd": "/home/dev/other", "mcpServers": []}}
        <- {"jsonrpc": "2.0", "id": 2, "result": {"sessionId": "s2"}}
        """,
    ),
)
def duplicate_session_id(step: Step) -> Iterator[Remark]:
    """
    Every new session needs an id that no other session has or had. With the same id twice, the
    client mixes two conversations in one window, and prompts reach the wrong one.

    Do not derive the id from the folder or the process; a random one will do.
    """
    name = fields(step.body).get("sessionId")
    known = step.state.sessions.get(name) if isinstance(name, str) else None
    if known is not None and known.how in ("new", "load", "resume", "fork"):
        yield Remark(
            f"{quoted(name)} is the id of an earlier session; a new session needs a new one",
            at="/result/sessionId",
            see=known.seq,
            hint="make each session's id unique, for example a UUID",
        )
