"""Quickref: official but for the names in tool calls, and of embedded resources."""

from typing import Any

from acp_spy.dialect.model import Dialect, Evidence, Line, Params
from acp_spy.dialect.reading import is_version_1, reach, renamed, update_of
from acp_spy.protocol import events as ev
from acp_spy.protocol.interpret import interpret_request
from acp_spy.wire.values import fields, items, text

_CALLS = ("tool_call", "tool_call_update")
_NAMES = {"id": "toolCallId", "name": "title"}


def _call_of(line: Line) -> Params:
    """Return the tool call that a message tells of."""
    if line.method == "session/request_permission":
        return fields(reach(line.body, "toolCall"))
    update = update_of(line)
    return update if update.get("sessionUpdate") in _CALLS else {}


def _has_id(line: Line) -> bool:
    call = _call_of(line)
    return "id" in call and "toolCallId" not in call


def _embeds(line: Line) -> bool:
    blocks: list[Any] = [reach(line.body, "update", "content"), *items(reach(line.body, "prompt"))]
    return any(reach(block, "type") == "embedded_resource" for block in blocks)


def _update(p: Params) -> ev.Event | None:
    update = fields(p.get("update"))
    if update.get("sessionUpdate") not in _CALLS or "toolCallId" in update:
        return interpret_request("session/update", p)
    is_new = update["sessionUpdate"] == "tool_call"
    told = renamed(update, {"id": "toolCallId"} if "title" in update else _NAMES)
    return ev.ToolCallChanged(text(p.get("sessionId")), text(told.get("toolCallId")), is_new, told)


def _call_asked_for(p: Params) -> str | None:
    call = fields(p.get("toolCall"))
    return text(call.get("toolCallId", call.get("id")))


def _permission_answered(p: Params, r: Params) -> ev.Event:
    outcome = fields(r.get("outcome"))
    return ev.PermissionAnswered(
        text(p.get("sessionId")),
        _call_asked_for(p),
        outcome.get("outcome"),
        outcome.get("optionId"),
    )


QUICKREF = Dialect(
    name="quickref",
    title="the quickref dialect",
    origin="a quick reference for building ACP clients",
    evidence=(
        Evidence(
            2,
            "a tool call with `id`",
            _has_id,
            calls=("session/update", "session/request_permission"),
        ),
        Evidence(
            2,
            "a tool call of kind `file` or `command`",
            lambda line: _call_of(line).get("kind") in ("file", "command"),
            calls=("session/update", "session/request_permission"),
        ),
        Evidence(
            2,
            "a content block of type `embedded_resource`",
            _embeds,
            calls=("session/update", "session/prompt"),
        ),
        Evidence(
            1,
            "the client's `capabilities`",
            lambda line: (
                is_version_1(line)
                and "capabilities" in fields(line.body)
                and "clientCapabilities" not in fields(line.body)
            ),
            calls=("initialize",),
        ),
    ),
    words={
        "id": "toolCallId",
        "name": "title",
        "file": "read or edit",
        "command": "execute",
        "embedded_resource": "resource",
        "capabilities": "clientCapabilities",
    },
    calls={
        "session/update": _update,
        "session/request_permission": lambda p: ev.PermissionAsked(
            text(p.get("sessionId")), _call_asked_for(p), p.get("options")
        ),
    },
    answers={"session/request_permission": _permission_answered},
)
