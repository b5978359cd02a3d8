"""Version 2: a session becomes idle before it is closed."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle.version_2._common import BUSY, request_seq
from acp_spy.lint.rules.lifecycle.version_2._examples import (
    TURN,
    request_line,
    result_line,
    state_line,
    transcript,
)

_CLOSE = request_line(3, "session/close", '"sessionId": "s1"')


@rule(
    code="LIF216",
    name="session-closed-while-running",
    severity=Severity.ERROR,
    summary="A session was closed before its work was reported as cancelled",
    on=("result:session/close",),
    version=2,
    covers=("V2-16",),
    spec="https://agentclientprotocol.com/protocol/v2/session-setup",
    bad=transcript(TURN, _CLOSE, result_line(3)),
    good=transcript(
        TURN, _CLOSE, state_line("idle", ', "stopReason": "cancelled"'), result_line(3)
    ),
)
def session_closed_while_running(step: Step) -> Iterator[Remark]:
    """
    ## What it does

    In version 2, reports a response to `session/close` while the session is running or requires
    action. Closing cancels the work; the agent must report `idle` with `cancelled` first.

    ## Why it matters

    After the response the agent may not send updates for the session. The client never learns how
    the work ended.

    ## Use instead

    Stop the work and report `idle` with `cancelled`, then answer.
    """
    if step.session is not None and step.session.state in BUSY:
        yield Remark(
            f"the session was closed while `{step.session.state}`;"
            " expected `idle` with `cancelled` first",
            see=request_seq(step),
            hint="report `idle` with `cancelled` before the response",
        )
