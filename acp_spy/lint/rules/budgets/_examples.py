"""The conversation that the examples of this family are about."""

_START = """
    -> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1, "clientCapabilities": {}, "clientInfo": {"name": "editor", "version": "1.0"}}}
    <- {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1, "agentCapabilities": {}, "agentInfo": {"name": "agent", "version": "1.0"}}}
    -> {"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {"cwd": "/home/dev/project", "mcpServers": []}}
    <- {"jsonrpc": "2.0", "id": 1, "result": {"sessionId": "s1"}}
    @ 1
    -> {"jsonrpc": "2.0", "id": 2, "method": "session/prompt", "params": {"sessionId": "s1", "prompt": [{"type": "text", "text": "Fix the test"}]}}
"""
_TOOL = """
    <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "tool_call", "toolCallId": "c1", "title": "Edit test.py", "kind": "edit", "status": "completed"}}}
"""
_END = """
    <- {"jsonrpc": "2.0", "id": 2, "result": {"stopReason": "end_turn"}}
"""


def turn(*, update_at: float = 2, end_at: float = 3, tool: str = "edit", stop: str = "") -> str:
    """Return a conversation of one turn, whose prompt is sent after a second."""
    call = _TOOL.replace('"edit"', f'"{tool}"').replace("Edit", tool.title())
    end = _END.replace("end_turn", stop or "end_turn")
    return f"{_START}\n@ {update_at}\n{call}\n@ {end_at}\n{end}"
