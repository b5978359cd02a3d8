"""Unstable: news of the login is news."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle.version_2._examples import answer, ask, transcript, version_1
from acp_spy.wire.values import fields

_UPDATE = (
    '<- {"jsonrpc": "2.0", "method": "auth/status_update", "params": {"state": "authenticated"}}'
)
_OPENING = transcript(version_1('"auth": {"status": {}}'), ask(1, "auth/status", ""))


@rule(
    code="LIF249",
    name="repeated-auth-status",
    severity=Severity.WARNING,
    summary="`auth/status_update` told what was known",
    on=("notification:auth/status_update", "result:auth/status"),
    covers=("UNS-09",),
    spec="https://agentclientprotocol.com/protocol/v1/draft/authentication",
    bad=transcript(_OPENING, answer(1, '"state": "authenticated"'), _UPDATE),
    good=transcript(_OPENING, answer(1, '"state": "unauthenticated"'), _UPDATE),
)
def repeated_auth_status(step: Step, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    An agent should send `auth/status_update` only when the status is another than the last one that
    it told on this connection. A client may greet each one with a message, or ask its user again.

    Keep what you sent last, and send only what differs.
    """
    body = fields(step.body)
    status = body.get("state"), body.get("accounts") or None
    if step.exchange is None and memory.get("last") == status and isinstance(status[0], str):
        yield Remark(
            f"the status is still `{status[0]}`, as told before; an update was expected only when"
            " it changes",
            at="/params/state",
            see=memory["seq"],
            hint="send it only when the status differs from the last one",
        )
    memory["last"], memory["seq"] = status, step.frame.seq
