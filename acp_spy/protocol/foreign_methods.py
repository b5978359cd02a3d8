"""
Method names that are not ACP's, or no longer: where they come from, and what to use instead.

Exact names win over prefixes. What has no counterpart in ACP has an empty `instead`.
"""

import msgspec


class Foreign(msgspec.Struct, frozen=True):
    """A method that official ACP does not have."""

    origin: str
    instead: str = ""


A2A = "A2A"
ACP_OLD = "ACP before its first release"
BRIDGE = "custom bridges and agents"
CODEX = "Codex app-server"
CROW = "the crow dialect"
LSP = "LSP"
MCP = "MCP"
NES = "ACP next edit suggestions, frozen since schema 1.25"
THREADS = "the threads dialect (Zed, June 2025)"
V2 = "ACP version 2"
ZED_EARLY = "Zed's crate of July 2025"

METHODS: dict[str, Foreign] = {
    # Names that ACP itself has had
    "mcp/connect": Foreign("the unstable ACP schema before 1.25", "mcp/message"),
    "mcp/disconnect": Foreign("the unstable ACP schema before 1.25", "mcp/message"),
    "session/cancelled": Foreign(ACP_OLD, "session/cancel"),
    "session/set_model": Foreign(
        "the unstable ACP schema before June 2026", "session/set_config_option"
    ),
    "session/stop": Foreign("the unstable ACP schema of March 2026", "session/close"),
    # Version 2 on a connection of version 1, and the other way round; looked up only where
    # the edition at hand does not have the method
    "auth/login": Foreign(V2, "authenticate"),
    "auth/logout": Foreign(V2, "logout"),
    "authenticate": Foreign("ACP version 1", "auth/login"),
    "logout": Foreign("ACP version 1", "auth/logout"),
    "session/load": Foreign("ACP version 1", "session/resume"),
    "session/set_mode": Foreign("ACP version 1", "session/set_config_option"),
    "terminal/cancel": Foreign(V2, "terminal/kill"),
    "tool_call/cancel": Foreign(V2, "session/cancel"),
    # Dialects
    "acp/load_session": Foreign(ZED_EARLY, "session/load"),
    "acp/new_session": Foreign(ZED_EARLY, "session/new"),
    "acp/prompt": Foreign(ZED_EARLY, "session/prompt"),
    "acp/session_update": Foreign(ZED_EARLY, "session/update"),
    "cancel": Foreign(CROW, "session/cancel"),
    "cancelSendMessage": Foreign(ZED_EARLY, "session/cancel"),
    "createThread": Foreign(THREADS, "session/new"),
    "getThreadEntries": Foreign(THREADS, "session/load"),
    "getThreads": Foreign(THREADS, "session/list"),
    "globSearch": Foreign(THREADS),
    "openThread": Foreign(THREADS, "session/load"),
    "permission/request": Foreign(BRIDGE, "session/request_permission"),
    "permission_request": Foreign(CROW, "session/request_permission"),
    "permission_response": Foreign(CROW, "the response to session/request_permission"),
    "pushToolCall": Foreign(ZED_EARLY, "session/update"),
    "readBinaryFile": Foreign(THREADS),
    "readTextFile": Foreign(THREADS, "fs/read_text_file"),
    "request_permission": Foreign(BRIDGE, "session/request_permission"),
    "requestToolCallConfirmation": Foreign(ZED_EARLY, "session/request_permission"),
    "sendMessage": Foreign(THREADS, "session/prompt"),
    "sendUserMessage": Foreign(ZED_EARLY, "session/prompt"),
    "session/create": Foreign(BRIDGE, "session/new"),
    "session/get": Foreign(BRIDGE, "session/list"),
    "session/initialize": Foreign(BRIDGE, "session/new"),
    "stat": Foreign(THREADS),
    "streamAssistantMessageChunk": Foreign(ZED_EARLY, "session/update"),
    "streamMessageChunk": Foreign(THREADS, "session/update"),
    "updateToolCall": Foreign(ZED_EARLY, "session/update"),
    "writeTextFile": Foreign(THREADS, "fs/write_text_file"),
    # Other protocols
    "exit": Foreign(LSP),
    "initialized": Foreign(LSP),
    "notifications/cancelled": Foreign(MCP, "session/cancel or $/cancel_request"),
    "notifications/initialized": Foreign(MCP),
    "ping": Foreign(MCP),
    "shutdown": Foreign(LSP),
}

PREFIXES: dict[str, Foreign] = {
    "agent/": Foreign(A2A),
    "completion/": Foreign(MCP),
    "document/": Foreign(NES),
    "item/": Foreign(CODEX, "session/update"),
    "logging/": Foreign(MCP),
    "message/": Foreign(A2A, "session/prompt"),
    "nes/": Foreign(NES),
    "notifications/": Foreign(MCP),
    "prompts/": Foreign(MCP),
    "resources/": Foreign(MCP),
    "roots/": Foreign(MCP),
    "sampling/": Foreign(MCP),
    "tasks/": Foreign(A2A),
    "textDocument/": Foreign(LSP),
    "thread/": Foreign(CODEX, "session/new"),
    "tools/": Foreign(MCP),
    "turn/": Foreign(CODEX, "session/prompt"),
    "window/": Foreign(LSP),
    "workspace/": Foreign(LSP),
}


def foreign(method: str) -> Foreign | None:
    """Return where a method that is not in the tables comes from, if that is known."""
    found = METHODS.get(method)
    if found is None and "/" in method:
        found = PREFIXES.get(method.partition("/")[0] + "/")
    return found
