"""Only a requested elicitation can be completed."""

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
    name="unknown-elicitation-id",
    severity=Severity.ERROR,
    summary="An elicitation was completed that was never requested",
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
def unknown_elicitation_id(step: Step, requested: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does

    Reports `elicitation/complete` with an `elicitationId` that no `elicitation/create` used on this
    connection.

    ## Why it matters

    The client ignores an unknown id. Its window stays open, and the user waits although the sign-in
    is done. A server with many clients may have sent the message to the wrong one.

    ## Use instead

    Store the id with its connection, and send it there.
    """
    name = fields(step.body).get("elicitationId")
    if not isinstance(name, str):
        return
    if step.method == "elicitation/create":
        remember(requested, name)
    elif name not in requested:
        yield Remark(
            f"`elicitationId` is `{name}`; expected the id of an `elicitation/create`",
            at="/params/elicitationId",
            hint="send the id of the request to the client that received it",
        )
