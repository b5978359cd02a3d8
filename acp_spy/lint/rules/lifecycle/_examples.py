"""The frames that the examples of the LIF rules are made of."""

INITIALIZE = (
    '-> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1,'
    ' "clientCapabilities": {"fs": {"readTextFile": true, "writeTextFile": true},'
    ' "terminal": false, "auth": {"terminal": false}},'
    ' "clientInfo": {"name": "editor", "version": "1.0"}}}'
)
INITIALIZED = (
    '<- {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1, "agentCapabilities":'
    ' {"loadSession": true, "promptCapabilities": {"image": false},'
    ' "mcpCapabilities": {"http": true, "sse": false}, "sessionCapabilities":'
    ' {"list": {}, "resume": {}, "close": {}, "delete": {}}},'
    ' "agentInfo": {"name": "agent", "version": "1.0"}, "authMethods": []}}'
)
HANDSHAKE = f"{INITIALIZE}\n{INITIALIZED}"
NEW_SESSION = (
    '-> {"jsonrpc": "2.0", "id": 1, "method": "session/new",'
    ' "params": {"cwd": "/home/dev/project", "mcpServers": []}}\n'
    '<- {"jsonrpc": "2.0", "id": 1, "result": {"sessionId": "s1"}}'
)
PROMPT = (
    '-> {"jsonrpc": "2.0", "id": 2, "method": "session/prompt",'
    ' "params": {"sessionId": "s1", "prompt": [{"type": "text", "text": "Fix the test"}]}}'
)
CHUNK = (
    '<- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update":'
    ' {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "Done."}}}}'
)
END_TURN = '<- {"jsonrpc": "2.0", "id": 2, "result": {"stopReason": "end_turn"}}'
CANCEL = '-> {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "s1"}}'
CANCELLED = '<- {"jsonrpc": "2.0", "id": 2, "result": {"stopReason": "cancelled"}}'


def transcript(*parts: str) -> str:
    """Join the parts of an example."""
    return "\n".join(part.strip() for part in parts)
