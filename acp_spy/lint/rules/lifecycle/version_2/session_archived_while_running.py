"""Unstable: a session is closed before it is archived."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle.version_2._examples import (
    NEW_SESSION,
    PROMPT,
    request_line,
    result_line,
    transcript,
    version_1,
)

_OPENING = transcript(
    version_1('"sessionCapabilities": {"archive": {}, "list": {}}'),
    NEW_SESSION,
    PROMPT,
    request_line(3, "session/archive", '"sessionId": "s1"'),
)


@rule(
    code="LIF243",
    name="session-archived-while-running",
    severity=Severity.ERROR,
    summary="A session was archived while a prompt was pending",
    on=("result:session/archive",),
    covers=("UNS-04",),
    spec="https://agentclientprotocol.com/protocol/v1/draft/session-list",
    bad=transcript(_OPENING, result_line(3)),
    good=transcript(_OPENING, result_line(2, '"stopReason": "cancelled"'), result_line(3)),
)
def session_archived_while_running(step: Step) -> Iterator[Remark]:
    """
    ## What it does

    Reports a response to `session/archive` while a prompt of the session is pending. Archiving an
    active session must cancel its work and end the turn first.

    ## Why it matters

    The client waits for a turn that does not end, while the agent may keep working and causing
    costs.

    ## Use instead

    Cancel the work and answer the prompt with `cancelled`, then answer `session/archive`.
    """
    session = step.session
    if session is None or session.closed or session.turn is None:
        return
    if session.state not in ("idle", None) or step.state.version != 2:
        yield Remark(
            "the session was archived while a prompt was pending;"
            " expected the end of the turn first",
            see=session.turn.exchange.seq,
            hint="cancel the turn, and report its end before the response",
        )
