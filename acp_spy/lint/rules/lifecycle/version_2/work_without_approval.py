"""Version 2: only a clear yes is leave."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle.version_2._common import asked, name_of_session, update_of
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
    name="work-without-approval",
    severity=Severity.ERROR,
    summary="A tool ran although its permission was not given",
    on=("result:session/request_permission", "update:tool_call_update"),
    version=2,
    covers=("V2-21",),
    spec="https://agentclientprotocol.com/protocol/v2/tool-calls#requesting-permission",
    bad=transcript(TURN, _WAITING, _ASK, _NO, _DONE),
    good=transcript(TURN, _WAITING, _ASK, _NO, _DONE.replace("completed", "cancelled")),
)
def work_without_approval(step: Step, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    In version 2 an agent may take only one thing for a yes: the outcome `selected` with an option
    that it offered and that allows. A rejection, `cancelled`, an outcome or an option that it does
    not know are all a no. A tool that runs after that has done what the user did not allow.

    End the tool call as `failed` or `cancelled`, and do not run it.
    """
    session = name_of_session(step)
    if step.exchange is not None:
        subject = fields(asked(step).get("subject"))
        holder = fields(subject.get("toolCall")) or subject
        call = holder.get("toolCallId")
        if isinstance(call, str):
            remember(memory, (session, call), (_refusal(step), step.frame.seq))
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
            f"tool call `{call[:80]}` is `{status}`, but {why}",
            at="/params/update/status",
            see=seq,
            hint="end it as `failed` or `cancelled`",
        )


def _refusal(step: Step) -> str:
    """Say why an answer is no yes; nothing if it is one."""
    outcome = fields(fields(step.body).get("outcome"))
    if outcome.get("outcome") != "selected":
        return "the answer to its permission was not `selected`"
    offered = [fields(option) for option in items(asked(step).get("options"))]
    chosen = [entry for entry in offered if entry.get("optionId") == outcome.get("optionId")]
    if not chosen:
        return "the option that was chosen had not been offered"
    return "its permission was rejected" if str(chosen[0].get("kind")).startswith("reject") else ""
