"""Only what was asked can be completed."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._opening import PROMPT
from acp_spy.wire.values import fields

_ASKED = (
    PROMPT
    + """
        <- {"jsonrpc": "2.0", "id": 0, "method": "elicitation/create", "params": {"sessionId": "s1", "mode": "url", "message": "Sign in", "elicitationId": "e1", "url": "https://example.com/login"}}
        -> {"jsonrpc": "2.0", "id": 0, "result": {"action": "accept"}}
"""
)


@rule(
    code="LIF144",
    name="unknown-elicitation",
    severity=Severity.ERROR,
    summary="An elicitation was completed that was never asked",
    on=("request:elicitation/create", "notification:elicitation/complete"),
    covers=("ELI-13",),
    spec="https://agentclientprotocol.com/protocol/elicitation",
    bad=_ASKED
    + """
        <- {"jsonrpc": "2.0", "method": "elicitation/complete", "params": {"elicitationId": "login"}}
""",
    good=_ASKED
    + """
        <- {"jsonrpc": "2.0", "method": "elicitation/complete", "params": {"elicitationId": "e1"}}
""",
)
def unknown_elicitation(step: Step, asked: dict[Any, Any]) -> Iterator[Remark]:
    """
    `elicitation/complete` goes to the client that was asked, with the `elicitationId` of that request.

    A client ignores an id that it does not know. The window that it has open stays open, and the user
    waits although the sign-in is done. On a server with many clients it may also be a message that
    has gone to the wrong one.

    Keep the id with the connection that it was sent on.
    """
    name = fields(step.body).get("elicitationId")
    if not isinstance(name, str):
        return
    if step.method == "elicitation/create":
        remember(asked, name)
    elif name not in asked:
        yield Remark(
            f"`elicitationId` is `{name}`, but no `elicitation/create` had that id",
            at="/params/elicitationId",
            hint="send the id of the request, to the client that got it",
        )
