"""ACPex: updates told apart by `kind`, with the shapes of the model APIs inside."""

from typing import Any

from acp_spy.dialect import document as doc
from acp_spy.dialect.declaration import Dialect, Evidence, Line, Params
from acp_spy.dialect.document import ANY, IN_SESSION, INT, SOMETHING, TEXT, flags, many, record
from acp_spy.dialect.reading import OFFICIAL_UPDATES, reach, renamed, text_block, update_of, word
from acp_spy.protocol import events as ev
from acp_spy.protocol.interpret import interpret_request
from acp_spy.wire.values import fields, items, text

_KINDS = OFFICIAL_UPDATES | {"message"}
_INITIALIZE, _PROMPT, _UPDATE = ("initialize",), ("session/prompt",), ("session/update",)
_CAPABILITIES = ("fileSystem", "sessions", "prompts")


def _is_told_by_kind(line: Line) -> bool:
    update = update_of(line)
    return "sessionUpdate" not in update and word(update, "kind") in _KINDS


def _is_slip(update: Params) -> bool:
    """Tell whether `kind` holds the name, but the rest is not wrapped in `content` as here."""
    content = update.get("content")
    if isinstance(content, dict):
        return "type" in content and "function" not in content
    return not isinstance(content, str)


def _is_of_kind(line: Line) -> bool:
    return _is_told_by_kind(line) and not _is_slip(update_of(line))


def _is_misnamed(line: Line) -> bool:
    return _is_told_by_kind(line) and _is_slip(update_of(line))


def _has_function(line: Line) -> bool:
    return isinstance(reach(update_of(line), "content", "function"), dict)


def _has_content(line: Line) -> bool:
    return "content" in fields(line.body) and "prompt" not in fields(line.body)


def _is_done(line: Line) -> bool:
    return word(fields(line.body), "stopReason") == "done"


def _is_told_by_type(line: Line) -> bool:
    """Tell whether an update is as ACPex's code, unlike its document, has it."""
    update = update_of(line)
    name = word(update, "sessionUpdate")
    return word(update, "type") in OFFICIAL_UPDATES and name not in {"", *OFFICIAL_UPDATES}


def _has_capabilities(line: Line) -> bool:
    """Tell whether its own capabilities are there; MCP has `prompts` among an answer's own."""
    sent = reach(line.body, "capabilities" if line.is_request else "agentCapabilities")
    return any(isinstance(reach(sent, key), dict) for key in _CAPABILITIES)


def _has_source(line: Line) -> bool:
    blocks = items(reach(line.body, "content")) + items(reach(line.body, "prompt"))
    blocks += items(reach(line.body, "update", "content", "content"))
    return any(isinstance(reach(block, "source"), dict) for block in blocks)


def _update(p: Params) -> ev.Event | None:
    session, update = text(p.get("sessionId")), fields(p.get("update"))
    if _is_told_by_type(Line("session/update", p)):
        again = {**update, "sessionUpdate": update["type"]}
        return interpret_request("session/update", {**p, "update": again})
    if "kind" not in update or "sessionUpdate" in update:
        return interpret_request("session/update", p)
    if _is_slip(update):
        again = {**update, "sessionUpdate": update["kind"]}
        return interpret_request("session/update", {**p, "update": again})
    kind, content = update["kind"], fields(update.get("content"))
    if kind in ("message", "agent_message_chunk"):
        role = "user" if content.get("role") == "user" else "agent"
        return ev.Said(session, role, _blocks(update.get("content")))
    if kind == "agent_thought_chunk":
        return ev.Said(session, "thought", text_block(content.get("thought")))
    if kind in ("tool_call", "tool_call_update"):
        is_new = kind == "tool_call"
        call = text(content.get("toolCallId"))
        return ev.ToolCallChanged(session, call, is_new, _fields_of(content, is_new))
    if kind == "plan":
        return ev.PlanChanged(session, [{"content": step} for step in items(content.get("steps"))])
    return ev.OtherUpdate(session, kind, dict(update))


def _blocks(content: Any) -> Any:
    """Return the content blocks of a message, which may be no more than a text."""
    return text_block(content) if isinstance(content, str) else fields(content).get("content")


def _fields_of(content: Params, is_new: bool) -> dict[str, Any]:
    """Return the members of a tool call as official ACP has them; an output is its end."""
    sent: dict[str, Any] = {"toolCallId": content.get("toolCallId")}
    if is_new:
        sent["title"] = reach(content, "function", "name")
        sent["rawInput"] = reach(content, "function", "arguments")
    elif "output" in content:
        sent["status"] = "completed"
        sent["rawOutput"] = content["output"]
    return sent


def _initialize_asked(p: Params) -> ev.Event:
    sent = p.get("clientCapabilities", p.get("capabilities"))
    if isinstance(sent, dict):
        sent = renamed(sent, {"fileSystem": "fs"})
        if isinstance(terminal := sent.get("terminal"), dict):
            sent["terminal"] = terminal.get("create") is True
    return ev.InitializeAsked(p.get("protocolVersion"), sent, p.get("clientInfo"))


def _initialize_answered(_: Params, r: Params) -> ev.Event:
    sent = r.get("agentCapabilities")
    if isinstance(sent, dict):
        sent = renamed(sent, {"mcp": "mcpCapabilities", "prompts": "promptCapabilities"})
        if "sessions" in sent:
            sent["loadSession"] = reach(sent, "sessions", "load") is True
    return ev.InitializeAnswered(
        r.get("protocolVersion"),
        sent,
        r.get("agentInfo", r.get("meta")),
        r.get("authMethods", r.get("authenticationMethods")),
    )


_OF_CLIENT = (
    *("fs/read_text_file", "fs/write_text_file", "terminal/create", "terminal/output"),
    *("terminal/wait_for_exit", "terminal/kill", "terminal/release"),
)
_INFO = record({"name": TEXT, "version": TEXT})
_PROMPTS = flags("audio", "image", "embeddedContext")
_MEDIA = record({"source": record({"type": doc.one_of("base64"), "mediaType": TEXT, "data": TEXT})})
_DOCUMENT = doc.document(
    "acpex",
    (
        doc.asks("initialize", "InitializeRequest", "InitializeResponse"),
        doc.asks("authenticate", "AuthenticateRequest", "AuthenticateResponse"),
        doc.asks("session/new", "NewSessionRequest", "NewSessionResponse"),
        doc.asks("session/load", "Anything"),
        doc.asks("session/prompt", "PromptRequest", "PromptResponse"),
        doc.tells("session/cancel", "CancelNotification"),
        doc.agent_tells("session/update", "SessionNotification"),
        *(doc.agent_asks(name, "Anything") for name in _OF_CLIENT),  # no more than their names
    ),
    {
        "Anything": SOMETHING,
        "InitializeRequest": record(
            {
                "protocolVersion": INT,
                "clientInfo?": _INFO,
                "capabilities": "ClientCapabilities",
                "authenticationMethods?": many(ANY),
            }
        ),
        "ClientCapabilities": record(
            {
                "fileSystem?": flags("readTextFile", "writeTextFile"),
                "terminal?": flags("create", "output", "waitForExit", "kill", "release"),
                "prompts?": _PROMPTS,
            }
        ),
        "InitializeResponse": record(
            {
                "protocolVersion": INT,
                "agentCapabilities": "AgentCapabilities",
                "meta?": _INFO,
                "authenticationMethods?": many(ANY),
            }
        ),
        "AgentCapabilities": record(
            {"sessions?": flags("new", "load"), "mcp?": flags("http", "sse"), "prompts?": _PROMPTS}
        ),
        "AuthenticateRequest": record({"methodId": TEXT, "data?": SOMETHING}),
        "AuthenticateResponse": record({}),
        **IN_SESSION,
        "PromptRequest": record({"sessionId": TEXT, "content": many("ContentBlock")}),
        "PromptResponse": record(
            {"content?": many("ContentBlock"), "stopReason": doc.one_of("done", "cancelled")}
        ),
        "SessionUpdate": doc.union(
            "kind",
            {
                "message": record({"content": TEXT}),
                "agent_message_chunk": record({"content": "Message"}),
                "agent_thought_chunk": record({"content": record({"thought": TEXT})}),
                "tool_call": record({"content": "ToolCall"}),
                "tool_call_update": record({"content": "ToolResult"}),
                "plan": record({"content": record({"steps": many(TEXT)})}),
            },
        ),
        "Message": record({"role": TEXT, "content": many("ContentBlock")}),
        "ToolCall": record(
            {"toolCallId": TEXT, "type": doc.one_of("function"), "function": "Function"}
        ),
        "Function": record({"name": TEXT, "arguments": TEXT}),
        "ToolResult": record({"toolCallId": TEXT, "output": ANY}),
        "ContentBlock": doc.union(
            "type",
            {
                "text": record({"text": TEXT}),
                "image": _MEDIA,
                "audio": _MEDIA,
                "resource": record({"uri": TEXT, "mimeType?": TEXT, "text?": TEXT}),
                "resource_link": record({"uri": TEXT}),
            },
        ),
    },
)

ACPEX = Dialect(
    name="acpex",
    title="the acpex dialect",
    origin="the protocol overview of ACPex for Elixir",
    evidence=(
        Evidence(3, "an update's name in `kind`", _is_of_kind, ("kind",), calls=_UPDATE),
        Evidence(
            2,
            "an update's name in `kind`, otherwise official",
            _is_misnamed,
            ("kind",),
            calls=_UPDATE,
        ),
        Evidence(
            3,
            "an update's name in `type`, next to another `sessionUpdate`",
            _is_told_by_type,
            betrays=("type", "sessionUpdate"),
            calls=_UPDATE,
        ),
        Evidence(2, "a tool call with `function`", _has_function, ("function",), calls=_UPDATE),
        Evidence(
            2,
            "the capabilities `fileSystem`, `sessions` or `prompts`",
            _has_capabilities,
            betrays=("capabilities", "fileSystem", "sessions", "mcp", "prompts"),
            calls=_INITIALIZE,
            answers=_INITIALIZE,
        ),
        Evidence(1, "`content` in a prompt", _has_content, ("content",), calls=_PROMPT),
        Evidence(1, '`"stopReason": "done"`', _is_done, ("done",), answers=_PROMPT),
        Evidence(
            1,
            "`source` in a content block",
            _has_source,
            betrays=("source",),
            calls=(*_PROMPT, *_UPDATE),
            answers=_PROMPT,
        ),
        Evidence(
            1,
            "`authenticationMethods`",
            lambda line: "authenticationMethods" in fields(line.body),
            betrays=("authenticationMethods",),
            calls=_INITIALIZE,
            answers=_INITIALIZE,
        ),
    ),
    words={
        "kind": "sessionUpdate",
        "type": "sessionUpdate",
        "message": "agent_message_chunk",
        "thought": "text",
        "function": "title and rawInput",
        "output": "rawOutput",
        "steps": "entries",
        "content": "prompt, in a prompt",
        "done": "end_turn",
        "source": "data and mimeType",
        "capabilities": "clientCapabilities",
        "fileSystem": "fs",
        "sessions": "loadSession",
        "mcp": "mcpCapabilities",
        "prompts": "promptCapabilities",
        "meta": "agentInfo",
        "authenticationMethods": "authMethods",
    },
    calls={
        "initialize": _initialize_asked,
        "session/prompt": lambda p: ev.TurnStarted(
            text(p.get("sessionId")), p.get("prompt", p.get("content"))
        ),
        "session/update": _update,
    },
    answers={"initialize": _initialize_answered},
    document=_DOCUMENT,
    rules=(*doc.IN_ORDER, "cancel-not-confirmed", "unadvertised-client-method"),
)
