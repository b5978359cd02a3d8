"""Other protocols on the connection, recognized by one message."""

from typing import Any

from acp_spy.protocol import foreign_methods as legacy

STREAM_JSON = "Claude Code's stream-json output"

# Protocols of their own; the other origins in the table are ACP's past and its dialects.
_PROTOCOLS = frozenset((legacy.A2A, legacy.CODEX, legacy.LSP, legacy.MCP))
_STREAM_TYPES = frozenset(
    ("system", "assistant", "user", "result", "stream_event", "control_request", "control_response")
)
_STREAM_KEYS = frozenset(("session_id", "subtype", "parent_tool_use_id", "message", "request_id"))


def protocol_of_method(method: str) -> str:
    """Return the protocol that a method which ACP lacks belongs to; empty if none is known."""
    found = legacy.foreign(method)
    return found.origin if found and found.origin in _PROTOCOLS else ""


def foreign_protocol_in(value: Any) -> str:
    """Return the protocol that a JSON value without an envelope belongs to, or nothing."""
    if not isinstance(value, dict) or "jsonrpc" in value:
        return ""
    kind = value.get("type")
    is_stream = isinstance(kind, str) and kind in _STREAM_TYPES
    return STREAM_JSON if is_stream and not _STREAM_KEYS.isdisjoint(value) else ""
