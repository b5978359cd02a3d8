"""A tool that asked waits for the answer, and keeps to it."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._opening import END, PERMISSION
from acp_spy.lint.rules.lifecycle._reading import entries
from acp_spy.wire.values import fields

_OPEN = "is not answered yet"


@rule(
    code="LIF115",
    name="work-without-leave",
    severity=Severity.WARNING,
    summary="A tool call went on although its permission was refused or still open",
    on=(
        "request:session/request_permission",
        "result:session/request_permission",
        "error:session/request_permission",
        "update:tool_call",
        "update:tool_call_update",
    ),
    covers=("PER-08",),
    spec="https://agentclientprotocol.com/protocol/tool-calls#requesting-permission",
    bad=PERMISSION
    + """
        -> {"jsonrpc": "2.0", "id": 0, "result": {"outcome": {"outcome": "selected", "optionId": "no"}}}
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "tool_call_update", "toolCallId": "call_1", "status": "completed"}}}
"""
    + END,
    good=PERMISSION
    + """
        -> {"jsonrpc": "2.0", "id": 0, "result": {"outcome": {"outcome": "selected", "optionId": "no"}}}
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "tool_call_update", "toolCallId": "call_1", "status": "failed"}}}
"""
    + END,
)
def work_without_leave(step: Step, facts: Facts, answers: dict[Any, Any]) -> Iterator[Remark]:
    """
    A tool call whose permission was asked does not run before the answer, nor after a refusal. A
    call that was rejected or cancelled ends as `failed`.

    When such a call goes to `in_progress` or `completed`, the user who said no reads that it was
    done. Either it was, and the question was for show, or the report is wrong. A call that becomes
    `in_progress` while the question is open is only a note: `pending` is the status for waiting.

    Wait for the answer. After a refusal send `failed`, with the reason as content.
    """
    place, sent = facts.tool_call
    params = step.exchange.params if step.exchange else step.body
    session = str(fields(params).get("sessionId"))
    if step.method == "session/request_permission":
        call = fields(fields(params).get("toolCall")).get("toolCallId")
        remember(answers, (session, str(call)), (_answer(step), step.frame.seq))
        return
    name, status = str(sent.get("toolCallId")), sent.get("status")
    answer, seq = answers.get((session, name), ("", None))
    if status not in ("in_progress", "completed") or not answer:
        return
    known = step.session.tool_calls.get(name) if step.session else None
    if known and known.status == status:
        return  # as it was before the question
    del answers[session, name]
    yield Remark(
        f"`{name}` is `{status}`, but its permission {answer}",
        at=f"{place}/status",
        see=seq,
        severity=Severity.NOTE if answer == _OPEN and status == "in_progress" else None,
        hint="stay `pending` until the answer; after a refusal send `failed`",
    )


def _answer(step: Step) -> str:
    """Return why the tool may not run, as the end of a sentence; empty if it may, or who knows."""
    if "options" in fields(step.body):
        return _OPEN
    outcome = fields(fields(step.body).get("outcome"))
    if outcome.get("outcome") == "cancelled":
        return "was answered `cancelled`"
    offered = fields(step.exchange.params if step.exchange else None).get("options")
    for _, option in entries(offered):
        kind = option.get("kind")
        if option.get("optionId") == outcome.get("optionId") and kind in (
            "reject_once",
            "reject_always",
        ):
            return f"was refused (`{kind}`)"
    return ""
