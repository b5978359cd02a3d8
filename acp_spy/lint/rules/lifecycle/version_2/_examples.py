"""How the conversations begin and go on, for the examples of the rules."""


def ask(ident: int, method: str, params: str) -> str:
    """Spell a request of the client; `params` without their braces."""
    return f'-> {{"jsonrpc": "2.0", "id": {ident}, "method": "{method}", "params": {{{params}}}}}'


def answer(ident: int, result: str = "") -> str:
    """Spell the agent's answer to it."""
    return f'<- {{"jsonrpc": "2.0", "id": {ident}, "result": {{{result}}}}}'


def refuse(ident: int, error: str) -> str:
    """Spell the agent's refusal."""
    return f'<- {{"jsonrpc": "2.0", "id": {ident}, "error": {{{error}}}}}'


def update_line(update: str, session: str = "s1") -> str:
    """Spell a `session/update`."""
    params = f'{{"sessionId": "{session}", "update": {{{update}}}}}'
    return f'<- {{"jsonrpc": "2.0", "method": "session/update", "params": {params}}}'


def be(state: str, more: str = "") -> str:
    """Spell a `state_update`."""
    return update_line(f'"sessionUpdate": "state_update", "state": "{state}"{more}')


def transcript(*lines: str) -> str:
    """Put an example together."""
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
INITIALIZE = ask(
    0, "initialize", f'"protocolVersion": 2, "info": {{{_CLIENT}}}, "capabilities": {{}}'
)
INITIALIZED = answer(
    0,
    f'"protocolVersion": 2, "info": {{{_AGENT}}},'
    ' "capabilities": {"session": {"mcp": {"stdio": {}}}}',
)
SESSION = transcript(
    INITIALIZE,
    INITIALIZED,
    ask(1, "session/new", '"cwd": "/home/dev/project", "mcpServers": []'),
    answer(1, '"sessionId": "s1"'),
)
PROMPT = ask(2, "session/prompt", '"sessionId": "s1", "prompt": [{"type": "text", "text": "Hi"}]')
ACCEPTED = answer(2, '"messageId": "m1"')
ECHO = update_line(
    '"sessionUpdate": "user_message", "messageId": "m1",'
    ' "content": [{"type": "text", "text": "Hi"}]'
)
RUNNING = be("running")
REPLY = update_line(
    '"sessionUpdate": "agent_message", "messageId": "m2",'
    ' "content": [{"type": "text", "text": "Hello"}]'
)
IDLE = be("idle", ', "stopReason": "end_turn"')
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
    """Spell a handshake of version 1 in which the peers advertise this, besides the usual."""
    agent = [part for key, part in _USUAL.items() if f'"{key}"' not in capabilities]
    others = [part for part in (_PLAIN, client) if part]
    return transcript(
        ask(
            0,
            "initialize",
            f'"protocolVersion": 1, "clientCapabilities": {{{", ".join(others)}}},'
            f' "clientInfo": {{{_CLIENT}}}',
        ),
        answer(
            0,
            f'"protocolVersion": 1, "agentCapabilities":'
            f" {{{', '.join([*agent, capabilities] if capabilities else agent)}}},"
            f' "agentInfo": {{{_AGENT}}}',
        ),
    )


NEW_SESSION = transcript(
    ask(1, "session/new", '"cwd": "/home/dev/project", "mcpServers": []'),
    answer(1, '"sessionId": "s1"'),
)
