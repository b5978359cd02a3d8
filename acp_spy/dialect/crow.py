"""Crow: snake_case in half of the names, and `@type` where updates are told apart."""

from typing import Any

from acp_spy.dialect.declaration import Dialect, Evidence, Line, Params, ReadAnswer, ReadCall
from acp_spy.dialect.document import (
    BOOL,
    IN_ORDER,
    IN_SESSION,
    INT,
    SOMETHING,
    TEXT,
    agent_tells,
    asks,
    document,
    flags,
    many,
    one_of,
    record,
    tells,
    union,
)
from acp_spy.dialect.reading import OFFICIAL_UPDATES, reach, renamed, text_block, update_of, word
from acp_spy.protocol import events as ev
from acp_spy.protocol.interpret import interpret_request, interpret_response
from acp_spy.wire.values import fields, text

_NAMES = frozenset(("agent_message_text", "agent_thought_text", "tool_call_start"))
_IN_SESSION = ("session/prompt", "session/load", "cancel")
WORDS = {
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
CHOICES = ("option_id", "optionId", "id", "decision")
KINDS = {"approve": "allow_once", "allow": "allow_once", "reject": "reject_once"}
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
    sent = renamed(update, {"@type": "sessionUpdate", "tool_call_id": "toolCallId"})
    if isinstance(name, str) and name in _ROLES:
        return ev.Said(session, _ROLES[name], text_block(update.get("text")))
    if name in ("tool_call_start", "tool_call_update"):
        is_new = name == "tool_call_start"
        return ev.ToolCallChanged(session, text(sent.get("toolCallId")), is_new, sent)
    if name == "plan_update":
        return ev.PlanChanged(session, update.get("entries"))
    if name == "permission_request":
        asked = text(sent.get("toolCallId"))
        return ev.PermissionAsked(session, asked, update.get("permission_options"))
    return interpret_request("session/update", {"sessionId": session, "update": sent})


def _permission_answered(p: Params) -> ev.Event:
    """Return what the client chose. How it says so is left open; this is how it would be here."""
    option = next((p[key] for key in CHOICES if key in p), None)
    kind = KINDS.get(option, "") if isinstance(option, str) else ""
    outcome = "cancelled" if option is None else "selected"
    return ev.PermissionAnswered(_session(p), text(p.get("tool_call_id")), outcome, option, kind)


def _capabilities(sent: Any) -> Any:
    """Return capabilities under their official names; texts need none."""
    if not isinstance(sent, dict):
        return sent
    named = renamed(sent, WORDS)
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
    named = renamed(members, WORDS)
    for key in ("clientCapabilities", "agentCapabilities"):
        if key in named:
            named[key] = _capabilities(named[key])
    return named


_DOCUMENT = document(
    "crow",
    (
        asks("initialize", "InitializeRequest", "InitializeResponse"),
        asks("session/new", "NewSessionRequest", "NewSessionResponse"),
        asks("session/prompt", "PromptRequest", "PromptResponse"),
        asks("session/load", "LoadSessionRequest"),
        asks("cancel", "CancelRequest"),
        # All that is said of it is its name.
        asks("permission_response", "PermissionResponse"),
        tells("permission_response", "PermissionResponse"),
        agent_tells("session/update", "SessionNotification"),
    ),
    {
        "InitializeRequest": record(
            {"protocol_version": INT, "client_capabilities": SOMETHING, "client_info?": "Info"}
        ),
        "InitializeResponse": record(
            {
                "protocol_version": INT,
                "agent_capabilities": "AgentCapabilities",
                "agent_info?": "Info",
            }
        ),
        "Info": record({"name": TEXT, "title?": TEXT, "version": TEXT}),
        "AgentCapabilities": record(
            {
                "prompt_capabilities?": flags("text", "image", "resource"),
                "mcp_capabilities?": flags("http", "sse"),
                "load_session?": BOOL,
            }
        ),
        **IN_SESSION,
        "PromptRequest": record({"session_id": TEXT, "prompt": many("ContentBlock")}),
        "PromptResponse": record({"stop_reason": one_of("end_turn", "cancelled", "error")}),
        "ContentBlock": union(
            "type", {"text": record({"text": TEXT}), "image": SOMETHING, "resource": SOMETHING}
        ),
        "LoadSessionRequest": record({"session_id": TEXT, "cwd": TEXT}),
        "CancelRequest": record({"session_id": TEXT}),
        "PermissionResponse": SOMETHING,
        "SessionUpdate": union(
            "@type",
            {
                "agent_thought_text": record({"text": TEXT}),
                "agent_message_text": record({"text": TEXT}),
                "tool_call_start": record(
                    {"tool_call_id": TEXT, "title": TEXT, "kind": TEXT, "status": TEXT}
                ),
                "tool_call_update": record({"tool_call_id": TEXT, "status": TEXT}),
                "plan_update": record({"entries": many("PlanEntry")}),
                "permission_request": record(
                    {
                        "tool_call_id": TEXT,
                        "title": TEXT,
                        "arguments": TEXT,
                        "permission_options": many("PermissionOption"),
                    }
                ),
            },
        ),
        "PlanEntry": record({"content": TEXT, "priority": TEXT, "status": TEXT}),
        "PermissionOption": record({"id": TEXT, "title": TEXT, "is_primary?": BOOL}),
    },
)

CROW = Dialect(
    name="crow",
    title="the crow dialect",
    origin="the protocol notes of the crow agent framework",
    evidence=(
        Evidence(
            3,
            "`@type` in an update",
            lambda line: "@type" in update_of(line) and not _is_slip(update_of(line)),
            betrays=("@type",),
            calls=("session/update",),
        ),
        Evidence(
            2,
            "`@type` in an otherwise official update",
            lambda line: _is_slip(update_of(line)),
            betrays=("@type",),
            calls=("session/update",),
        ),
        Evidence(
            3,
            "`agent_message_text`, `agent_thought_text` or `tool_call_start`",
            _names_an_update,
            betrays=("agent_message_text", "agent_thought_text", "tool_call_start"),
            calls=("session/update",),
        ),
        Evidence(
            2,
            "`cancel` as a request",
            lambda line: line.is_request,
            betrays=("cancel",),
            calls=("cancel",),
        ),
        Evidence(
            2,
            "`protocol_version`",
            lambda line: reach(line.body, "protocol_version") is not None,
            betrays=("protocol_version",),
            calls=("initialize",),
            answers=("initialize",),
        ),
        Evidence(
            1,
            "`session_id`",
            lambda line: reach(line.body, "session_id") is not None,
            betrays=("session_id",),
            calls=_IN_SESSION,
        ),
        Evidence(
            1,
            "`stop_reason`",
            lambda line: reach(line.body, "stop_reason") is not None,
            betrays=("stop_reason",),
            answers=("session/prompt",),
        ),
    ),
    words=WORDS,
    calls={
        "initialize": _call("initialize"),
        "session/prompt": _call("session/prompt"),
        "session/load": _call("session/load"),
        "session/update": _update,
        "cancel": lambda p: ev.TurnCancelled(_session(p)),
        "permission_response": _permission_answered,
    },
    answers={
        "initialize": _answer("initialize"),
        "session/load": _answer("session/load"),
        "session/prompt": _answer("session/prompt"),
    },
    session_keys=("session_id", "sessionId"),
    document=_DOCUMENT,
    rules=(*IN_ORDER, "load-without-replay"),
)
