"""Unstable: the error for an unknown session names the session."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle.version_2._common import request_params, request_seq
from acp_spy.lint.rules.lifecycle.version_2._examples import (
    error_line,
    request_line,
    transcript,
    version_1,
)
from acp_spy.wire.values import fields

_NOT_FOUND = -32002
_OPENING = transcript(
    version_1('"sessionCapabilities": {"status": {}}'),
    request_line(1, "session/status", '"sessionId": "s9"'),
)


@rule(
    code="LIF244",
    name="unknown-session-error-without-id",
    severity=Severity.WARNING,
    summary="The error for an unknown session does not name it",
    on=("error:session/status",),
    covers=("UNS-05",),
    spec="https://agentclientprotocol.com/protocol/v1/draft/session-list",
    bad=transcript(_OPENING, error_line(1, '"code": -32002, "message": "Session not found"')),
    good=transcript(
        _OPENING,
        error_line(
            1, '"code": -32002, "message": "Session not found", "data": {"sessionId": "s9"}'
        ),
    ),
)
def unknown_session_error_without_id(step: Step) -> Iterator[Remark]:
    """
    ## What it does

    Reports error -32002 for `session/status` without `data.sessionId`.

    ## Why it matters

    Error -32002 is also used for files. Without the id the client cannot know that the session is
    missing, and keeps it in its list.

    ## Use instead

    Add `"data": {"sessionId": ...}` to the error.
    """
    error, requested = fields(step.body), request_params(step).get("sessionId")
    if error.get("code") != _NOT_FOUND or not isinstance(requested, str):
        return
    if fields(error.get("data")).get("sessionId") != requested:
        yield Remark(
            f"the error for unknown session `{requested[:80]}` does not name it;"
            " expected `data.sessionId`",
            at="/error",
            see=request_seq(step),
            hint="repeat the id of the session in `data.sessionId`",
        )
