"""Zed's crate before its first release, July and August 2025: several stages under one name."""

from typing import Any

from acp_spy.dialect.model import Dialect, Evidence, Line, Params
from acp_spy.dialect.reading import reach, renamed, text_block, update_of
from acp_spy.protocol import events as ev
from acp_spy.protocol.interpret import interpret_request
from acp_spy.wire.values import fields, items, text

_PUSHED = (
    "sendUserMessage",
    "cancelSendMessage",
    "streamAssistantMessageChunk",
    "pushToolCall",
    "updateToolCall",
    "requestToolCallConfirmation",
    "updatePlan",
)
_OVER_MCP = ("acp/new_session", "acp/load_session", "acp/prompt", "acp/session_update")
_UPDATES = {
    "userMessage": "user_message_chunk",
    "userMessageChunk": "user_message_chunk",
    "agentMessageChunk": "agent_message_chunk",
    "agentThoughtChunk": "agent_thought_chunk",
    "toolCall": "tool_call",
    "toolCallUpdate": "tool_call_update",
}
_STATUS = {
    "inProgress": "in_progress",
    "running": "in_progress",
    "finished": "completed",
    "error": "failed",
}
_SESSION = "thread"  # the first stage had one conversation, without a name


def _has_old_version(line: Line) -> bool:
    version = text(reach(line.body, "protocolVersion"))
    return version is not None and version.startswith("0.0.")


def _is_named_in_camel_case(line: Line) -> bool:
    names = update_of(line).get("sessionUpdate"), reach(line.body, "sessionUpdate")
    return any(isinstance(name, str) and name in _UPDATES for name in names)


def _is_american(line: Line) -> bool:
    return "canceled" in (reach(line.body, "stopReason"), reach(line.body, "outcome", "outcome"))


def _update(p: Params) -> ev.Event | None:
    update = fields(p.get("update")) or {key: p[key] for key in p if key != "sessionId"}
    again = renamed(update, {"label": "title"})
    name, status = again.get("sessionUpdate"), again.get("status")
    if isinstance(name, str):
        again["sessionUpdate"] = _UPDATES.get(name, name)
    if isinstance(status, str):
        again["status"] = _STATUS.get(status, status)
    again_params = {"sessionId": p.get("sessionId"), "update": again}
    return interpret_request("session/update", again_params)


def _chunk(p: Params) -> ev.Event:
    chunk = fields(p.get("chunk"))
    if "thought" in chunk:
        return ev.Said(_SESSION, "thought", text_block(chunk["thought"]))
    return ev.Said(_SESSION, "agent", text_block(chunk.get("text")))


def _prompted(p: Params) -> ev.Event:
    return ev.TurnStarted(_SESSION, [_block(chunk) for chunk in items(p.get("chunks"))])


def _block(chunk: Any) -> Any:
    return text_block(chunk["text"]) if "text" in fields(chunk) else chunk


def _call(identity: Any, told: Params, *, is_new: bool) -> ev.Event:
    fields_of = renamed(told, {"label": "title"})
    status = fields_of.get("status")
    if isinstance(status, str):
        fields_of["status"] = _STATUS.get(status, status)
    name = None if identity is None else str(identity)
    return ev.ToolCallChanged(_SESSION, name, is_new, fields_of)


ZED_HISTORY = Dialect(
    name="zed",
    title="a historical stage of ACP",
    origin="Zed's crate of July and August 2025",
    evidence=(
        Evidence(
            3,
            "a method of crate 0.0.2 to 0.0.10",
            lambda _: True,
            calls=_PUSHED,
        ),
        Evidence(
            3,
            "a method `acp/...`",
            lambda _: True,
            calls=_OVER_MCP,
        ),
        Evidence(
            3,
            "an update's name in camelCase",
            _is_named_in_camel_case,
            calls=("session/update", "acp/session_update"),
        ),
        Evidence(
            3,
            "`session/cancelled`",
            lambda _: True,
            calls=("session/cancelled",),
        ),
        Evidence(
            2,
            "`sessionUpdate` outside of `update`",
            lambda line: "sessionUpdate" in fields(line.body),
            calls=("session/update",),
        ),
        Evidence(
            2,
            "`isAuthenticated`",
            lambda line: "isAuthenticated" in fields(line.body),
            answers=("initialize",),
        ),
        Evidence(
            2,
            "a `protocolVersion` of the crate",
            _has_old_version,
            calls=("initialize",),
            answers=("initialize",),
        ),
        Evidence(
            1,
            "`canceled`",
            _is_american,
            answers=("session/prompt", "session/request_permission"),
        ),
    ),
    words={
        "sendUserMessage": "session/prompt",
        "cancelSendMessage": "session/cancel",
        "streamAssistantMessageChunk": "session/update with agent_message_chunk",
        "pushToolCall": "session/update with tool_call",
        "updateToolCall": "session/update with tool_call_update",
        "requestToolCallConfirmation": "session/request_permission",
        "updatePlan": "session/update with plan",
        "session/cancelled": "session/cancel",
        "canceled": "cancelled",
        "label": "title",
        "icon": "kind",
        **_UPDATES,
        **_STATUS,
    },
    calls={
        "sendUserMessage": _prompted,
        "cancelSendMessage": lambda _: ev.TurnCancelled(_SESSION),
        "streamAssistantMessageChunk": _chunk,
        "updateToolCall": lambda p: _call(p.get("toolCallId"), p, is_new=False),
        "updatePlan": lambda p: ev.PlanChanged(_SESSION, p.get("entries")),
        "acp/prompt": lambda p: interpret_request("session/prompt", p),
        "acp/session_update": _update,
        "session/update": _update,
        "session/cancelled": lambda p: interpret_request("session/cancel", p),
    },
    answers={
        "pushToolCall": lambda p, r: _call(r.get("id"), p, is_new=True),
        "sendUserMessage": lambda *_: ev.TurnEnded(_SESSION, None),
        "acp/new_session": lambda p, r: ev.SessionOpened(
            "new", text(r.get("sessionId")), p.get("cwd")
        ),
        "acp/load_session": lambda p, _: ev.SessionOpened(
            "load", text(p.get("sessionId")), p.get("cwd")
        ),
        "acp/prompt": lambda p, r: ev.TurnEnded(text(p.get("sessionId")), r.get("stopReason")),
    },
    prompts=("session/prompt", "sendUserMessage", "acp/prompt"),
)
