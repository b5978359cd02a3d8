"""Version 2: a session that is closed has come to rest."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle.version_2._common import BUSY, asked_at
from acp_spy.lint.rules.lifecycle.version_2._examples import TURN, answer, ask, be, transcript

_CLOSE = ask(3, "session/close", '"sessionId": "s1"')


@rule(
    code="LIF216",
    name="closed-while-running",
    severity=Severity.ERROR,
    summary="A session was closed before its work was reported as cancelled",
    on=("result:session/close",),
    version=2,
    covers=("V2-16",),
    spec="https://agentclientprotocol.com/protocol/v2/session-setup",
    bad=transcript(TURN, _CLOSE, answer(3)),
    good=transcript(TURN, _CLOSE, be("idle", ', "stopReason": "cancelled"'), answer(3)),
)
def closed_while_running(step: Step) -> Iterator[Remark]:
    """
    Closing a session cancels its work. The agent sends the last updates and an `idle` with the stop
    reason `cancelled`, and answers `session/close` after that: from the answer on it may not say
    anything about the session. Without the `idle` the client never learns how the work ended.

    Finish the work and report it, then answer.
    """
    if step.session is not None and step.session.state in BUSY:
        yield Remark(
            f"the session was closed while `{step.session.state}`; an `idle` with `cancelled`"
            " was expected first",
            see=asked_at(step),
            hint="report `idle` with the stop reason `cancelled` before the answer",
        )
