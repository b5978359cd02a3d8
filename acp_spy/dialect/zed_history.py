"""Zed's crate before its first release, July and August 2025: several stages under one name."""

from typing import Any

from acp_spy.dialect.declaration import Dialect, Evidence, Line, Params, ReadAnswer, ReadCall
from acp_spy.dialect.reading import reach, renamed, text_block, update_of
from acp_spy.protocol import events as ev
from acp_spy.protocol.interpret import interpret_request, interpret_response
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
_TOOLS = {
    "acp/new_session": "session/new",
    "acp/load_session": "session/load",
    "acp/prompt": "session/prompt",
}
_OVER_MCP = (*_TOOLS, "acp/session_update")
UPDATES = {
    "userMessage": "user_message_chunk",
    "userMessageChunk": "user_message_chunk",
    "agentMessageChunk": "agent_message_chunk",
    "agentThoughtChunk": "agent_thought_chunk",
    "toolCall": "tool_call",
    "toolCallUpdate": "tool_call_update",
}
STATUS = {
    "inProgress": "in_progress",
    "running": "in_progress",
    "finished": "completed",
    "error": "failed",
}
KINDS = {
    "allow": "allow_once",
    "allowOnce": "allow_once",
    "alwaysAllow": "allow_always",
    "alwaysAllowMcpServer": "allow_always",
    "alwaysAllowTool": "allow_always",
    "allowAlways": "allow_always",
    "reject": "reject_once",
    "rejectOnce": "reject_once",
    "rejectAlways": "reject_always",
}
ASKED = ("allow", "alwaysAllow", "reject")  # what can be answered to every question
_SESSION = ev.ONLY_SESSION  # the first stage had one conversation, without a name


def _has_old_version(line: Line) -> bool:
    version = text(reach(line.body, "protocolVersion"))
    return version is not None and version.startswith("0.0.")


def _is_named_in_camel_case(line: Line) -> bool:
    names = update_of(line).get("sessionUpdate"), reach(line.body, "sessionUpdate")
    return any(isinstance(name, str) and name in UPDATES for name in names)


def _is_american(line: Line) -> bool:
    return "canceled" in (reach(line.body, "stopReason"), reach(line.body, "outcome", "outcome"))


def _update(p: Params) -> ev.Event | None:
    update = fields(p.get("update")) or {key: p[key] for key in p if key != "sessionId"}
    again = renamed(update, {"label": "title"})
    name, status = again.get("sessionUpdate"), again.get("status")
    if isinstance(name, str):
        again["sessionUpdate"] = UPDATES.get(name, name)
    if isinstance(status, str):
        again["status"] = STATUS.get(status, status)
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


def _call(identity: Any, sent: Params, *, is_new: bool) -> ev.ToolCallChanged:
    fields_of = renamed(sent, {"label": "title"})
    status = fields_of.get("status")
    if isinstance(status, str):
        fields_of["status"] = STATUS.get(status, status)
    name = None if identity is None else str(identity)
    return ev.ToolCallChanged(_SESSION, name, is_new, fields_of)


def _call_of(official: str) -> ReadCall:
    return lambda p: interpret_request(official, p)


def _answer_of(official: str) -> ReadAnswer:
    return lambda p, r: interpret_response(official, p, r)


def _permission_asked(_: Params) -> ev.Event:
    """Return a question that announces its tool call as well, which gets its id by the answer."""
    return ev.PermissionAsked(
        _SESSION, None, [{"optionId": name, "kind": KINDS[name]} for name in ASKED]
    )


def _leave_answered(p: Params, r: Params) -> ev.Event:
    outcome, call = r.get("outcome"), _call(r.get("id"), p, is_new=True)
    kind = KINDS.get(outcome, "") if isinstance(outcome, str) else ""
    sent = "selected" if kind else "cancelled"
    answer = ev.PermissionAnswered(_SESSION, call.tool_call, sent, outcome, kind)
    return ev.Several(_SESSION, (call, answer))


def _tool(p: Any) -> str:
    """Return the name of the MCP tool that is called."""
    return text(reach(p, "name")) or ""


def _tool_called(p: Params) -> ev.Event | None:
    return interpret_request(_TOOLS.get(_tool(p), ""), reach(p, "arguments"))


def _tool_answered(p: Params, r: Params) -> ev.Event | None:
    """Return what a tool brought about; MCP has a result as JSON beside the text for models."""
    result = r.get("structuredContent", r)
    return interpret_response(_TOOLS.get(_tool(p), ""), reach(p, "arguments"), result)


ZED_HISTORY = Dialect(
    name="zed",
    title="a historical stage of ACP",
    origin="Zed's crate of July and August 2025",
    evidence=(
        Evidence(
            3,
            "a method of crate 0.0.2 to 0.0.10",
            lambda _: True,
            betrays=_PUSHED,
            calls=_PUSHED,
        ),
        Evidence(
            3,
            "a method `acp/...`",
            lambda _: True,
            betrays=_OVER_MCP,
            calls=_OVER_MCP,
        ),
        Evidence(
            3,
            "an MCP tool named `acp/...`",
            lambda line: _tool(line.body) in _OVER_MCP,
            betrays=("tools/call",),
            calls=("tools/call",),
        ),
        Evidence(
            3,
            "an update's name in camelCase",
            _is_named_in_camel_case,
            betrays=tuple(UPDATES),
            calls=("session/update", "acp/session_update"),
        ),
        Evidence(
            3,
            "`session/cancelled`",
            lambda _: True,
            betrays=("session/cancelled",),
            calls=("session/cancelled",),
        ),
        Evidence(
            2,
            "`sessionUpdate` outside `update`",
            lambda line: "sessionUpdate" in fields(line.body),
            betrays=("sessionUpdate", "update"),
            calls=("session/update",),
        ),
        Evidence(
            2,
            "`isAuthenticated`",
            lambda line: "isAuthenticated" in fields(line.body),
            betrays=("isAuthenticated",),
            answers=("initialize",),
        ),
        Evidence(
            2,
            "a `protocolVersion` of the crate",
            _has_old_version,
            betrays=("protocolVersion",),
            calls=("initialize",),
            answers=("initialize",),
        ),
        Evidence(
            1,
            "`canceled`",
            _is_american,
            betrays=("canceled",),
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
        **_TOOLS,
        "acp/session_update": "session/update",
        "tools/call": "session/new, session/load or session/prompt",
        "session/cancelled": "session/cancel",
        "sessionUpdate": "sessionUpdate inside of update",
        "isAuthenticated": "authMethods, and the error -32000",
        "protocolVersion": "protocolVersion with the integer 1",
        "canceled": "cancelled",
        "label": "title",
        "icon": "kind",
        **UPDATES,
        **STATUS,
        **KINDS,
    },
    calls={
        "sendUserMessage": _prompted,
        "cancelSendMessage": lambda _: ev.TurnCancelled(_SESSION),
        "streamAssistantMessageChunk": _chunk,
        "updateToolCall": lambda p: _call(p.get("toolCallId"), p, is_new=False),
        "requestToolCallConfirmation": _permission_asked,
        "tools/call": _tool_called,
        "updatePlan": lambda p: ev.PlanChanged(_SESSION, p.get("entries")),
        **{name: _call_of(official) for name, official in _TOOLS.items()},
        "acp/session_update": _update,
        "session/update": _update,
        "session/cancelled": lambda p: interpret_request("session/cancel", p),
    },
    answers={
        "pushToolCall": lambda p, r: _call(r.get("id"), p, is_new=True),
        "requestToolCallConfirmation": _leave_answered,
        "tools/call": _tool_answered,
        "sendUserMessage": lambda *_: ev.TurnEnded(_SESSION, None),
        **{name: _answer_of(official) for name, official in _TOOLS.items()},
    },
    prompts=("session/prompt", "sendUserMessage", "acp/prompt"),
)
