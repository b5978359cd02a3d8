"""A tool call waits for permission and respects a rejection."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Step, ToolCall
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._common import quoted
from acp_spy.lint.rules.lifecycle._opening import END, PERMISSION
from acp_spy.lint.rules.lifecycle._reading import entries
from acp_spy.protocol import events as ev
from acp_spy.wire.values import fields, text

_PENDING = "is still pending"
_FILES = "the files that permission was requested for"
_CHANGES = ("edit", "delete", "move")  # the kinds of tool calls that change their locations


@rule(
    code="LIF115",
    name="tool-call-without-permission",
    severity=Severity.ERROR,
    summary="A tool call ran although its permission was rejected or pending",
    on=(
        "request:session/request_permission",
        "result:session/request_permission",
        "error:session/request_permission",
        "update:tool_call",
        "update:tool_call_update",
        "request:fs/write_text_file",
        "TurnStarted",
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
def tool_call_without_permission(
    step: Step, facts: Facts, reasons: dict[Any, Any]
) -> Iterator[Remark]:
    """
    ## What it does

    Reports a tool call that becomes `in_progress` or `completed` while its permission request is
    pending (a warning), or after it was rejected or cancelled (an error). `in_progress` while the
    request is pending is only a note. A file that is written in the same turn, although the last
    permission request to change it was not granted, is a warning: one whose `diff` has its path,
    or whose `locations` do if its kind is `edit`, `delete` or `move`.

    ## Why it matters

    The user rejected the call and sees that it was done. Either the tool ran without permission, or
    the status is wrong.

    ## Use instead

    Keep the tool call `pending` until the response arrives. After a rejection send `failed`, with
    the reason as content.
    """
    if step.method == "session/request_permission":
        _note(step, reasons)
    elif isinstance(step.event, ev.TurnStarted):
        reasons.pop(_FILES, None)  # what was rejected before may be allowed now
    elif step.method == "fs/write_text_file":
        yield from _written(step, reasons.get(_FILES, {}))
    else:
        yield from _run(step, facts, reasons)


def _note(step: Step, reasons: dict[Any, Any]) -> None:
    """Remember what is known about a permission, for its tool call and for its files."""
    params = fields(step.exchange.params if step.exchange else step.body)
    call, session = fields(params.get("toolCall")), str(params.get("sessionId"))
    name, reason = str(call.get("toolCallId")), _why_not(step)
    remember(reasons, (session, name), (reason, step.frame.seq))
    asked = step.exchange.seq if step.exchange else step.frame.seq
    known = step.session.tool_calls.get(name) if step.session else None
    kind = call.get("kind") or (known.kind if known else "")
    # A rejected call that only reads a file says nothing about writes. One that is allowed may write.
    for path in _paths(call, located=not reason or kind in _CHANGES):
        remember(reasons.setdefault(_FILES, {}), (session, path), (reason, asked, name))


def _run(step: Step, facts: Facts, reasons: dict[Any, Any]) -> Iterator[Remark]:
    """Report a tool call that runs without permission."""
    place, sent = facts.tool_call
    status = sent.get("status")
    if facts.is_replayed or status not in ("in_progress", "completed"):
        return
    session, name = str(step.body.get("sessionId")), str(sent.get("toolCallId"))
    reason, seq = reasons.get((session, name), ("", None))
    if not reason:
        return
    known = step.session.tool_calls.get(name) if step.session else None
    reason = _delivered(reason, known, step, seq)
    if not reason:
        return
    if known and known.status == status:
        return  # unchanged since before the permission request
    if known is None and status == "in_progress" and reason == _PENDING:
        return  # it is announced now; LIF111 has reported the request
    del reasons[session, name]
    expected = "`pending`" if reason == _PENDING else "`failed`"
    yield Remark(
        f"`{name}` is `{status}`, but its permission {reason}; expected {expected}",
        at=f"{place}/status",
        see=seq,
        severity=_severity(reason, status),
        hint=(
            "wait for the response to `session/request_permission`; after a rejection send `failed`"
        ),
    )


def _written(step: Step, files: dict[Any, Any]) -> Iterator[Remark]:
    """Report a file that is written without the permission that was requested for it."""
    path = text(fields(step.body).get("path"))
    key = str(fields(step.body).get("sessionId")), path
    reason, seq, name = files.pop(key, ("", None, ""))
    call = step.session.tool_calls.get(name) if step.session else None
    if reason := _delivered(reason, call, step, seq):
        yield Remark(
            f"{quoted(path)} is written, but the permission for it {reason}; expected no write",
            at="/params/path",
            see=seq,
            severity=Severity.WARNING,
            hint="write only after the response to `session/request_permission` allows it",
        )


def _delivered(reason: str, call: ToolCall | None, step: Step, asked: int | None) -> str:
    """Return `reason`, or what acp-spy answered in the client's place: an error says nothing."""
    if reason != _PENDING:
        return reason
    if call and call.permission not in ("", "asked"):
        return _refused(call.permission)
    if asked is None:
        return ""
    is_open = asked in step.state.withheld or step.state.pending.asked_in(asked)
    return reason if is_open else ""


def _paths(call: dict[str, Any], *, located: bool) -> set[str]:
    """Return the files that a tool call is about to change; its locations too if `located`."""
    found = [each for _, each in entries(call.get("content")) if each.get("type") == "diff"]
    if located:
        found += [each for _, each in entries(call.get("locations"))]
    return {each["path"] for each in found if isinstance(each.get("path"), str)}


def _severity(reason: str, status: str) -> Severity:
    if reason != _PENDING:
        return Severity.ERROR
    return Severity.NOTE if status == "in_progress" else Severity.WARNING


def _why_not(step: Step) -> str:
    """Return why the tool may not run, as the end of a sentence; empty if it may or if unknown."""
    if "options" in fields(step.body):
        return _PENDING
    outcome = fields(fields(step.body).get("outcome"))
    if outcome.get("outcome") == "cancelled":
        return "was cancelled"
    offered = fields(step.exchange.params if step.exchange else None).get("options")
    for _, option in entries(offered):
        kind = option.get("kind")
        if option.get("optionId") == outcome.get("optionId") and kind in (
            "reject_once",
            "reject_always",
        ):
            return _refused(kind)
    return ""


def _refused(answer: str) -> str:
    """Return the same for the kind of the chosen option, or `cancelled`."""
    if answer == "cancelled":
        return "was cancelled"
    return f"was rejected (`{answer}`)" if answer.startswith("reject") else ""
