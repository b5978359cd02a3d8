"""Every open elicitation has a unique id."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._opening import PROMPT
from acp_spy.wire.values import fields

_FIRST = (
    PROMPT
    + """
        <- {"jsonrpc": "2.0", "id": 0, "method": "elicitation/create", "params": {"sessionId": "s1", "mode": "url", "message": "Sign in", "elicitationId": "e1", "url": "https://example.com/login"}}
        -> {"jsonrpc": "2.0", "id": 0, "result": {"action": "accept"}}
"""
)
_AGAIN = """
        <- {"jsonrpc": "2.0", "id": 1, "method": "elicitation/create", "params": {"sessionId": "s1", "mode": "url", "message": "Pay", "elicitationId": "e1", "url": "https://example.com/pay"}}
"""


@rule(
    code="LIF143",
    name="duplicate-elicitation-id",
    severity=Severity.ERROR,
    summary="Two open elicitations have the same id",
    on=(
        "request:elicitation/create",
        "result:elicitation/create",
        "error:elicitation/create",
        "notification:elicitation/complete",
    ),
    covers=("ELI-12",),
    spec="https://agentclientprotocol.com/protocol/elicitation",
    bad=_FIRST + _AGAIN,
    good=_FIRST
    + """
        <- {"jsonrpc": "2.0", "method": "elicitation/complete", "params": {"elicitationId": "e1"}}
"""
    + _AGAIN,
)
def duplicate_elicitation_id(step: Step, opened: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does

    Reports an `elicitationId` that another open URL elicitation uses. An elicitation is open until
    `elicitation/complete`, or until the user declines.

    ## Why it matters

    `elicitation/complete` carries only the id. The client closes the wrong window, or both.

    ## Use instead

    Use a new random id for every request.
    """
    request = fields(step.exchange.params if step.exchange else step.body)
    name = request.get("elicitationId")
    if not isinstance(name, str):
        return
    is_request = step.exchange is not None and step.exchange.seq == step.frame.seq
    if not is_request:
        if step.exchange is None or fields(step.body).get("action") != "accept":
            opened.pop(name, None)
        return
    if name in opened:
        yield Remark(
            f"`elicitationId` is `{name}`, but an elicitation with that id is still open;"
            " expected a new id",
            at="/params/elicitationId",
            see=opened[name],
            hint="use a new id for every request",
        )
    remember(opened, name, step.frame.seq)
