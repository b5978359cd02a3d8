"""Version 2: only a selected option that allows is an approval."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle.version_2._common import (
    name_of_session,
    request_params,
    update_of,
)
from acp_spy.lint.rules.lifecycle.version_2._examples import (
    TOOL_CALL,
    TURN,
    transcript,
    update_line,
)
from acp_spy.wire.values import fields, items

_ASK = (
    '<- {"jsonrpc": "2.0", "id": 0, "method": "session/request_permission", "params":'
    ' {"sessionId": "s1", "title": "Run it?", "subject": {"type": "tool_call", "toolCall":'
    ' {"toolCallId": "c1", "title": "Run the tests", "status": "pending"}}, "options":'
    ' [{"optionId": "y", "name": "Yes", "kind": "allow_once"},'
    ' {"optionId": "n", "name": "No", "kind": "reject_once"}]}}'
)
_NO = (
    '-> {"jsonrpc": "2.0", "id": 0, "result":'
    ' {"outcome": {"outcome": "selected", "optionId": "n"}}}'
)
_DONE = update_line(
    '"sessionUpdate": "tool_call_update", "toolCallId": "c1", "status": "completed"'
)
_WAITING = TOOL_CALL.replace("in_progress", "pending")


@rule(
    code="LIF221",
    name="tool-call-without-approval",
    severity=Severity.ERROR,
    summary="A tool ran although its permission was not granted",
    on=("result:session/request_permission", "update:tool_call_update"),
    version=2,
    covers=("V2-21",),
    spec="https://agentclientprotocol.com/protocol/v2/tool-calls#requesting-permission",
    bad=transcript(TURN, _WAITING, _ASK, _NO, _DONE),
    good=transcript(TURN, _WAITING, _ASK, _NO, _DONE.replace("completed", "cancelled")),
)
def tool_call_without_approval(
    step: Step, facts: Facts, memory: dict[Any, Any]
) -> Iterator[Remark]:
    """
    ## What it does

    In version 2, reports a tool call that becomes `in_progress` or `completed` without approval.
    Approval is the outcome `selected` with an offered option that allows; every other response
    means no.

    ## Why it matters

    The tool did something that the user did not allow.

    ## Use instead

    Do not run the tool. End the tool call with `failed` or `cancelled`.
    """
    session = name_of_session(step)
    if step.exchange is not None:
        subject = fields(request_params(step).get("subject"))
        holder = fields(subject.get("toolCall")) or subject
        call = holder.get("toolCallId")
        if isinstance(call, str):
            remember(memory, (session, call), (_why_not_approved(step), step.frame.seq))
        return
    if facts.is_replayed:
        return
    update = update_of(step)
    call, status = update.get("toolCallId"), update.get("status")
    if not isinstance(call, str) or status not in ("in_progress", "completed"):
        return
    why, seq = memory.get((session, call), ("", 0))
    known = step.session.tool_calls.get(call) if step.session else None
    if why and not (known and known.status == status):
        del memory[session, call]
        yield Remark(
            f"tool call `{call[:80]}` is `{status}`, but {why}; expected `failed` or `cancelled`",
            at="/params/update/status",
            see=seq,
            hint="do not run the tool; send `failed` or `cancelled`",
        )


def _why_not_approved(step: Step) -> str:
    """Return why a response is not an approval; empty if it is."""
    outcome = fields(fields(step.body).get("outcome"))
    if outcome.get("outcome") != "selected":
        return "the outcome of its permission request was not `selected`"
    offered = [fields(option) for option in items(request_params(step).get("options"))]
    chosen = [entry for entry in offered if entry.get("optionId") == outcome.get("optionId")]
    if not chosen:
        return "the selected option was not offered"
    return "its permission was rejected" if str(chosen[0].get("kind")).startswith("reject") else ""
