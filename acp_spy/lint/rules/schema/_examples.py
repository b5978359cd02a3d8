"""The frames that the examples of the SCH rules begin and end with."""

_INITIALIZE = (
    '-> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1,'
    ' "clientCapabilities": {"fs": {"readTextFile": true, "writeTextFile": true},'
    ' "terminal": true, "auth": {"terminal": false}},'
    ' "clientInfo": {"name": "editor", "version": "1.0"}}}'
)
_INITIALIZED = (
    '<- {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1, "agentCapabilities":'
    ' {"loadSession": true, "promptCapabilities": {"image": true, "embeddedContext": true},'
    ' "mcpCapabilities": {"http": true}}, "agentInfo": {"name": "agent", "version": "1.0"},'
    ' "authMethods": []}}'
)
HANDSHAKE = f"{_INITIALIZE}\n{_INITIALIZED}"
_NEW_SESSION = (
    '-> {"jsonrpc": "2.0", "id": 1, "method": "session/new",'
    ' "params": {"cwd": "/home/dev/project", "mcpServers": []}}\n'
    '<- {"jsonrpc": "2.0", "id": 1, "result": {"sessionId": "s-1"}}'
)
_PROMPT = (
    '-> {"jsonrpc": "2.0", "id": 2, "method": "session/prompt",'
    ' "params": {"sessionId": "s-1", "prompt": [{"type": "text", "text": "Fix the test"}]}}'
)
_DONE = (
    '<- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s-1", "update":'
    ' {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "Ready."}}}}'
)
_END_TURN = '<- {"jsonrpc": "2.0", "id": 2, "result": {"stopReason": "end_turn"}}'


def after_handshake(transcript: str) -> str:
    """Return the example `transcript` with the handshake in front."""
    return _joined(_INITIALIZE, _INITIALIZED, transcript)


def in_session(transcript: str) -> str:
    """Return the example `transcript` in a session."""
    return _joined(_INITIALIZE, _INITIALIZED, _NEW_SESSION, transcript)


def in_turn(transcript: str) -> str:
    """Return the example `transcript` in a turn, which ends after it."""
    return _joined(_INITIALIZE, _INITIALIZED, _NEW_SESSION, _PROMPT, transcript, _DONE, _END_TURN)


def update(content: str) -> str:
    """Return the line of a `session/update` with this content."""
    params = f'{{"sessionId": "s-1", "update": {content}}}'
    return f'<- {{"jsonrpc": "2.0", "method": "session/update", "params": {params}}}'


def _joined(*parts: str) -> str:
    return "\n".join(part.strip() for part in parts if part)
