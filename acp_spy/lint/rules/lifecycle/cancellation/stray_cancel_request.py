"""`$/cancel_request` names a pending request of its sender."""

from collections.abc import Iterator
from typing import Any

import msgspec

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Step
from acp_spy.lint.races import GRACE
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._common import quoted_json
from acp_spy.lint.rules.lifecycle._examples import HANDSHAKE, NEW_SESSION, PROMPT, transcript
from acp_spy.wire.jsonrpc import Response
from acp_spy.wire.values import fields


@rule(
    code="LIF065",
    name="stray-cancel-request",
    severity=Severity.WARNING,
    summary="`$/cancel_request` does not name a pending request of its sender",
    on=("notification:$/cancel_request", "response"),
    covers=("CAN-09",),
    spec="https://agentclientprotocol.com/protocol/cancellation",
    bad=transcript(
        HANDSHAKE,
        NEW_SESSION,
        PROMPT,
        """
        -> {"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": "2"}}
        """,
    ),
    good=transcript(
        HANDSHAKE,
        NEW_SESSION,
        PROMPT,
        """
        -> {"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": 2}}
        <- {"jsonrpc": "2.0", "id": 2, "error": {"code": -32800, "message": "Request cancelled"}}
        """,
    ),
)
def stray_cancel_request(step: Step, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does
    Reports a `$/cancel_request` whose `requestId` is not the `id` of a pending request of the same
    peer, in the same JSON type. A request that was answered up to 1 s before is not reported.

    ## Why it matters
    Nothing is cancelled, and the intended request continues.

    ## Use instead
    Send the `id` of your own pending request, exactly as it was sent.
    """
    sender = step.frame.sender
    if isinstance(step.message, Response):
        if step.exchange is not None:
            remember(memory, (sender.other, step.message.id), step.frame.t)
        return
    requested = fields(step.body).get("requestId")
    if not isinstance(requested, str) and not (type(requested) is int and abs(requested) < 2**63):
        return
    name = msgspec.json.encode(requested)
    if (sender, name) in step.state.pending:
        return
    answered = memory.get((sender, name))
    if answered is not None and step.frame.t - answered <= 4 * GRACE:
        return
    if answered is not None:
        why = "was already answered"
    elif (sender.other, name) in step.state.pending:
        why = f"is a request of the {sender.other.value}, not of the {sender.value}"
    else:
        why = "is not the id of a pending request"
    yield Remark(
        f"{quoted_json(requested)} {why}; there is nothing to cancel",
        at="/params/requestId",
        hint="send the `id` of your own pending request, exactly as it was sent",
    )
