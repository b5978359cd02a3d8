"""Unstable: `auth/status_update` reports a change."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle.version_2._examples import (
    request_line,
    result_line,
    transcript,
    version_1,
)
from acp_spy.wire.values import fields

_UPDATE = (
    '<- {"jsonrpc": "2.0", "method": "auth/status_update", "params": {"state": "authenticated"}}'
)
_OPENING = transcript(version_1('"auth": {"status": {}}'), request_line(1, "auth/status", ""))


@rule(
    code="LIF249",
    name="repeated-auth-status",
    severity=Severity.WARNING,
    summary="`auth/status_update` repeated the last status",
    on=("notification:auth/status_update", "result:auth/status"),
    covers=("UNS-09",),
    spec="https://agentclientprotocol.com/protocol/v1/draft/authentication",
    bad=transcript(_OPENING, result_line(1, '"state": "authenticated"'), _UPDATE),
    good=transcript(_OPENING, result_line(1, '"state": "unauthenticated"'), _UPDATE),
)
def repeated_auth_status(step: Step, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does

    Reports an `auth/status_update` with the same status as the last one on this connection.

    ## Why it matters

    A client may show a message for each update, or ask the user to sign in again.

    ## Use instead

    Store the last status, and send an update only when it changes.
    """
    body = fields(step.body)
    status = body.get("state"), body.get("accounts") or None
    if step.exchange is None and memory.get("last") == status and isinstance(status[0], str):
        yield Remark(
            f"`state` is still `{status[0]}`; expected an update only when the status changes",
            at="/params/state",
            see=memory["seq"],
            hint="send `auth/status_update` only when the status changes",
        )
    memory["last"], memory["seq"] = status, step.frame.seq
