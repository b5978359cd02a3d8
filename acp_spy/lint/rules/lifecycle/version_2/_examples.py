"""The parts of conversations that the examples of the rules share."""


def request_line(ident: int, method: str, params: str) -> str:
    """Return a request of the client; `params` without braces."""
    return f'-> {{"jsonrpc": "2.0", "id": {ident}, "method": "{method}", "params": {{{params}}}}}'


def result_line(ident: int, result: str = "") -> str:
    """Return the result that the agent sends for it."""
    return f'<- {{"jsonrpc": "2.0", "id": {ident}, "result": {{{result}}}}}'


def error_line(ident: int, error: str) -> str:
    """Return the error that the agent sends for it."""
    return f'<- {{"jsonrpc": "2.0", "id": {ident}, "error": {{{error}}}}}'


def update_line(update: str, session: str = "s1") -> str:
    """Return a `session/update`."""
    params = f'{{"sessionId": "{session}", "update": {{{update}}}}}'
    return f'<- {{"jsonrpc": "2.0", "method": "session/update", "params": {params}}}'


def state_line(state: str, more: str = "") -> str:
    """Return a `state_update`."""
    return update_line(f'"sessionUpdate": "state_update", "state": "{state}"{more}')


def transcript(*lines: str) -> str:
    """Join the lines of an example."""
    return "\n".join(lines)


_PLAIN = (
    '"fs": {"readTextFile": false, "writeTextFile": false}, "terminal": false,'
    ' "auth": {"terminal": false}'
)
_USUAL = {
    "loadSession": '"loadSession": false',
    "promptCapabilities": '"promptCapabilities": {"image": false}',
    "mcpCapabilities": '"mcpCapabilities": {"http": true}',
}
_CLIENT = '"name": "editor", "version": "1.0"'
_AGENT = '"name": "agent", "version": "1.0"'
INITIALIZE = request_line(
    0, "initialize", f'"protocolVersion": 2, "info": {{{_CLIENT}}}, "capabilities": {{}}'
)
INITIALIZED = result_line(
    0,
    f'"protocolVersion": 2, "info": {{{_AGENT}}},'
    ' "capabilities": {"session": {"mcp": {"stdio": {}}}}',
)
SESSION = transcript(
    INITIALIZE,
    INITIALIZED,
    request_line(1, "session/new", '"cwd": "/home/dev/project", "mcpServers": []'),
    result_line(1, '"sessionId": "s1"'),
)
PROMPT = request_line(
    2, "session/prompt", '"sessionId": "s1", "prompt": [{"type": "text", "text": "Hi"}]'
)
ACCEPTED = result_line(2, '"messageId": "m1"')
ECHO = update_line(
    '"sessionUpdate": "user_message", "messageId": "m1",'
    ' "content": [{"type": "text", "text": "Hi"}]'
)
RUNNING = state_line("running")
REPLY = update_line(
    '"sessionUpdate": "agent_message", "messageId": "m2",'
    ' "content": [{"type": "text", "text": "Hello"}]'
)
IDLE = state_line("idle", ', "stopReason": "end_turn"')
TURN = transcript(SESSION, PROMPT, ACCEPTED, ECHO, RUNNING)
CANCEL = '-> {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "s1"}}'
TOOL_CALL = update_line(
    '"sessionUpdate": "tool_call_update", "toolCallId": "c1", "title": "Run the tests",'
    ' "status": "in_progress"'
)
TERMINAL = update_line(
    '"sessionUpdate": "terminal_update", "terminalId": "t1", "command": "make watch",'
    ' "cwd": "/home/dev/project"'
)
END = "-> EOF\n== 0"


def version_1(capabilities: str = "", client: str = "") -> str:
    """Return a handshake of version 1 that advertises these capabilities and the usual ones."""
    agent = [part for key, part in _USUAL.items() if f'"{key}"' not in capabilities]
    others = [part for part in (_PLAIN, client) if part]
    return transcript(
        request_line(
            0,
            "initialize",
            f'"protocolVersion": 1, "clientCapabilities": {{{", ".join(others)}}},'
            f' "clientInfo": {{{_CLIENT}}}',
        ),
        result_line(
            0,
            f'"protocolVersion": 1, "agentCapabilities":'
            f" {{{', '.join([*agent, capabilities] if capabilities else agent)}}},"
            f' "agentInfo": {{{_AGENT}}}',
        ),
    )


NEW_SESSION = transcript(
    request_line(1, "session/new", '"cwd": "/home/dev/project", "mcpServers": []'),
    result_line(1, '"sessionId": "s1"'),
)
