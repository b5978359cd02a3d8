"""
The demo's agent: correct, but for the three mistakes that agents make most.

1. A log line on stdout, where only messages are allowed.
2. A `session/update` without the `update` wrapper.
3. `type` where `sessionUpdate` is expected.
"""

import json
import sys
from typing import Any

SESSION = "demo-1"


def main() -> None:
    """Answer what stdin asks until it ends."""
    print("[info] demo agent 0.1 is ready")  # mistake 1: this belongs on stderr
    print("demo agent: no model behind this, all answers are scripted", file=sys.stderr)
    for line in sys.stdin:
        message = json.loads(line)
        answer(message["id"], respond_to(message["method"]))


def respond_to(method: str) -> dict[str, Any]:
    """Return the result for a request, after whatever it causes."""
    match method:
        case "initialize":
            return {
                "protocolVersion": 1,
                "agentCapabilities": {
                    "loadSession": False,
                    "promptCapabilities": {"image": False, "audio": False},
                    "mcpCapabilities": {"http": True, "sse": False},
                    "auth": {},
                },
                "agentInfo": {"name": "demo-agent", "version": "0.1"},
                "authMethods": [],
            }
        case "session/new":
            return {"sessionId": SESSION}
        case _:
            return take_turn()


def take_turn() -> dict[str, Any]:
    """Play one scripted turn."""
    for text in ("Let me ", "look at ", "the tests."):
        update({"sessionUpdate": "agent_message_chunk", "content": text_block(text)})
    call = {
        "toolCallId": "call-1",
        "title": "Run the tests",
        "kind": "execute",
        "status": "pending",
    }
    update({"sessionUpdate": "tool_call", **call})
    allowed = ask_permission(call)
    if allowed:
        running = {"toolCallId": "call-1", "status": "in_progress"}
        update({"sessionUpdate": "tool_call_update", **running})
    status = "completed" if allowed else "failed"
    update({"sessionUpdate": "tool_call_update", "toolCallId": "call-1", "status": status})
    # Mistake 2: the fields of the update are beside `sessionId`, not inside `update`.
    notify({"sessionUpdate": "agent_message_chunk", "content": text_block("All 3 pass.")})
    # Mistake 3: `type` names the kind of update; it should be `sessionUpdate`.
    update({"type": "agent_message_chunk", "content": text_block("Done.")})
    return {"stopReason": "end_turn"}


def ask_permission(call: dict[str, Any]) -> bool:
    """Ask the client, and wait for its answer."""
    options = [
        {"optionId": "yes", "name": "Allow", "kind": "allow_once"},
        {"optionId": "no", "name": "Reject", "kind": "reject_once"},
    ]
    params = {"sessionId": SESSION, "toolCall": call, "options": options}
    send({"id": 0, "method": "session/request_permission", "params": params})
    reply = json.loads(sys.stdin.readline())
    outcome = reply.get("result", {}).get("outcome", {})  # an error allows nothing
    return bool(outcome.get("optionId") == "yes")


def text_block(text: str) -> dict[str, str]:
    """Return a text content block."""
    return {"type": "text", "text": text}


def update(update: dict[str, Any]) -> None:
    """Send a `session/update`."""
    notify({"update": update})


def notify(params: dict[str, Any]) -> None:
    """Send a `session/update` with any params."""
    send({"method": "session/update", "params": {"sessionId": SESSION, **params}})


def answer(ident: Any, result: dict[str, Any]) -> None:
    """Answer a request."""
    send({"id": ident, "result": result})


def send(message: dict[str, Any]) -> None:
    """Send one message, one line."""
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


if __name__ == "__main__":
    main()
