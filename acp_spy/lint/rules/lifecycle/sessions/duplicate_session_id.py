"""Every new session has a new id."""

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
    summary="A new session has the id of an earlier one",
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
    ## What it does
    Reports a new session with an id that another session on this connection has or had.

    ## Why it matters
    The client mixes two conversations in one window, and prompts reach the wrong session.

    ## Use instead
    Use a unique id for each session, such as a UUID. Do not derive it from the folder or the
    process.
    """
    name = fields(step.body).get("sessionId")
    known = step.state.sessions.get(name) if isinstance(name, str) else None
    if known is not None and known.how in ("new", "load", "resume", "fork"):
        yield Remark(
            f"session id {quoted(name)} was used before; expected a new id",
            at="/result/sessionId",
            see=known.seq,
            hint="use a unique id for each session, such as a UUID",
        )
