"""Crow: snake_case in half of the names, and `@type` where updates are told apart."""

from typing import Any

from acp_spy.dialect.model import Dialect, Evidence, Line, Params, ReadAnswer, ReadCall
from acp_spy.dialect.reading import OFFICIAL_UPDATES, reach, renamed, text_block, update_of, word
from acp_spy.protocol import events as ev
from acp_spy.protocol.interpret import interpret_request, interpret_response
from acp_spy.wire.values import fields, text

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


def _is_slip(update: Params) -> bool:
    """Tell whether an update has the wrong key and nothing else of crow: that is one mistake."""
    return word(update, "@type") in OFFICIAL_UPDATES and "tool_call_id" not in update


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
    return interpret_request("session/update", {"sessionId": session, "update": told})


def _capabilities(told: Any) -> Any:
    """Return capabilities under their official names; texts need none."""
    if not isinstance(told, dict):
        return told
    named = renamed(told, _WORDS)
    if isinstance(prompt := named.get("promptCapabilities"), dict):
        named["promptCapabilities"] = renamed(prompt, {"resource": "embeddedContext"})
    return named


def _call(method: str) -> ReadCall:
    """Return the reader of a call that is official but for the names in it."""
    return lambda p: interpret_request(method, _named(p))


def _answer(method: str) -> ReadAnswer:
    return lambda p, r: interpret_response(method, _named(p), _named(r))


def _named(members: Params) -> Params:
    """Return params or a result under official names, capabilities included."""
    named = renamed(members, _WORDS)
    for key in ("clientCapabilities", "agentCapabilities"):
        if key in named:
            named[key] = _capabilities(named[key])
    return named


CROW = Dialect(
    name="crow",
    title="the crow dialect",
    origin="the protocol notes of the crow agent framework",
    evidence=(
        Evidence(
            3,
            "`@type` in an update",
            lambda line: "@type" in update_of(line) and not _is_slip(update_of(line)),
            calls=("session/update",),
        ),
        Evidence(
            2,
            "`@type` in an update that is official otherwise",
            lambda line: _is_slip(update_of(line)),
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
        "initialize": _call("initialize"),
        "session/prompt": _call("session/prompt"),
        "session/load": _call("session/load"),
        "session/update": _update,
        "cancel": lambda p: ev.TurnCancelled(_session(p)),
    },
    answers={
        "initialize": _answer("initialize"),
        "session/load": _answer("session/load"),
        "session/prompt": _answer("session/prompt"),
    },
    session_keys=("session_id", "sessionId"),
)
