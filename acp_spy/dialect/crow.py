"""Crow: snake_case in half of the names, and `@type` where updates are told apart."""

from typing import Any

from acp_spy.dialect.model import Dialect, Evidence, Line, Params
from acp_spy.dialect.reading import fields, reach, renamed, text, text_block, update_of, word
from acp_spy.protocol import events as ev
from acp_spy.protocol.interpret import interpret_request

_NAMES = frozenset(("agent_message_text", "agent_thought_text", "tool_call_start"))
_IN_SESSION = ("session/prompt", "session/load", "cancel")
_WORDS = {
    "@type": "sessionUpdate",
    "agent_message_text": "agent_message_chunk",
    "agent_thought_text": "agent_thought_chunk",
    "tool_call_start": "tool_call",
    "plan_update": "plan",
    "permission_request": "session/request_permission",
    "permission_response": "the response to session/request_permission",
    "permission_options": "options",
    "cancel": "session/cancel, a notification",
    "tool_call_id": "toolCallId",
    "session_id": "sessionId",
    "stop_reason": "stopReason",
    "protocol_version": "protocolVersion",
    "client_capabilities": "clientCapabilities",
    "client_info": "clientInfo",
    "agent_capabilities": "agentCapabilities",
    "agent_info": "agentInfo",
    "prompt_capabilities": "promptCapabilities",
    "mcp_capabilities": "mcpCapabilities",
    "load_session": "loadSession",
}
_ROLES = {"agent_message_text": "agent", "agent_thought_text": "thought"}


def _names_an_update(line: Line) -> bool:
    update = update_of(line)
    return any(word(update, key) in _NAMES for key in ("@type", "sessionUpdate", "type"))


def _session(p: Params) -> str | None:
    return text(p.get("session_id", p.get("sessionId")))


def _update(p: Params) -> ev.Event | None:
    session, update = _session(p), fields(p.get("update"))
    if "@type" not in update:
        return interpret_request("session/update", p)
    name = update.get("@type")
    told = renamed(update, {"@type": "sessionUpdate", "tool_call_id": "toolCallId"})
    if isinstance(name, str) and name in _ROLES:
        return ev.Said(session, _ROLES[name], text_block(update.get("text")))
    if name in ("tool_call_start", "tool_call_update"):
        is_new = name == "tool_call_start"
        return ev.ToolCallChanged(session, text(told.get("toolCallId")), is_new, told)
    if name == "plan_update":
        return ev.PlanChanged(session, update.get("entries"))
    if name == "permission_request":
        asked = text(told.get("toolCallId"))
        return ev.PermissionAsked(session, asked, update.get("permission_options"))
    return ev.OtherUpdate(session, name, told)


def _capabilities(told: Any) -> Any:
    """Return capabilities under their official names; texts need none."""
    if not isinstance(told, dict):
        return told
    named = renamed(told, _WORDS)
    if isinstance(prompt := named.get("promptCapabilities"), dict):
        named["promptCapabilities"] = renamed(prompt, {"resource": "embeddedContext"})
    return named


def _initialize_asked(p: Params) -> ev.Event:
    p = renamed(p, _WORDS)
    return ev.InitializeAsked(
        p.get("protocolVersion"), _capabilities(p.get("clientCapabilities")), p.get("clientInfo")
    )


def _initialize_answered(_: Params, r: Params) -> ev.Event:
    r = renamed(r, _WORDS)
    return ev.InitializeAnswered(
        r.get("protocolVersion"),
        _capabilities(r.get("agentCapabilities")),
        r.get("agentInfo"),
        r.get("authMethods"),
    )


CROW = Dialect(
    name="crow",
    title="the crow dialect",
    origin="the protocol notes of the crow agent framework",
    evidence=(
        Evidence(
            3,
            "`@type` in an update",
            lambda line: "@type" in update_of(line),
            calls=("session/update",),
        ),
        Evidence(
            3,
            "`agent_message_text`, `agent_thought_text` or `tool_call_start`",
            _names_an_update,
            calls=("session/update",),
        ),
        Evidence(
            2,
            "`cancel` as a request",
            lambda line: line.is_request,
            calls=("cancel",),
        ),
        Evidence(
            2,
            "`protocol_version`",
            lambda line: reach(line.body, "protocol_version") is not None,
            calls=("initialize",),
            answers=("initialize",),
        ),
        Evidence(
            1,
            "`session_id`",
            lambda line: reach(line.body, "session_id") is not None,
            calls=_IN_SESSION,
        ),
        Evidence(
            1,
            "`stop_reason`",
            lambda line: reach(line.body, "stop_reason") is not None,
            answers=("session/prompt",),
        ),
    ),
    words=_WORDS,
    calls={
        "initialize": _initialize_asked,
        "session/prompt": lambda p: ev.TurnStarted(_session(p), p.get("prompt")),
        "session/load": lambda p: ev.SessionAsked("load", _session(p), p.get("cwd")),
        "session/update": _update,
        "cancel": lambda p: ev.TurnCancelled(_session(p)),
    },
    answers={
        "initialize": _initialize_answered,
        "session/load": lambda p, _: ev.SessionOpened("load", _session(p), p.get("cwd")),
        "session/prompt": lambda p, r: ev.TurnEnded(
            _session(p), r.get("stop_reason", r.get("stopReason"))
        ),
    },
    session_keys=("session_id", "sessionId"),
)
