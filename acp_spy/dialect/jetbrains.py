"""JetBrains: an update `message` with a whole message in it, and a handshake as MCP has it."""

from acp_spy.dialect.declaration import Dialect, Evidence, Params
from acp_spy.dialect.document import (
    BOOL,
    IN_ORDER,
    IN_SESSION,
    SOMETHING,
    TEXT,
    agent_asks,
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
from acp_spy.dialect.reading import reach, renamed, update_of
from acp_spy.protocol import events as ev
from acp_spy.protocol.interpret import interpret_request, interpret_response
from acp_spy.protocol.shapes import Integer
from acp_spy.wire.values import fields, text


def _update(p: Params) -> ev.Event | None:
    update = fields(p.get("update"))
    if update.get("sessionUpdate") != "message":
        return interpret_request("session/update", p)
    whole = fields(update.get("message")) or update
    role = "user" if whole.get("role") == "user" else "agent"
    return ev.Said(text(p.get("sessionId")), role, whole.get("content"), update.get("messageId"))


def _initialize_answered(p: Params, r: Params) -> ev.Event | None:
    return interpret_response("initialize", p, renamed(r, {"serverInfo": "agentInfo"}))


_VERSION = Integer(1, 1)
_STATUS = one_of("pending", "in_progress", "completed", "failed")
_CONTENT = many("ToolCallContent")
_DOCUMENT = document(
    "jetbrains",
    (
        asks("initialize", "InitializeRequest", "InitializeResponse"),
        asks("session/new", "NewSessionRequest", "NewSessionResponse"),
        asks("session/prompt", "PromptRequest", "PromptResponse"),
        tells("session/cancel", "CancelNotification"),
        agent_tells("session/update", "SessionNotification"),
        agent_asks("session/request_permission", "PermissionRequest"),  # no more than its name
    ),
    {
        "InitializeRequest": record(
            {
                "protocolVersion": _VERSION,
                "clientCapabilities": record(
                    {
                        "fs?": flags("readTextFile", "writeTextFile"),
                        "terminal?": BOOL,
                    }
                ),
            }
        ),
        "InitializeResponse": record(
            {
                "protocolVersion": _VERSION,
                "capabilities": record({"tools?": many("Tool")}),
                "serverInfo": record({"name": TEXT, "version": TEXT}),
            }
        ),
        "Tool": record({"name": TEXT, "description": TEXT, "inputSchema": SOMETHING}),
        **IN_SESSION,
        "PromptRequest": record({"sessionId": TEXT, "prompt": many("ContentBlock")}),
        "PromptResponse": record(
            {
                "stopReason": one_of(
                    "end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"
                ),
                "content?": many("ContentBlock"),
            }
        ),
        "PermissionRequest": SOMETHING,
        "SessionUpdate": union(
            "sessionUpdate",
            {
                "message": record({"role": one_of("assistant"), "content": many("ContentBlock")}),
                "agent_message_chunk": record({"content": "ContentBlock"}),
                "plan": record({"entries": many("PlanEntry")}),
                "tool_call": record(
                    {
                        "toolCallId": TEXT,
                        "title": TEXT,
                        "kind": "ToolKind",
                        "status": _STATUS,
                        "content?": _CONTENT,
                    }
                ),
                "tool_call_update": record(
                    {"toolCallId": TEXT, "status": _STATUS, "content?": _CONTENT}
                ),
            },
        ),
        "ToolKind": one_of(
            *("read", "edit", "delete", "move", "search", "execute", "think", "fetch", "other")
        ),
        "ContentBlock": union("type", {"text": record({"text": TEXT})}, more=True),
        "ToolCallContent": union(
            "type", {"content": record({"content": "ContentBlock"})}, more=True
        ),
        "PlanEntry": record({"content": TEXT, "priority": TEXT, "status": TEXT}),
    },
)

JETBRAINS = Dialect(
    name="jetbrains",
    title="the jetbrains dialect",
    origin="the guide of a Koog code reviewer for JetBrains IDEs",
    evidence=(
        Evidence(
            3,
            '`"sessionUpdate": "message"`',
            lambda line: update_of(line).get("sessionUpdate") == "message",
            betrays=("message",),
            calls=("session/update",),
        ),
        Evidence(
            2,
            "a list of tools in `capabilities`",
            lambda line: isinstance(reach(line.body, "capabilities", "tools"), list),
            betrays=("capabilities",),
            answers=("initialize",),
        ),
        Evidence(
            1,
            "`serverInfo`",
            lambda line: "serverInfo" in fields(line.body),
            betrays=("serverInfo",),
            answers=("initialize",),
        ),
        Evidence(
            1,
            "`content` in the response to a prompt",
            lambda line: (
                "content" in fields(line.body) and reach(line.body, "stopReason") != "done"
            ),
            betrays=("content",),
            answers=("session/prompt",),
        ),
    ),
    words={
        "message": "agent_message_chunk",
        "capabilities": "agentCapabilities",
        "serverInfo": "agentInfo",
        "content": "agent_message_chunk, before the response to the prompt",
    },
    calls={"session/update": _update},
    answers={"initialize": _initialize_answered},
    document=_DOCUMENT,
    rules=(
        *IN_ORDER,
        "empty-turn",
        "unknown-tool-call",
        "tool-call-left-open",
        "cancel-not-confirmed",
        "cancel-as-error",
    ),
)
