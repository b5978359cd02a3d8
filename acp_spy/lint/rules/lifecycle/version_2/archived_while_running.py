"""Unstable: a session that is archived has come to rest."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle.version_2._examples import (
    NEW_SESSION,
    PROMPT,
    answer,
    ask,
    transcript,
    version_1,
)

_OPENING = transcript(
    version_1('"sessionCapabilities": {"archive": {}, "list": {}}'),
    NEW_SESSION,
    PROMPT,
    ask(3, "session/archive", '"sessionId": "s1"'),
)


@rule(
    code="LIF243",
    name="archived-while-running",
    severity=Severity.ERROR,
    summary="A session was archived while a prompt was still open",
    on=("result:session/archive",),
    covers=("UNS-04",),
    spec="https://agentclientprotocol.com/protocol/v1/draft/session-list",
    bad=transcript(_OPENING, answer(3)),
    good=transcript(_OPENING, answer(2, '"stopReason": "cancelled"'), answer(3)),
)
def archived_while_running(step: Step) -> Iterator[Remark]:
    """
    Archiving an active session closes it first: its work is cancelled as by `session/cancel`, and
    the open prompt is answered. An agent that only hides the session leaves the client waiting for
    the turn to end, and goes on spending money out of sight.

    Cancel the work and answer the prompt with `cancelled`, then answer `session/archive`.
    """
    session = step.session
    if session is None or session.closed or session.turn is None:
        return
    if session.state not in ("idle", None) or step.state.version != 2:
        yield Remark(
            "the session was archived while a prompt was open; the end of its turn was expected"
            " first",
            see=session.turn.exchange.seq,
            hint="cancel the turn and tell its end before the answer",
        )
