"""Unstable: `auth/status` works without a login."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle.version_2._common import request_seq
from acp_spy.lint.rules.lifecycle.version_2._examples import (
    error_line,
    request_line,
    result_line,
    transcript,
    version_1,
)
from acp_spy.protocol.names import AUTH_REQUIRED
from acp_spy.wire.values import fields

_OPENING = transcript(version_1('"auth": {"status": {}}'), request_line(1, "auth/status", ""))


@rule(
    code="LIF248",
    name="auth-status-error",
    severity=Severity.ERROR,
    summary="`auth/status` failed because the user was not signed in",
    on=("error:auth/status",),
    covers=("UNS-08",),
    spec="https://agentclientprotocol.com/protocol/v1/draft/authentication",
    bad=transcript(_OPENING, error_line(1, '"code": -32000, "message": "Authentication required"')),
    good=transcript(_OPENING, result_line(1, '"state": "unauthenticated"')),
)
def auth_status_error(step: Step) -> Iterator[Remark]:
    """
    ## What it does

    Reports `auth/status` that fails with -32000 (authentication required).

    ## Why it matters

    A client calls `auth/status` to learn whether the user must sign in. It shows the error as a
    failure.

    ## Use instead

    Return `"state": "unauthenticated"`.
    """
    if fields(step.body).get("code") == AUTH_REQUIRED:
        yield Remark(
            '`auth/status` failed with -32000; expected `"state": "unauthenticated"`',
            at="/error/code",
            see=request_seq(step),
            hint='return `"state": "unauthenticated"`',
        )
