"""The frames and exchanges that the examples of the NET rules are made of."""

from acp_spy.lint.rules.lifecycle import _examples as stdio


def over(place: str, line: str) -> str:
    """Return a line of a transcript with the stream and ids that it came with."""
    mark, _, message = line.partition(" ")
    return f"{mark}[{place}] {message}"


SPEC = "https://agentclientprotocol.com/rfds/streamable-http-websocket-transport"

_ASKS, _GETS = stdio.NEW_SESSION.splitlines()

CONNECT = "\n".join(
    (over("post", stdio.INITIALIZE), "<> 200", over("post c1", stdio.INITIALIZED), "<> GET c1 200")
)
NEW_SESSION = "\n".join(
    (over("post c1", _ASKS), "<> 202", over("connection c1", _GETS), "<> GET c1 s1 200")
)
OPENING = f"{CONNECT}\n{NEW_SESSION}"
PROMPT = f"{over('post c1 s1', stdio.PROMPT)}\n<> 202"
PROMPT_WITHOUT_SESSION = over("post c1", stdio.PROMPT)
CHUNK = over("session c1 s1", stdio.CHUNK)
END_TURN = over("session c1 s1", stdio.END_TURN)
PERMISSION = (
    '<-[session c1 s1] {"jsonrpc": "2.0", "id": 7, "method": "session/request_permission",'
    ' "params": {"sessionId": "s1", "toolCall": {"toolCallId": "t1"}, "options":'
    ' [{"optionId": "y", "name": "Yes", "kind": "allow_once"}]}}'
)
ALLOWED = (
    '{"jsonrpc": "2.0", "id": 7, "result": {"outcome": {"outcome": "selected", "optionId": "y"}}}'
)
SOCKET = "\n".join(("<> WS 101", over("ws c1", stdio.INITIALIZE), over("ws c1", stdio.INITIALIZED)))


def transcript(*parts: str) -> str:
    """Join the parts of an example."""
    return "\n".join(parts)
