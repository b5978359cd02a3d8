"""A notification is not answered."""

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
    summary="A response to something that has no id",
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
    A message without `id` wants no answer, not even an error when its method is unknown. The
    answer has nowhere to go: the peer drops it, or takes it for a parse error of its own.

    Only an error for a line that could not be read (-32700, -32600) has a null id. If this answers
    a request, its id got lost on the way.
    """
    if isinstance(step.message, Notification):
        memory[step.frame.sender] = step.method, step.frame.seq, step.frame.t
        return
    if facts.unmatched[0] != "no id":
        return
    method, seq, t = memory.get(step.frame.sender.other, ("", 0, -RECENT))
    recent = step.frame.t - t < RECENT
    yield Remark(
        "a response without an id"
        + (f", after the notification `{method}`, which wants none" if recent else "")
        + "; only an unreadable message is answered so",
        at="/id",
        see=seq if recent else None,
        hint="do not answer messages that have no `id`; keep the id of those that have one",
    )
