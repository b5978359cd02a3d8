"""The frames that the examples of the CAP rules begin with."""

from typing import Any

import msgspec

_CLIENT = {
    "fs": {"readTextFile": False, "writeTextFile": False},
    "terminal": False,
    "auth": {"terminal": False},
}
_AGENT = {
    "loadSession": False,
    "promptCapabilities": {"image": False},
    "mcpCapabilities": {"http": True},
}
_EDITOR = {"name": "editor", "version": "1.0"}
_NAME = {"name": "agent", "version": "1.0"}


def handshake(
    client: dict[str, Any] | None = None,
    agent: dict[str, Any] | None = None,
    methods: list[Any] | None = None,
) -> str:
    """Return a handshake of version 1 in which the peers also advertise these capabilities."""
    asked = {
        "protocolVersion": 1,
        "clientCapabilities": _CLIENT | (client or {}),
        "clientInfo": _EDITOR,
    }
    answered = {
        "protocolVersion": 1,
        "agentCapabilities": _AGENT | (agent or {}),
        "agentInfo": _NAME,
        "authMethods": methods or [],
    }
    return f"{_request(asked)}\n{_response(answered)}\n"


def handshake_2(session: dict[str, Any], methods: list[Any] | None = None) -> str:
    """Return a handshake of version 2."""
    asked = {"protocolVersion": 2, "info": _EDITOR, "capabilities": {}}
    answered = {
        "protocolVersion": 2,
        "info": _NAME,
        "capabilities": {"session": session},
        "authMethods": methods or [],
    }
    return f"{_request(asked)}\n{_response(answered)}\n"


NEW_SESSION = """\
-> {"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {"cwd": "/home/dev/project", "mcpServers": []}}
<- {"jsonrpc": "2.0", "id": 1, "result": {"sessionId": "s1"}}
"""
PROMPT = """\
-> {"jsonrpc": "2.0", "id": 2, "method": "session/prompt", "params": {"sessionId": "s1", "prompt": [{"type": "text", "text": "Hi"}]}}
"""


def _request(params: dict[str, Any]) -> str:
    return "-> " + _format({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params})


def _response(result: dict[str, Any]) -> str:
    return "<- " + _format({"jsonrpc": "2.0", "id": 0, "result": result})


def _format(value: Any) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=0).decode()
