"""Unstable: who does not know a session says which."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle.version_2._common import asked, asked_at
from acp_spy.lint.rules.lifecycle.version_2._examples import ask, refuse, transcript, version_1
from acp_spy.wire.values import fields

_NOT_FOUND = -32002
_OPENING = transcript(
    version_1('"sessionCapabilities": {"status": {}}'),
    ask(1, "session/status", '"sessionId": "s9"'),
)


@rule(
    code="LIF244",
    name="unknown-session-without-id",
    severity=Severity.WARNING,
    summary="An unknown session was refused without its id",
    on=("error:session/status",),
    covers=("UNS-05",),
    spec="https://agentclientprotocol.com/protocol/v1/draft/session-list",
    bad=transcript(_OPENING, refuse(1, '"code": -32002, "message": "Session not found"')),
    good=transcript(
        _OPENING,
        refuse(1, '"code": -32002, "message": "Session not found", "data": {"sessionId": "s9"}'),
    ),
)
def unknown_session_without_id(step: Step) -> Iterator[Remark]:
    """
    An agent that does not know the session of a `session/status` answers with -32002, and repeats
    the id in `data.sessionId`. Error -32002 is also used for files: without the id a client cannot
    tell that it is the session which is gone, and keeps it in its list.

    Add `"data": {"sessionId": ...}` to the error.
    """
    error, wanted = fields(step.body), asked(step).get("sessionId")
    if error.get("code") != _NOT_FOUND or not isinstance(wanted, str):
        return
    if fields(error.get("data")).get("sessionId") != wanted:
        yield Remark(
            f"session `{wanted[:80]}` is unknown, but the error has no `data.sessionId` to say so",
            at="/error",
            see=asked_at(step),
            hint="repeat the id of the session in `data.sessionId`",
        )
