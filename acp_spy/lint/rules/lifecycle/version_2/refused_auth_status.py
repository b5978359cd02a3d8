"""Unstable: whether a login is needed can be asked without one."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle.version_2._common import asked_at
from acp_spy.lint.rules.lifecycle.version_2._examples import (
    answer,
    ask,
    refuse,
    transcript,
    version_1,
)
from acp_spy.wire.values import fields

_AUTH_REQUIRED = -32000
_OPENING = transcript(version_1('"auth": {"status": {}}'), ask(1, "auth/status", ""))


@rule(
    code="LIF248",
    name="refused-auth-status",
    severity=Severity.ERROR,
    summary="`auth/status` was refused because nobody was signed in",
    on=("error:auth/status",),
    covers=("UNS-08",),
    spec="https://agentclientprotocol.com/protocol/v1/draft/authentication",
    bad=transcript(_OPENING, refuse(1, '"code": -32000, "message": "Authentication required"')),
    good=transcript(_OPENING, answer(1, '"state": "unauthenticated"')),
)
def refused_auth_status(step: Step) -> Iterator[Remark]:
    """
    A client calls `auth/status` to learn whether its user has to sign in. The error -32000 says so
    too, but a client takes it for a failure of the question and shows it as one.

    Answer with `"state": "unauthenticated"`.
    """
    if fields(step.body).get("code") == _AUTH_REQUIRED:
        yield Remark(
            '`auth/status` was refused with -32000; `"state": "unauthenticated"` was expected',
            at="/error/code",
            see=asked_at(step),
            hint='answer with `"state": "unauthenticated"`',
        )
