"""The common openings of the examples, so that each example shows only its subject."""

SESSION = """
        -> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1, "clientCapabilities": {"fs": {"readTextFile": true, "writeTextFile": true}, "terminal": true, "auth": {"terminal": false}, "session": {"compaction": {}, "notices": {}, "configOptions": {"boolean": {}}}, "elicitation": {"form": {}, "url": {}}}, "clientInfo": {"name": "editor", "version": "1.0.0"}}}
        <- {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1, "agentCapabilities": {"loadSession": true, "promptCapabilities": {"image": true, "audio": true, "embeddedContext": true}, "mcpCapabilities": {"http": true}, "auth": {}}, "agentInfo": {"name": "agent", "version": "1.0.0"}}}
        -> {"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {"cwd": "/home/dev/project", "mcpServers": []}}
        <- {"jsonrpc": "2.0", "id": 1, "result": {"sessionId": "s1"}}
"""

PROMPT = (
    SESSION
    + """
        -> {"jsonrpc": "2.0", "id": 2, "method": "session/prompt", "params": {"sessionId": "s1", "prompt": [{"type": "text", "text": "Please help"}]}}
"""
)

TOOL_CALL = (
    PROMPT
    + """
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "tool_call", "toolCallId": "call_1", "title": "Run the tests", "kind": "execute"}}}
"""
)

PERMISSION = (
    TOOL_CALL
    + """
        <- {"jsonrpc": "2.0", "id": 0, "method": "session/request_permission", "params": {"sessionId": "s1", "toolCall": {"toolCallId": "call_1"}, "options": [{"optionId": "yes", "name": "Allow", "kind": "allow_once"}, {"optionId": "no", "name": "Reject", "kind": "reject_once"}]}}
"""
)

TERMINAL = (
    TOOL_CALL
    + """
        <- {"jsonrpc": "2.0", "id": 0, "method": "terminal/create", "params": {"sessionId": "s1", "command": "pytest", "outputByteLimit": 16}}
        -> {"jsonrpc": "2.0", "id": 0, "result": {"terminalId": "term_1"}}
"""
)

END = """
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "Done"}}}}
        <- {"jsonrpc": "2.0", "id": 2, "result": {"stopReason": "end_turn"}}
        -> EOF
        == 0
"""

OPTIONS = """
        -> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1, "clientCapabilities": {"fs": {"readTextFile": false, "writeTextFile": false}, "terminal": false, "auth": {"terminal": false}, "elicitation": {}, "session": {"configOptions": {"boolean": {}}}}, "clientInfo": {"name": "editor", "version": "1.0.0"}}}
        <- {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1, "agentCapabilities": {"loadSession": false, "promptCapabilities": {"image": false, "audio": false, "embeddedContext": false}, "mcpCapabilities": {"http": true}, "auth": {}}, "agentInfo": {"name": "agent", "version": "1.0.0"}}}
        -> {"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {"cwd": "/home/dev/project", "mcpServers": []}}
        <- {"jsonrpc": "2.0", "id": 1, "result": {"sessionId": "s1", "modes": {"currentModeId": "ask", "availableModes": [{"id": "ask", "name": "Ask"}, {"id": "code", "name": "Code"}]}, "configOptions": [{"id": "mode", "name": "Mode", "category": "mode", "type": "select", "currentValue": "ask", "options": [{"value": "ask", "name": "Ask"}, {"value": "code", "name": "Code"}]}, {"id": "model", "name": "Model", "category": "model", "type": "select", "currentValue": "small", "options": [{"value": "small", "name": "Small"}, {"value": "large", "name": "Large"}]}, {"id": "web", "name": "Search the web", "type": "boolean", "currentValue": false}]}}
"""
