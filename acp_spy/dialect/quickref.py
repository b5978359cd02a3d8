"""Quickref: official but for the names in tool calls, and of embedded resources."""

from typing import Any

from acp_spy.dialect.declaration import Dialect, Evidence, Line, Params
from acp_spy.dialect.document import (
    ANY,
    IN_ORDER,
    IN_SESSION,
    INT,
    SOMETHING,
    TEXT,
    Named,
    agent_asks,
    agent_tells,
    asks,
    document,
    many,
    one_of,
    record,
    tells,
    union,
)
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
    sent = renamed(update, {"id": "toolCallId"} if "title" in update else _NAMES)
    return ev.ToolCallChanged(text(p.get("sessionId")), text(sent.get("toolCallId")), is_new, sent)


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


_STATUS = one_of("pending", "in_progress", "completed", "failed")
_TOLD: dict[str, Named] = {  # of a tool call, beside what it is and how it stands
    "kind?": one_of("file", "command", "search", "other"),
    "locations?": many(record({"path": TEXT, "line?": INT})),
    "content?": many(ANY),
    "rawInput?": ANY,
    "rawOutput?": ANY,
}
_TOOL_CALL = record({"id": TEXT, "name": TEXT, "status": _STATUS, **_TOLD})
_MEDIA = record({"mimeType": TEXT, "data": TEXT})
_CHUNK = record({"content": "ContentBlock"})
_DOCUMENT = document(
    "quickref",
    (
        asks("initialize", "InitializeRequest", "InitializeResponse"),
        asks("session/new", "NewSessionRequest", "NewSessionResponse"),
        asks("session/prompt", "PromptRequest", "PromptResponse"),
        tells("session/cancel", "CancelNotification"),  # in a table of requests, as a notification
        agent_tells("session/update", "SessionNotification"),
        agent_asks("session/request_permission", "PermissionRequest", "PermissionResponse"),
    ),
    {
        "InitializeRequest": record({"protocolVersion": INT, "capabilities": SOMETHING}),
        "InitializeResponse": SOMETHING,
        **IN_SESSION,
        "PromptRequest": record({"sessionId": TEXT, "prompt": many("ContentBlock")}),
        "PromptResponse": record(
            {"stopReason": one_of("end_turn", "max_tokens", "cancelled", "refusal")}
        ),
        "SessionUpdate": union(
            "sessionUpdate",
            {
                "user_message_chunk": _CHUNK,
                "agent_message_chunk": _CHUNK,
                "agent_thought_chunk": _CHUNK,
                "tool_call": _TOOL_CALL,
                "tool_call_update": record(
                    {"id": TEXT, "name?": TEXT, "status?": _STATUS, **_TOLD}
                ),
                "plan": record({"entries": many(SOMETHING)}),
                "available_commands_update": SOMETHING,
                "current_mode_update": SOMETHING,
            },
        ),
        "ContentBlock": union(
            "type",
            {
                "text": record({"text": TEXT}),
                "image": _MEDIA,
                "audio": _MEDIA,
                "resource_link": record({"uri": TEXT}, more=True),
                "embedded_resource": SOMETHING,
            },
        ),
        "PermissionRequest": record(
            {"sessionId": TEXT, "toolCall": _TOOL_CALL, "options": many("PermissionOption")}
        ),
        "PermissionOption": record({"optionId": TEXT, "name": TEXT, "kind": TEXT}),
        "PermissionResponse": record({"outcome": "Outcome"}),
        "Outcome": union(
            "outcome", {"selected": record({"optionId": TEXT}), "cancelled": record({})}
        ),
    },
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
            betrays=("id",),
            calls=("session/update", "session/request_permission"),
        ),
        Evidence(
            2,
            "a tool call of kind `file` or `command`",
            lambda line: _call_of(line).get("kind") in ("file", "command"),
            betrays=("file", "command"),
            calls=("session/update", "session/request_permission"),
        ),
        Evidence(
            2,
            "a content block of type `embedded_resource`",
            _embeds,
            betrays=("embedded_resource",),
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
            betrays=("capabilities",),
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
    document=_DOCUMENT,
    rules=(*IN_ORDER, "cancel-not-confirmed"),
)
