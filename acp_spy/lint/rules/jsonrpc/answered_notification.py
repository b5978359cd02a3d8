"""Notifications get no response."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.wire.jsonrpc import Notification

RECENT = 5.0


@rule(
    code="RPC007",
    name="answered-notification",
    severity=Severity.ERROR,
    summary="A notification was answered, or a response has no id",
    on=("unmatched", "notification:session/cancel", "notification:$/cancel_request"),
    covers=("RPC-07", "RPC-13", "EXT-07"),
    spec="https://www.jsonrpc.org/specification#notification",
    bad="""
        -> {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "s1"}}
        <- {"jsonrpc": "2.0", "id": null, "result": null}
    """,
    good="""
        -> {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "s1"}}
    """,
)
def answered_notification(step: Step, facts: Facts, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does

    Reports responses without an id. If a notification came shortly before, the finding names it.

    ## Why it matters

    A message without `id` gets no response, not even an error for an unknown method. The peer drops
    such a response, or takes it for a parse error.

    Only the error for a line that could not be read (-32700, -32600) has a null id. If the response
    belongs to a request, its id was lost.

    ## Use instead

    Do not answer notifications. Return the id of every request.
    """
    if isinstance(step.message, Notification):
        memory[step.frame.sender] = step.method, step.frame.seq, step.frame.t
        return
    if facts.unmatched[0] != "no id":
        return
    method, seq, t = memory.get(step.frame.sender.other, ("", 0, -RECENT))
    recent = step.frame.t - t < RECENT
    sender = step.frame.sender.value
    yield Remark(
        f"the {sender} answered the notification `{method}` (frame {seq});"
        " notifications get no response"
        if recent
        else f"the {sender} sent a response without an id; expected the id of a request",
        at="/id",
        see=seq if recent else None,
        hint="do not answer notifications; return the id of every request",
    )
